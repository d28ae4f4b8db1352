// The table, a page at a time, with the cells that matter marked.

import { call, count, el, many } from "./dom.js";
import { Looking, focusWithin } from "./looking.js";

/** Rows and columns of a page. */
const ROWS = 50;
const COLUMNS = 60;

export class Grid {
  /** Shows a table in a place; `fail` is told what goes wrong, and nothing when nothing does any more. */
  constructor(place, table, fail) {
    this.table = table;
    this.fail = fail;
    this.from = 0;
    this.column = 0;
    /** What is marked: see `mark`. */
    this.marks = null;
    this.only = false;
    /** Whether the columns that matter come first, and whether somebody has chosen that. */
    this.front = false;
    this.chosen = null;
    this.asked = 0;
    this.looking = new Looking(table, () => {
      this.from = 0;
      return this.show();
    });
    this.head = el("div", { class: "grid-head" });
    this.scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cells" });
    this.foot = el("div", { class: "grid-foot" });
    place.replaceChildren(this.head, this.looking.element, this.scroll, this.foot);
    this.show();
  }

  /**
   * Marks cells. `rows` are the rows that a step gives or uses, `cells` those that it looked at, `before` those that were
   * looked at on the way, `label` what it is, `wanted` how its rows are asked for as a file. Of a table of one page all
   * rows are shown and the others dimmed, of a larger one, and on a phone, only the rows that matter.
   */
  mark(marks) {
    this.marks = marks;
    const several = this.table.rows > ROWS || matchMedia("(max-width: 40rem)").matches;
    this.only = marks !== null && marks.rows.length > 0 && several;
    this.from = this.column = 0;
    this.front = this.chosen ?? false;
    return this.show();
  }

  /** The columns that matter, in the order of the file. */
  get important() {
    const cells = [...(this.marks?.cells ?? []), ...(this.marks?.before ?? [])];
    return [...new Set(cells.map((cell) => cell.column))].sort((one, other) => one - other);
  }

  /** The columns in the order in which they are shown, those of this page. */
  get columns() {
    const all = this.table.columns.map((_, at) => at);
    const first = this.front ? this.important : [];
    const order = [...first, ...all.filter((at) => !first.includes(at))];
    return order.slice(this.column, this.column + COLUMNS);
  }

  async show() {
    const asked = ++this.asked;
    const columns = this.columns;
    const query = new URLSearchParams({ from: this.from, count: ROWS, pick: columns.join(","), ...this.looking.query() });
    if (this.only) query.set("rows", this.marks.rows.slice(0, 500).join(","));
    let page;
    try {
      page = await call(`/api/tables/${encodeURIComponent(this.table.id)}/rows?${query}`);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (asked !== this.asked) return; // another page was asked for meanwhile
    this.fail(null);
    this.found = page.found;
    this.draw(columns, page.rows);
    // Columns that matter and cannot be seen together come first.
    if (!this.front && this.chosen === null && !this.inView()) {
      this.front = true;
      await this.show();
    }
  }

  draw(columns, rows) {
    const numeric = columns.map((_, at) => {
      const texts = rows.map((row) => row.cells[at]).filter((text) => text.trim() !== "");
      return texts.length > 0 && texts.every((text) => /^[-+−]?[$€£]?[\d.,\s]+%?$/.test(text));
    });
    const places = (cells) => new Set((cells ?? []).map((cell) => `${cell.row},${cell.column}`));
    const [used, looked] = [places(this.marks?.cells), places(this.marks?.before)];
    const kept = this.marks && this.marks.rows.length > 0 ? new Set(this.marks.rows) : null;
    const refocus = focusWithin(this.scroll);
    const head = el("tr", {}, el("th", { class: "number", scope: "col" }, el("span", { class: "unseen" }, "Row")),
      columns.map((column, at) => this.looking.header(this.table.columns[column], column, {
        class: numeric[at] ? "figure" : "", "data-column": column, title: (this.table.columns[column].written ?? []).join("; ") || false,
      })));
    const body = rows.map(({ row, cells }) => {
      const inside = kept?.has(row) ?? false;
      const line = el("tr", { class: kept ? (inside ? "inside" : "outside") : "", "data-row": row },
        el("th", { class: "number", scope: "row" }, count(row + 1)));
      cells.forEach((text, at) => {
        const place = `${row},${columns[at]}`;
        const isUsed = used.has(place);
        const kind = isUsed ? " used" : looked.has(place) ? " looked" : "";
        const cell = el("td", { class: `${numeric[at] ? "figure" : ""}${kind}`, "data-cell": place, title: text.length > 40 ? text : false });
        if (isUsed) cell.append(el("mark", {}, text === "" ? "(empty)" : text));
        else cell.textContent = text;
        line.append(cell);
      });
      return line;
    });
    if (body.length === 0) body.push(el("tr", {}, el("th", { class: "number" }), el("td", { class: "nothing", colspan: Math.max(columns.length, 1) }, "No row fits what is looked for.")));
    const table = el("table", {}, el("caption", { class: "unseen" }, this.table.name),
      el("thead", {}, head, this.looking.row(columns)), el("tbody", {}, body));
    this.scroll.replaceChildren(table);
    refocus();
    this.drawHead();
    this.drawFoot(rows.length);
    const of = this.only ? this.marks.rows.length : this.table.rows;
    this.looking.tell(this.found, of, this.only || this.marks?.total ? this.marks?.wanted ?? {} : {});
    this.reveal();
  }

  /** Whether all columns that matter can be seen together. */
  inView() {
    const columns = this.important;
    const heads = columns.map((at) => this.scroll.querySelector(`th[data-column="${at}"]`));
    if (heads.some((head) => !head)) return false;
    const boxes = heads.map((head) => head.getBoundingClientRect());
    const room = this.scroll.clientWidth - 72; // the row numbers stay
    return boxes.length === 0 || Math.max(...boxes.map((box) => box.right)) - Math.min(...boxes.map((box) => box.left)) <= room;
  }

  /** Scrolls to the first marked cell, inside the table's own box only. */
  reveal() {
    const first = this.scroll.querySelector("td.used");
    if (!first) {
      this.scroll.scrollTo({ top: 0 });
      return;
    }
    const box = this.scroll.getBoundingClientRect();
    const marked = [...this.scroll.querySelectorAll("td.used, td.looked")].map((cell) => cell.getBoundingClientRect());
    const [beside, above] = [56, 64]; // the row numbers and the header stay in view
    let { scrollLeft: left, scrollTop: top } = this.scroll;
    const [from, to] = [Math.min(...marked.map((cell) => cell.left)), Math.max(...marked.map((cell) => cell.right))];
    if (from < box.left + beside || to > box.right) left += from - box.left - beside - 24;
    const cell = first.getBoundingClientRect();
    if (cell.top < box.top + above || cell.bottom > box.bottom) top += cell.top - box.top - above - 24;
    this.scroll.scrollTo({ left, top });
  }

  /** Points at cells, as long as something about them is told. */
  point(cells) {
    this.scroll.querySelectorAll("td.pointed").forEach((cell) => cell.classList.remove("pointed"));
    for (const { row, column } of cells ?? []) {
      this.scroll.querySelector(`td[data-cell="${row},${column}"]`)?.classList.add("pointed");
    }
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
    const turn = () => {
      this.chosen = !this.front;
      this.front = this.chosen;
      this.column = 0;
      this.show().then(() => this.head.querySelector(".order")?.focus());
    };
    this.head.replaceChildren(
      el("p", { class: "what" }, marks.label),
      marks.rows.length > 0 && this.table.rows > 1
        ? el("div", { class: "switch", role: "group", "aria-label": "Which rows to show" },
          choice("All rows", false), choice(`Only these (${more})`, true))
        : "",
      this.front || this.chosen !== null
        ? el("button", { type: "button", class: "small order", onclick: turn }, this.front ? "Columns as in the file" : "Columns that matter first")
        : "",
      el("button", { type: "button", class: "small to-steps", onclick: () => {
        const step = document.querySelector(".step[aria-current]") ?? document.querySelector(".step");
        step?.scrollIntoView({ block: "center" });
        step?.focus({ preventScroll: true });
      } }, "To the steps"));
  }

  choose(only) {
    this.only = only;
    this.from = 0;
    this.show().then(() => this.head.querySelector("[aria-pressed=true]")?.focus());
  }

  drawFoot(shown) {
    const { found: total, from } = this;
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
        this.chosen ??= this.front;
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
