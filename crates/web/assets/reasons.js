// Where a number comes from: the cells behind it, with what stands in them.

import { call, count, many } from "./dom.js";

/** Cells that are named, and rows. */
const NAMED = 6;
const ROWS = 12;
/** Functions that give what stands in a cell; all others compute. */
const READS = /^\((hop|max|min|mode)\b/;

/** The texts of the first cells of a list, by `row,column`. */
async function texts(table, cells) {
  const first = cells.slice(0, 40);
  const rows = [...new Set(first.map((cell) => cell.row))];
  const columns = [...new Set(first.map((cell) => cell.column))].slice(0, 20);
  const query = new URLSearchParams({ rows: rows.join(","), pick: columns.join(",") });
  const page = await call(`/api/tables/${encodeURIComponent(table.id)}/rows?${query}`);
  return new Map(page.rows.flatMap(({ row, cells }) => cells.map((text, at) => [`${row},${columns[at]}`, text.trim()])));
}

const known = new WeakMap();
function textsOf(table, step) {
  if (!known.has(step)) known.set(step, texts(table, step.cells));
  return known.get(step);
}

/** Rows as people count them. */
function rowList(rows, total) {
  const first = rows.slice(0, ROWS).map((row) => count(row + 1));
  const more = total > first.length ? ` and ${count(total - first.length)} more` : "";
  return `${total === 1 ? "Row" : "Rows"} ${first.join(", ")}${more}`;
}

/** Cells with what stands in them, column by column. */
function cellList(table, cells, total, inside) {
  const columns = [...new Set(cells.map((cell) => cell.column))];
  let left = NAMED;
  const parts = columns.map((column) => {
    const mine = cells.filter((cell) => cell.column === column).slice(0, left);
    left -= mine.length;
    const named = mine.map((cell) => `${inside.get(`${cell.row},${cell.column}`) || "(empty)"} (row ${count(cell.row + 1)})`);
    return named.length === 0 ? "" : `${table.columns[column]?.name || "a column without a name"}: ${named.join(", ")}`;
  });
  const more = total > NAMED ? `, and ${count(total - NAMED)} more` : "";
  return parts.filter(Boolean).join("; ") + more;
}

/** Why a step gives what it gives. */
export async function reasonOfStep(table, step) {
  if (step.rows) {
    if (step.rows_total === 0) return "No row fits.";
    if (step.rows_total === table.rows) return `All ${many(table.rows, "row")}.`;
    return `${rowList(step.rows, step.rows_total)}.`;
  }
  if (step.cells.length === 0) return "";
  return `From ${many(step.cells_total, "cell")}. ${cellList(table, step.cells, step.cells_total, await textsOf(table, step))}`;
}

/** Why an item stands in the answer, and the cells that say so. */
export async function reasonOfItem(table, reply, item) {
  const last = reply.steps.at(-1);
  if (!last || reply.cells.length === 0) return { text: last?.english ?? "", cells: [] };
  const inside = await textsOf(table, reply);
  if (READS.test(last.program)) {
    const mine = reply.cells.filter((cell) => same(inside.get(`${cell.row},${cell.column}`), item));
    if (mine.length > 0) return { text: `Stands in ${cellPlaces(table, mine)}.`, cells: mine };
  }
  const from = cellList(table, reply.cells, reply.cells_total, inside);
  return { text: `${capital(last.english || last.program)}: from ${many(reply.cells_total, "cell")}. ${from}`, cells: reply.cells };
}

function same(text, item) {
  if (text === undefined) return false;
  if (text === item) return true;
  const [one, other] = [text, item].map((given) => Number(given.replaceAll(",", "")));
  return text !== "" && item !== "" && one === other;
}

function cellPlaces(table, cells) {
  const rows = [...new Set(cells.map((cell) => cell.row))];
  const columns = [...new Set(cells.map((cell) => table.columns[cell.column]?.name || "a column without a name"))];
  return `${columns.join(" and ")}, ${rowList(rows, rows.length).toLowerCase()}`;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
