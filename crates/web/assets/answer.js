// An answer: what it is, how sure, and how it was found, step by step.

import { copyButton, count, el, many, percent } from "./dom.js";
import { fileQuery } from "./file_query.js";
import { reasonOfItem, reasonOfStep } from "./reasons.js";
import { explained } from "./tip.js";

/** Items of an answer that are shown large, and at all. */
const LARGE = 3;
const SHOWN = 24;

/**
 * Draws an answer and, in a place of its own, how it was found. `picked` is called with the number of a step, what of the
 * table it concerns and whether it was picked by a key, `other` with a runner-up that is to be shown instead, `ask` with a
 * question that can be asked instead, `point` with cells that something is told about. `link` is its address, `correct` the
 * place where it can be corrected.
 */
export function drawAnswer({ answer, how }, table, reply, { picked, other, ask, point, link, correct }) {
  const guess = reply.probability !== undefined && !reply.sure;
  answer.classList.toggle("unsure", guess);
  answer.replaceChildren(...[
    el("p", { class: "asked" }, reply.question ?? "Your program"),
    headline(table, reply, guess, ask, point),
    reply.probability === undefined || reply.program === "" ? "" : meter(reply),
    (reply.column_notes ?? reply.notes ?? []).map((note) => el("p", { class: "took" }, `Note: ${note}.`)),
    reply.left_out ? el("p", { class: "took" }, `Note: ${reply.left_out}.`) : "",
    correct ?? "",
    el("p", { class: "took foot" }, reply.milliseconds === undefined ? "" : el("span", {}, `Found in ${time(reply.milliseconds)}`),
      link ? copyButton(new URL(link, location.href).href, "a link to this answer", "Copy link") : ""),
  ].flat());
  const parts = [
    reply.steps.length > 0 ? steps(table, reply, picked, point) : "",
    reply.sql ? code("SQL", reply.sql, "for the table that “mapo sql” makes, in SQLite or DuckDB") : "",
    reply.program ? fileQuery(table, reply.program) : "",
    reply.program ? code("Program", reply.program.replaceAll(") (", ")\n("), "in mapo’s own language") : "",
    runnersUp(reply.alternatives ?? [], other),
  ].filter((part) => part !== "");
  how.hidden = parts.length === 0;
  how.replaceChildren(...parts);
}

const time = (milliseconds) =>
  milliseconds < 1000 ? `${count(Math.max(1, Math.round(milliseconds)))} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

function headline(table, reply, guess, ask, point) {
  const answer = reply.shown ?? reply.answer;
  const missing = (reply.unknown ?? []).map((name) => el("p", { class: "badge" }, `There is no “${name}” in this table.`));
  if (answer.length === 0) {
    const why = reply.program === "" ? `I cannot answer that: ${reply.note ?? "I found no way to do it"}.` : "Nothing in the table fits.";
    const other = (reply.suggestions ?? []).map((question) =>
      el("li", {}, el("button", { type: "button", onclick: () => ask(question) }, question)));
    return [missing, el("p", { class: "answer none" }, why),
      other.length > 0 ? [el("p", { class: "hint" }, "You can ask, for instance:"), el("ul", { class: "chips" }, other)] : ""].flat();
  }
  const label = guess ? el("p", { class: "badge" }, "I am not sure. My best guess:") : "";
  if (answer.length <= LARGE && answer.join("").length < 120) {
    const long = answer.join(", ").length > 28;
    return [...missing, label, el("p", { class: `answer${long ? " long" : ""}` }, answer.map((item, at) => [at > 0 ? el("span", { class: "comma" }, ", ") : "", told(el("span", { class: "item" }), table, reply, item, point)]))];
  }
  const total = reply.answer_total ?? answer.length;
  const items = answer.slice(0, SHOWN).map((item) => told(el("li", { class: "item" }), table, reply, item, point));
  if (total > SHOWN) items.push(el("li", { class: "quiet" }, `and ${count(total - SHOWN)} more`));
  return [...missing, label, el("p", { class: "answer long" }, many(total, "item")), el("ul", { class: "items" }, items)];
}

/** An item of the answer that tells where it comes from while it is pointed at or focused. */
function told(place, table, reply, item, point) {
  place.append(item === "" ? "(empty)" : item);
  if (reply.steps.length === 0) return place;
  place.tabIndex = 0;
  let on = false;
  return explained(place, async () => {
    const { text, cells } = await reasonOfItem(table, reply, item);
    if (on) point(cells);
    return text;
  }, (begins) => {
    on = begins;
    if (!begins) point(null);
  });
}

function meter(reply) {
  const share = Math.max(0, Math.min(1, reply.probability));
  const bar = el("span", { class: "fill" });
  bar.style.width = `${(100 * share).toFixed(1)}%`;
  return el("div", { class: "sure" },
    el("div", { class: "track", role: "meter", "aria-label": "How sure", "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(100 * share) }, bar),
    el("span", {}, reply.calibrated === false ? `${percent(share)} by its own estimate` : `${percent(share)} sure`));
}

/** The steps: one is picked by a click or with the arrow keys. */
function steps(table, reply, picked, point) {
  const buttons = reply.steps.map((step, at) =>
    el("button", { type: "button", class: "step", tabindex: at === 0 ? 0 : -1, "data-step": at, onclick: () => pick(at) },
      el("span", { class: "nr", "aria-hidden": "true" }, at + 1),
      el("span", { class: "says" }, step.english || step.program),
      el("span", { class: "gives" }, gives(step))));
  buttons.forEach((button, at) => explained(button, () => reasonOfStep(table, reply.steps[at]),
    (begins) => point(begins ? reply.steps[at].cells : null)));
  const pick = (at, focus = false) => {
    const again = buttons[at].getAttribute("aria-current") === "step" && !focus;
    buttons.forEach((button, place) => {
      const current = place === at && !again;
      if (current) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      button.tabIndex = place === at ? 0 : -1;
    });
    if (focus) buttons[at].focus();
    if (again) picked(null, whole(reply), focus);
    else picked(at, concerns(reply.steps[at], at), focus);
  };
  const list = el("ol", { class: "steps" }, buttons.map((button) => el("li", {}, button)));
  list.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    pick(Math.max(0, Math.min(buttons.length - 1, to)), true);
  });
  return el("section", { "aria-label": "How it was found" },
    el("h3", { class: "minor" }, "How it was found"), list,
    el("p", { class: "hint" }, "Pick a step to see its rows; the arrow keys go from one to the next."));
}

/** What a step gives, in a few words. */
function gives(step) {
  if (step.rows) return many(step.rows_total, "row");
  if (step.values_total === 0) return "nothing";
  const first = step.values[0].length > 24 ? `${step.values[0].slice(0, 23)}…` : step.values[0];
  return step.values_total === 1 ? first : many(step.values_total, "value");
}

/** What of the table a step concerns. */
function concerns(step, at) {
  const rows = step.rows ?? [...new Set(step.cells.map((cell) => cell.row))];
  const total = step.rows ? step.rows_total : Math.max(rows.length, step.cells_total > step.cells.length ? step.cells_total : 0);
  return { rows, total, cells: step.cells, label: `Step ${at + 1}: ${step.english || step.program}`, wanted: rows.length > 0 ? { rows: rows.slice(0, 500).join(",") } : {} };
}

/** What of the table the whole answer rests on. */
export function whole(reply) {
  if (!reply.cells || reply.cells.length === 0) return null;
  const rows = [...new Set(reply.cells.map((cell) => cell.row))].sort((one, other) => one - other);
  const before = reply.steps.flatMap((step) => step.cells);
  return { rows, total: rows.length, cells: reply.cells, before, label: "The cells behind the answer", wanted: { program: reply.program } };
}

function code(name, text, about) {
  return el("details", { class: "code" },
    el("summary", {}, name, el("span", { class: "quiet" }, ` ${about}`)),
    el("div", { class: "block" }, el("pre", { tabindex: 0, "aria-label": name }, el("code", {}, text)), copyButton(text, name)));
}

function runnersUp(alternatives, other) {
  const real = alternatives.filter((alternative) => alternative.program);
  if (real.length === 0) return "";
  return el("section", { "aria-label": "Other answers" },
    el("h3", { class: "minor" }, "Other answers it thought of"),
    el("ul", { class: "others" }, real.map((alternative) =>
      el("li", {}, el("button", { type: "button", title: "See how it is found", onclick: () => other(alternative) },
        el("span", { class: "what" }, short(alternative)),
        el("span", { class: "share" }, percent(alternative.probability)),
        el("span", { class: "why" }, alternative.english || alternative.program))))));
}

/** An answer in one line. */
export function short({ answer: items, shown, answer_total: total }) {
  const answer = shown ?? items;
  if (answer.length === 0) return "nothing";
  const line = answer.slice(0, 3).join(", ");
  const cut = line.length > 80 ? `${line.slice(0, 79)}…` : line;
  return (total ?? answer.length) > 3 ? `${cut} and ${count((total ?? answer.length) - 3)} more` : cut;
}
