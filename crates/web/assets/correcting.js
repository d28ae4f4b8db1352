// What the person says about an answer: right, or what would have been; and learning from it.

import { short } from "./answer.js";
import { call, el, find, many, post, sentence } from "./dom.js";

/** How often it is asked how far learning is, in milliseconds. */
const LOOK = 500;

export class Correcting {
  /** The corrections of a table; `tell` announces, `ask` asks a question again. */
  constructor(table, { tell, ask }) {
    this.address = `/api/tables/${encodeURIComponent(table.id)}`;
    this.tell = tell;
    this.ask = ask;
    this.about = null;
    this.state = el("div", { class: "lesson", tabindex: -1, role: "group", "aria-label": "Learning from corrections" });
    this.known = this.look();
  }

  async look() {
    try {
      this.about = await call(`${this.address}/corrections`);
    } catch {
      this.about = null; // The table has gone, which whoever asks it is told.
    }
    this.drawState();
    if (this.about?.learning?.state === "learning") setTimeout(() => this.look(), LOOK);
  }

  /** The place under an answer where it can be corrected. */
  draw(reply) {
    const place = el("section", { class: "correcting", "aria-label": "Is this right?" });
    this.reply = reply;
    this.known.then(() => this.fill(place, reply));
    return place;
  }

  fill(place, reply) {
    if (!this.about) return;
    if (!this.about.kept) {
      place.replaceChildren(el("p", { class: "hint" }, sentence(this.about.note)));
      return;
    }
    const isNone = reply.program === "";
    const whole = reply.answer.length > 0 && (reply.answer_total ?? reply.answer.length) === reply.answer.length;
    const right = el("button", { type: "button", class: "small right", disabled: !whole, onclick: () => this.keep(reply, reply.answer, place) }, "Yes");
    const form = this.form(reply, place);
    const wrong = el("button", { type: "button", class: "small wrong", "aria-expanded": "false" }, isNone ? "I do" : "No");
    wrong.addEventListener("click", () => {
      form.hidden = !form.hidden;
      wrong.setAttribute("aria-expanded", String(!form.hidden));
      if (!form.hidden) form.querySelector("input").focus({ preventScroll: true });
    });
    this.said = el("p", { class: "hint said", role: "status" });
    place.replaceChildren(
      el("div", { class: "verdict" }, el("span", {}, isNone ? "Do you know the answer?" : "Is this right?"), isNone ? "" : right, wrong),
      form, this.said, this.state);
    this.drawState();
  }

  /** What is right instead: one of the others, a cell, or what is typed. */
  form(reply, place) {
    const input = el("input", { id: "right-answer", type: "text", autocomplete: "off", maxlength: 5000 });
    const others = (reply.alternatives ?? []).filter((other) => other.answer.length > 0 && other.answer.length === other.answer_total);
    const form = el("form", { class: "instead", hidden: true },
      others.length === 0 ? "" : [el("p", { class: "hint", id: "others-title" }, "Is it one of these?"),
        el("ul", { class: "chips", "aria-labelledby": "others-title" }, others.map((other) =>
          el("li", {}, el("button", { type: "button", onclick: () => this.keep(reply, other.answer, place) }, short(other)))))],
      el("label", { for: "right-answer" }, `${others.length === 0 ? "Type" : "If not, type"} what is right, or click its cell in the table; a semicolon between several items.`),
      el("div", { class: "ask-again" }, input, el("button", { class: "small" }, "Keep")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const answer = input.value.split(";").map((item) => item.trim()).filter((item) => item !== "");
      if (answer.length === 0) {
        this.said.textContent = "Say what is right first.";
        input.focus();
        return;
      }
      this.keep(reply, answer, place);
    });
    this.pick = (text) => {
      if (form.hidden) return;
      const before = input.value.trim();
      input.value = before === "" ? text : `${before}; ${text}`;
      input.focus({ preventScroll: true });
    };
    return form;
  }

  async keep(reply, answer, place) {
    const form = place.querySelector("form");
    try {
      const { file, corrections, replaced } = await post(`${this.address}/corrections`, { question: reply.question, answer });
      this.about = { ...this.about, corrections };
      const instead = replaced ? ", instead of what was said before" : "";
      this.said.textContent = `Kept${instead}: ${short({ answer, answer_total: answer.length })}. It stays on the machine that runs mapo, in ${file}.`;
      this.tell("Kept.");
      const wasInside = form.contains(document.activeElement);
      form.hidden = true;
      place.querySelector(".wrong").setAttribute("aria-expanded", "false");
      this.drawState();
      // Who uses the keyboard goes on with what comes next.
      if (wasInside) (this.state.querySelector(".learn") ?? place.querySelector(".wrong")).focus({ preventScroll: true });
    } catch (error) {
      this.said.textContent = sentence(error.message);
    }
  }

  async learn() {
    try {
      this.about = await post(`${this.address}/learn`, {});
      this.tell("Learning…");
      this.drawState();
      setTimeout(() => this.look(), LOOK);
    } catch (error) {
      this.state.replaceChildren(el("p", { class: "hint" }, sentence(error.message)), this.button());
    }
  }

  button() {
    const { corrections } = this.about;
    return el("button", { type: "button", class: "small learn", onclick: () => this.learn() }, `Learn from ${many(corrections, "correction")}`);
  }

  drawState() {
    const { corrections, learns, learnt, learning } = this.about ?? {};
    const parts = [];
    if (learning?.state === "learning") {
      parts.push(el("p", { class: "hint" }, "Learning… You can go on asking meanwhile."),
        el("progress", learning.of > 0 ? { max: learning.of, value: learning.step, "aria-label": "Learning" } : { "aria-label": "Learning" }));
    } else {
      if (learning?.state === "failed") parts.push(el("p", { class: "hint" }, `Nothing was learnt: ${sentence(learning.error)}`));
      if (learning?.state === "done") parts.push(this.report(learning.report));
      else if (learnt) parts.push(el("p", { class: "hint" }, "A model that learnt from corrections of this table answers."));
      if (learns && corrections > 0) parts.push(this.button());
    }
    const ended = this.before === "learning" && learning?.state !== "learning";
    this.before = learning?.state;
    // The focus is not lost with what had it.
    const hadFocus = this.state.contains(document.activeElement);
    this.state.replaceChildren(...parts);
    if (hadFocus) (this.state.querySelector("button") ?? this.state).focus({ preventScroll: true });
    if (ended) this.tell(this.state.textContent);
  }

  report(report) {
    const line = (name, score) => (score ? `${name}: ${score.before} of ${score.questions} right before, ${score.after} after. ` : "");
    const kept = report.better ? "The new model answers from now on. " : `The old model stays: ${report.why}. `;
    const unsolved = report.unsolved.map((question) => `No program was found for “${question}”. `);
    const asked = this.reply?.question;
    return el("div", {},
      el("p", { class: "hint learnt" }, line("Corrections", report.corrections), line("Kept apart", report.apart), line("Made questions", report.made), kept, ...unsolved),
      asked && report.better ? el("button", { type: "button", class: "small again", onclick: () => this.ask(asked) }, "Ask again") : "");
  }
}

/** A click on a cell of the table can be the right answer. */
export function pickCells(correcting) {
  find("grid").addEventListener("click", (event) => {
    const cell = event.target.closest?.("tbody td");
    if (cell) correcting()?.pick?.(cell.textContent.trim());
  });
}
