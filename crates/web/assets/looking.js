// Looking for rows: words to search for, a filter for each column, a column to sort by, and the rows as a file.

import { count, el, many } from "./dom.js";

/** Typing is over when nothing was typed for so long, in milliseconds. */
const PAUSE = 250;

/** What is looked for in a table. */
export class Looking {
  /** `changed` is called when something else is looked for. */
  constructor(table, changed) {
    this.table = table;
    this.changed = changed;
    this.words = "";
    this.filters = new Map();
    this.sort = null;
    this.search = el("input", { type: "search", class: "search", placeholder: "Search the rows", "aria-label": "Search the rows", maxlength: 200,
      oninput: () => this.later(() => (this.words = this.search.value)) });
    this.unfold = el("button", { type: "button", class: "small", "aria-expanded": "false", onclick: () => this.open(!this.isOpen) }, "Filter");
    this.clear = el("button", { type: "button", class: "small", hidden: true, onclick: () => this.reset() }, "Show all");
    this.found = el("span", { class: "quiet found", role: "status" });
    this.file = el("a", { class: "small", download: true }, "Download CSV");
    this.isOpen = false;
    this.element = el("div", { class: "looking" }, this.search, this.unfold, this.clear, this.found, this.file);
  }

  /** Whether rows are left out or in another order. */
  get isPlain() {
    return this.words.trim() === "" && this.sort === null && [...this.filters.values()].every((text) => text.trim() === "");
  }

  /** Does something once typing is over. */
  later(change) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      change();
      this.changed();
    }, PAUSE);
  }

  open(isOpen) {
    this.isOpen = isOpen;
    this.unfold.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) this.filters.clear();
    this.changed().then(() => isOpen && document.querySelector(".filters input")?.focus());
  }

  reset() {
    this.words = this.search.value = "";
    this.filters.clear();
    this.sort = null;
    this.changed();
    this.search.focus();
  }

  /** Up, down, and as it stands in the file. */
  sortBy(column) {
    const now = this.sort?.column === column ? this.sort : null;
    this.sort = !now ? { column, down: false } : now.down ? null : { column, down: true };
    this.changed();
  }

  /** The same as parts of an address. */
  query() {
    const query = {};
    if (this.words.trim() !== "") query.search = this.words.trim();
    const tests = [...this.filters].filter(([, text]) => text.trim() !== "");
    if (tests.length > 0) query.where = JSON.stringify(Object.fromEntries(tests));
    if (this.sort) Object.assign(query, { sort: this.sort.column, order: this.sort.down ? "down" : "up" });
    return query;
  }

  /** Says how many rows were found, and where they are as a file. */
  tell(found, of, wanted) {
    this.clear.hidden = this.isPlain;
    this.found.textContent = this.words.trim() === "" && this.filters.size === 0 ? "" : `${count(found)} of ${many(of, "row")}`;
    const query = new URLSearchParams({ ...wanted, ...this.query() });
    this.file.href = `/api/tables/${encodeURIComponent(this.table.id)}/csv?${query}`;
    this.file.textContent = wanted.program ? "The answer’s rows as CSV" : wanted.rows ? "The step’s rows as CSV" : "Download CSV";
  }

  /** A header that sorts. */
  header(column, at, properties) {
    const sorted = this.sort?.column === at ? (this.sort.down ? "descending" : "ascending") : null;
    const arrow = el("span", { class: "arrow", "aria-hidden": "true" }, sorted === "ascending" ? "▲" : sorted ? "▼" : "");
    const button = el("button", { type: "button", class: "sort", "data-sort": at, onclick: () => this.sortBy(at) }, column.name || "(no name)", arrow);
    return el("th", { scope: "col", "aria-sort": sorted ?? false, ...properties }, button);
  }

  /** A row of filters below the headers; none while they are folded away. */
  row(columns) {
    if (!this.isOpen) return "";
    const field = (at) => {
      const column = this.table.columns[at];
      const of = (kind) => column.readings.filter((reading) => reading.kind === kind).length;
      // A date has several numbers in it; a year is a number.
      const hint = of("date") > 0 && of("number") !== 1 ? ">=2024-03" : of("number") > 0 ? ">100" : "words";
      const input = el("input", { type: "text", "data-filter": at, value: this.filters.get(at) ?? "", placeholder: hint, maxlength: 200, "aria-label": `Filter ${column.name || "a column without a name"}` });
      input.addEventListener("input", () => this.later(() => this.filters.set(at, input.value)));
      return el("th", { class: "filter" }, input);
    };
    return el("tr", { class: "filters" }, el("th", { class: "number" }), columns.map(field));
  }
}

/** Where the focus is within what is drawn anew, so that it can go on there. */
export function focusWithin(place) {
  const element = document.activeElement;
  if (!place.contains(element)) return () => {};
  const key = ["data-filter", "data-sort"].find((name) => element.hasAttribute(name));
  if (!key) return () => {};
  const css = `[${key}="${element.getAttribute(key)}"]`;
  const typed = key === "data-filter" ? [element.value, element.selectionStart] : null;
  return () => {
    const again = place.querySelector(css);
    if (!again) return;
    again.focus({ preventScroll: true });
    if (typed) {
      again.value = typed[0];
      again.setSelectionRange(typed[1], typed[1]);
    }
  };
}
