// The page: a table is chosen, questions are asked, answers are shown.

import { drawAnswer, short, whole } from "./answer.js";
import { Correcting, pickCells } from "./correcting.js";
import { drawDecisions } from "./decisions.js";
import { call, el, find, many, percent, post, sentence } from "./dom.js";
import { Grid } from "./grid.js";
import { History } from "./history.js";
import * as link from "./link.js";
import { welcome } from "./open.js";

const tell = (text) => (find("status").textContent = text);
const opening = welcome((id) => open(id, true), tell);

/** The open table, its view, and the questions asked so far. */
let table = null;
let grid = null;
let history = null;
let asking = null;
let correcting = null;
pickCells(() => correcting);

const fail = (place) => (error) => {
  if (error === null) return find(place).replaceChildren();
  if (error.name === "AbortError") return;
  find(place).replaceChildren(el("p", { class: "problem" }, sentence(error.message)));
};

// Tables

async function open(id, remember) {
  const wanted = remember ? {} : link.read();
  try {
    table = await call(`/api/tables/${encodeURIComponent(id)}`);
  } catch (error) {
    await showWelcome(remember);
    opening.fail(error.status === 404 ? new Error(link.gone(wanted)) : error);
    return;
  }
  if (remember) link.go(link.write(table));
  tell(`${table.name} is open: ${many(table.rows, "row")}.`);
  document.title = `${table.name}: mapo`;
  find("welcome").hidden = true;
  find("work").hidden = false;
  find("answer").hidden = find("how").hidden = true;
  find("ask-problem").replaceChildren();
  find("program-problem").replaceChildren();
  find("table-name").textContent = table.name;
  const left = table.left_out ? `; ${table.left_out}` : "";
  // How numbers and dates were read where that had to be decided; all of it stands at the headers.
  const written = table.columns.flatMap((column) => (column.written ?? []).map((said) => `; ${column.name}: ${said}`)).slice(0, 3).join("");
  find("table-size").textContent = `${many(table.rows, "row")}, ${many(table.columns.length, "column")}${left}${written}`;
  find("forget").hidden = table.source !== "upload";
  suggest(table);
  find("program-hint").textContent = `Columns are called ${table.columns.slice(0, 3).map((column) => column.readings[0]?.program).join(", ")} and so on.`;
  find("program").placeholder = `(hop all_rows ${table.columns[0]?.readings[0]?.program ?? ""})`;
  find("question").value = "";
  drawDecisions(table, opening.again(table.id));
  correcting = new Correcting(table, { tell, ask });
  grid = new Grid(find("grid"), table, fail("grid-problem"));
  history = new History(table, (reply) => {
    find("question").value = reply.question;
    link.go(link.write(table, reply.question));
    show(reply);
  });
  drawHistory();
  find("question").focus({ preventScroll: true });
  scrollTo({ top: 0 });
  await goOn(wanted);
}

/** Asks what a link says, or what waited for this table. */
async function goOn({ name, question }) {
  const waited = link.take(table.name);
  if (waited) return ask(waited);
  if (!question) return;
  find("question").value = question;
  if (name && name !== table.name) {
    return fail("ask-problem")(new Error(`This link was made for “${name}”, and the table here is “${table.name}”. Ask if it is the same one`));
  }
  const known = history.find(question);
  return known ? show(known) : ask(question);
}

/** Questions to begin with: those of an example, or what the model is known to answer. They may take a moment. */
async function suggest(mine) {
  const draw = (questions) => find("suggestions").replaceChildren(...questions.map((question) =>
    el("li", {}, el("button", { type: "button", onclick: () => ask(question) }, question))));
  draw(mine.questions);
  if (mine.questions.length > 0) return;
  try {
    const { questions } = await call(`/api/tables/${encodeURIComponent(mine.id)}/suggestions`);
    if (table === mine) draw(questions);
  } catch {
    // Nobody asked for them, so nobody is told that there are none.
  }
}

async function showWelcome(remember) {
  asking?.abort();
  table = null;
  if (remember) link.go("/");
  document.title = "mapo: ask a table";
  find("work").hidden = true;
  find("welcome").hidden = false;
  await opening.refresh();
}

find("back").addEventListener("click", (event) => {
  event.preventDefault();
  showWelcome(true);
});
find("forget").addEventListener("click", async () => {
  try {
    await call(`/api/tables/${encodeURIComponent(table.id)}`, { method: "DELETE" });
    history.forget();
    tell(`${table.name} is forgotten.`);
    await showWelcome(true);
  } catch (error) {
    fail("ask-problem")(error);
  }
});

// Questions

find("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  ask(find("question").value);
});

async function ask(question) {
  const asked = question.trim();
  find("question").value = question;
  if (asked === "") {
    fail("ask-problem")(new Error("Type a question first, for instance how many rows there are"));
    find("question").focus();
    return;
  }
  const reply = await wait(`/api/tables/${encodeURIComponent(table.id)}/ask`, { question: asked }, "ask-problem");
  if (!reply) return;
  history.add(reply);
  link.go(link.write(table, asked));
  show(reply);
}

/** Sends something that takes a moment; nothing comes of what was asked before. */
async function wait(path, object, problems) {
  asking?.abort();
  const mine = (asking = new AbortController());
  find("ask-problem").replaceChildren();
  find("program-problem").replaceChildren();
  const slow = setTimeout(() => tell("Working on it…"), 400);
  find("work").setAttribute("aria-busy", "true");
  try {
    return await post(path, object, { signal: mine.signal });
  } catch (error) {
    fail(problems)(error);
    return null;
  } finally {
    clearTimeout(slow);
    if (asking === mine) find("work").removeAttribute("aria-busy");
  }
}

/** Shows an answer and announces it. */
function show(reply) {
  find("answer").hidden = false;
  drawAnswer({ answer: find("answer"), how: find("how") }, table, reply, {
    picked: (at, marks, byKey) => {
      grid.mark(marks);
      const step = reply.steps[at];
      // Where the table is below the steps, a finger wants to see it.
      if (step && !byKey && isNarrow()) bring(find("grid"));
      if (step) tell(`Step ${at + 1}: ${step.english || step.program}. ${step.rows ? many(step.rows_total, "row") : short({ answer: step.values, answer_total: step.values_total })}`);
    },
    other: (alternative) => runnerUp(reply, alternative),
    ask,
    point: (cells) => grid.point(cells),
    link: reply.question ? link.write(table, reply.question) : null,
    correct: reply.question ? correcting.draw(reply) : null,
  });
  grid.mark(whole(reply));
  drawHistory(reply);
  const sure = reply.probability === undefined ? "" : reply.sure ? `${percent(reply.probability)} sure.` : "But I am not sure.";
  tell(reply.program === "" ? `I cannot answer that: ${reply.note}.` : `Answer: ${short(reply)}. ${sure}`);
  if (isNarrow()) bring(find("answer"));
}

const isNarrow = () => matchMedia("(max-width: 63.99rem)").matches;

function bring(element) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
}

/** A runner-up is a program like any other: it is run, and shown with a way back. */
async function runnerUp(reply, alternative) {
  const explained = await wait(`/api/tables/${encodeURIComponent(table.id)}/run`, { program: alternative.program }, "ask-problem");
  if (!explained) return;
  show({ ...explained, question: reply.question, probability: alternative.probability, calibrated: reply.calibrated, sure: true });
  const back = el("button", { type: "button", class: "small", onclick: () => show(reply) }, "Back to the first answer");
  find("answer").prepend(el("p", { class: "second" }, "A runner-up ", back));
  back.focus({ preventScroll: true });
}

// Programs by hand

find("run").addEventListener("submit", async (event) => {
  event.preventDefault();
  const program = find("program").value.trim();
  const explained = await wait(`/api/tables/${encodeURIComponent(table.id)}/run`, { program }, "program-problem");
  if (!explained) return;
  show(explained);
  find("answer").scrollIntoView({ block: "nearest" });
});

// Earlier questions

function drawHistory(current) {
  const earlier = history.draw(current);
  find("answer").hidden = !current;
  if (!current) find("how").hidden = true;
  find("columns").classList.toggle("answered", Boolean(current) || earlier);
  find("work").classList.toggle("has-answer", Boolean(current));
}

find("history-clear").addEventListener("click", () => {
  history.forget();
  history.draw();
  find("question").focus();
});
find("question").addEventListener("keydown", (event) => {
  const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (!step || !history) return;
  event.preventDefault();
  find("question").value = history.recall(step);
});

// Where the page begins, and the browser's own buttons.

function arrive() {
  const { table: id, question } = link.read();
  if (!id) return showWelcome(false);
  const known = table?.id === id ? history.find(question) : null;
  if (!known) return open(id, false);
  find("question").value = question;
  return show(known);
}
addEventListener("popstate", arrive);
arrive();
