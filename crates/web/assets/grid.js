// The table, a page at a time, with the cells that matter marked.

import { call, count, el, many } from "./dom.js";

/** Rows and columns of a page. */
const ROWS = 50;
const COLUMNS = 60;

export class Grid {
  /** Shows a table in a place; `fail` is told what goes wrong. */
  constructor(place, table, fail) {
    this.place = place;
    this.table = table;
    this.fail = fail;
    this.from = 0;
    this.column = 0;
    /** What is marked: see `mark`. */
    this.marks = null;
    this.only = false;
    this.asked = 0;
    this.head = el("div", { class: "grid-head" });
    this.scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cells" });
    this.foot = el("div", { class: "grid-foot" });
    place.replaceChildren(this.head, this.scroll, this.foot);
    this.show();
  }

  /**
   * Marks cells. `rows` are the rows that a step gives or uses, `cells` those that it looked at, `label` what it is.
   * Of a table of one page all rows are shown and the others dimmed, of a larger one only the rows that matter.
   */
  mark(marks) {
    this.marks = marks;
    const several = this.table.rows > ROWS;
    this.only = marks !== null && marks.rows.length > 0 && several;
    this.from = 0;
    if (marks && marks.cells.length > 0) {
      const column = marks.cells[0].column;
      const inView = column >= this.column && column < this.column + COLUMNS;
      if (!inView) this.column = Math.floor(column / COLUMNS) * COLUMNS;
    }
    return this.show();
  }

  /** How many rows there are to page through. */
  get total() {
    return this.only ? this.marks.rows.length : this.table.rows;
  }

  async show() {
    const asked = ++this.asked;
    const columns = Math.min(COLUMNS, this.table.columns.length - this.column);
    const query = new URLSearchParams({ column: this.column, columns: Math.max(columns, 1) });
    if (this.only) query.set("rows", this.marks.rows.slice(this.from, this.from + ROWS).join(","));
    else {
      query.set("from", this.from);
      query.set("count", ROWS);
    }
    let page;
    try {
      page = await call(`/api/tables/${encodeURIComponent(this.table.id)}/rows?${query}`);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (asked !== this.asked) return; // another page was asked for meanwhile
    this.draw(page.rows);
  }

  draw(rows) {
    const columns = this.table.columns.slice(this.column, this.column + COLUMNS);
    const numeric = columns.map((_, at) => {
      const texts = rows.map((row) => row.cells[at]).filter((text) => text.trim() !== "");
      return texts.length > 0 && texts.every((text) => /^[-+−]?[$€£]?[\d.,\s]+%?$/.test(text));
    });
    const used = new Set((this.marks?.cells ?? []).map((cell) => `${cell.row},${cell.column}`));
    const kept = this.marks && this.marks.rows.length > 0 ? new Set(this.marks.rows) : null;
    const head = el("tr", {}, el("th", { class: "number", scope: "col" }, el("span", { class: "unseen" }, "Row")),
      columns.map((column, at) => el("th", { scope: "col", class: numeric[at] ? "figure" : "", title: (column.written ?? []).join("; ") || false }, column.name || "(no name)")));
    const body = rows.map(({ row, cells }) => {
      const inside = kept?.has(row) ?? false;
      const line = el("tr", { class: kept ? (inside ? "inside" : "outside") : "", "data-row": row },
        el("th", { class: "number", scope: "row" }, count(row + 1)));
      cells.forEach((text, at) => {
        const isUsed = used.has(`${row},${this.column + at}`);
        const cell = el("td", { class: `${numeric[at] ? "figure" : ""}${isUsed ? " used" : ""}`, title: text.length > 40 ? text : false });
        if (isUsed) cell.append(el("mark", {}, text === "" ? "(empty)" : text));
        else cell.textContent = text;
        line.append(cell);
      });
      return line;
    });
    const table = el("table", {}, el("caption", { class: "unseen" }, this.table.name), el("thead", {}, head), el("tbody", {}, body));
    this.scroll.replaceChildren(table);
    this.drawHead();
    this.drawFoot(rows.length);
    this.reveal();
  }

  /** Scrolls to the first marked cell, inside the table's own box only. */
  reveal() {
    const first = this.scroll.querySelector("td.used");
    if (!first) {
      this.scroll.scrollTo({ top: 0 });
      return;
    }
    const [box, cell] = [this.scroll.getBoundingClientRect(), first.getBoundingClientRect()];
    const [beside, above] = [56, 64]; // the row numbers and the header stay in view
    let { scrollLeft: left, scrollTop: top } = this.scroll;
    if (cell.left < box.left + beside || cell.right > box.right) left += cell.left - box.left - beside - 24;
    if (cell.top < box.top + above || cell.bottom > box.bottom) top += cell.top - box.top - above - 24;
    this.scroll.scrollTo({ left, top });
  }

  drawHead() {
    const marks = this.marks;
    if (!marks) {
      this.head.replaceChildren();
      return;
    }
    const choice = (label, only) =>
      el("button", { type: "button", "aria-pressed": String(this.only === only), onclick: () => this.choose(only) }, label);
    const more = marks.total > marks.rows.length ? `first ${count(marks.rows.length)} of ${count(marks.total)}` : count(marks.rows.length);
    this.head.replaceChildren(
      el("p", { class: "what" }, marks.label),
      marks.rows.length > 0 && this.table.rows > 1
        ? el("div", { class: "switch", role: "group", "aria-label": "Which rows to show" },
          choice("All rows", false), choice(`Only these (${more})`, true))
        : "",
      el("button", { type: "button", class: "small to-steps", onclick: () => {
        const step = document.querySelector(".step[aria-current]") ?? document.querySelector(".step");
        step?.scrollIntoView({ block: "center" });
        step?.focus({ preventScroll: true });
      } }, "Back to the steps"));
  }

  choose(only) {
    this.only = only;
    this.from = 0;
    this.show().then(() => this.head.querySelector("[aria-pressed=true]")?.focus());
  }

  drawFoot(shown) {
    const { total, from } = this;
    const go = (to) => {
      this.from = Math.max(0, Math.min(to, Math.floor((total - 1) / ROWS) * ROWS));
      this.scroll.scrollTo({ top: 0 });
      this.show();
    };
    const parts = [];
    if (total > ROWS) {
      const wanted = el("input", { id: "row-wanted", type: "number", min: 1, max: total, inputmode: "numeric" });
      parts.push(
        el("button", { type: "button", class: "small", disabled: from === 0, onclick: () => go(from - ROWS) }, "Previous"),
        el("span", { class: "quiet" }, `${count(from + 1)}–${count(from + shown)} of ${count(total)}`),
        el("button", { type: "button", class: "small", disabled: from + ROWS >= total, onclick: () => go(from + ROWS) }, "Next"),
        el("form", { class: "jump", onsubmit: (event) => {
          event.preventDefault();
          if (wanted.value) go(Math.floor((Number(wanted.value) - 1) / ROWS) * ROWS);
        } }, el("label", { for: "row-wanted" }, "Row"), wanted, el("button", { class: "small" }, "Go")));
    } else if (total > 0) {
      parts.push(el("span", { class: "quiet" }, many(total, "row")));
    }
    const columns = this.table.columns.length;
    if (columns > COLUMNS) {
      const turn = (to) => {
        this.column = to;
        this.show();
      };
      parts.push(el("span", { class: "turn" },
        el("button", { type: "button", class: "small", disabled: this.column === 0, onclick: () => turn(Math.max(0, this.column - COLUMNS)) }, "Columns before"),
        el("span", { class: "quiet" }, `columns ${count(this.column + 1)}–${count(Math.min(this.column + COLUMNS, columns))} of ${count(columns)}`),
        el("button", { type: "button", class: "small", disabled: this.column + COLUMNS >= columns, onclick: () => turn(this.column + COLUMNS) }, "Columns after")));
    }
    this.foot.replaceChildren(...parts);
  }
}
