// What was decided about a file, and how to say otherwise.

import { el, find, sentence } from "./dom.js";

/** A sign by its name: a dot that stands alone is hardly seen. */
const sign = (character) => ({ "\t": "tab", " ": "blank", ".": "dot (.)", ",": "comma (,)", ";": "semicolon (;)" })[character] ?? character;

/** What can be said about a file: its name in the API and on the command line, what it is, and what was decided. */
function sayings(table) {
  const { format, part, parts, encoding, separator, header } = table.decisions;
  const decimals = [...new Set(table.columns.map((column) => column.decimal).filter(Boolean))];
  const none = header === null ? "none, or not a row" : header;
  return [
    ["format", "Format", format, "csv, xlsx, json…"],
    ["sheet", "Sheet or table", part, parts.length > 1 ? parts.join(", ") : ""],
    ["header", "Line with the names", none, "its number, or none"],
    ["encoding", "Encoding", encoding, "utf-8, windows-1252…"],
    ["separator", "Between cells", separator ? sign(separator) : separator, ", ; tab"],
    ["decimal", "Before fractions", decimals.map(sign).join(" and ") || null, ", or ."],
  ];
}

const kinds = (column) => [...new Set(column.readings.map((reading) => reading.kind))].join(", ");

/** Draws it; `again` reads the file once more with what is said, where the page still has it. */
export function drawDecisions(table, again) {
  const place = find("decisions");
  const known = sayings(table);
  const said = known.filter(([, , decided]) => decided !== null && decided !== undefined);
  const { packed, left_out: leftOut, notes } = table.decisions;
  const sentences = [...packed.map((by) => `Packed by ${by}`), ...leftOut, ...notes];
  const columns = table.columns.map((column) => [column.name, [kinds(column), ...(column.written ?? [])].join("; ")]);
  const pairs = (list) => el("dl", {}, list.map(([name, text]) => [el("dt", {}, name), el("dd", {}, String(text))]));
  place.open = false;
  place.replaceChildren(
    el("summary", {}, "How the file was read"),
    pairs(said.map(([, name, decided]) => [name, decided])),
    ...sentences.map((text) => el("p", { class: "hint" }, sentence(text))),
    el("h3", { class: "minor" }, "Columns"), pairs(columns),
    again ? form(known, again) : el("p", { class: "hint" },
      table.source === "given"
        ? "To say otherwise, start the server with --sheet, --header, --encoding, --separator or --decimal."
        : table.source === "upload" ? "To say otherwise, open the file again here." : "This is an example; its file is as it should be."));
}

function form(known, again) {
  const problem = el("div", { role: "alert" });
  const fields = known.map(([what, name, , hint]) =>
    el("label", {}, name, el("input", { name: what, type: "text", autocomplete: "off", placeholder: hint, maxlength: 200 })));
  const made = el("form", { class: "overrule" }, el("h3", { class: "minor" }, "Read it otherwise"), ...fields, problem,
    el("div", { class: "actions" }, el("button", { class: "small" }, "Read again")));
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.replaceChildren();
    const told = new URLSearchParams();
    for (const [what, value] of new FormData(made)) if (value.trim() !== "") told.set(what, value.trim());
    try {
      await again(told);
    } catch (error) {
      problem.replaceChildren(el("p", { class: "problem" }, sentence(error.message)));
    }
  });
  return made;
}
