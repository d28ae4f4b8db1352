// Questions asked before: in this browser tab only, and gone with it.

import { el, find } from "./dom.js";
import { short } from "./answer.js";

/** Answers kept for one table. */
const KEPT = 30;

export class History {
  /** The questions asked of a table; `show` is called with an answer that is to be seen again. */
  constructor(table, show) {
    this.place = `mapo-history-${table.id}`;
    this.show = show;
    try {
      this.all = JSON.parse(sessionStorage.getItem(this.place) ?? "[]");
    } catch {
      this.all = [];
    }
    this.recalled = -1;
  }

  add(reply) {
    this.all = [reply, ...this.all.filter((known) => known.question !== reply.question)].slice(0, KEPT);
    this.recalled = -1;
    try {
      sessionStorage.setItem(this.place, JSON.stringify(this.all));
    } catch {
      // Too much, or forbidden: then they are kept as long as the page is open.
    }
  }

  /** What was answered to a question. */
  find(question) {
    return this.all.find((reply) => reply.question === question);
  }

  forget() {
    this.all = [];
    try {
      sessionStorage.removeItem(this.place);
    } catch {
      // There was none.
    }
  }

  /** The question before or after the one recalled last, as a terminal does it. */
  recall(step) {
    this.recalled = Math.max(-1, Math.min(this.all.length - 1, this.recalled + step));
    return this.all[this.recalled]?.question ?? "";
  }

  /** Lists all but the answer that is shown. */
  draw(current) {
    const earlier = this.all.filter((reply) => reply !== current);
    find("history-box").hidden = earlier.length === 0;
    find("history").replaceChildren(...earlier.map((reply) =>
      el("li", {}, el("button", { type: "button", onclick: () => this.show(reply) },
        el("span", {}, reply.question), el("span", { class: "quiet" }, short(reply))))));
    return earlier.length > 0;
  }
}
