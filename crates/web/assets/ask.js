// The page: a table is chosen, questions are asked, answers are shown.

import { drawAnswer, short, whole } from "./answer.js";
import { call, el, find, many, percent, post, sentence } from "./dom.js";
import { Grid } from "./grid.js";
import { welcome } from "./open.js";

/** Answers kept for one table. */
const KEPT = 30;

const tell = (text) => (find("status").textContent = text);
const opening = welcome((id) => open(id, true), tell);

/** The open table, its view, and the questions asked so far. */
let table = null;
let grid = null;
let history = [];
let asking = null;

const fail = (place) => (error) => {
  if (error.name === "AbortError") return;
  find(place).replaceChildren(el("p", { class: "problem" }, sentence(error.message)));
};

// Tables

async function open(id, remember) {
  try {
    table = await call(`/api/tables/${encodeURIComponent(id)}`);
  } catch (error) {
    await showWelcome(remember);
    opening.fail(error);
    return;
  }
  if (remember) window.history.pushState({}, "", `/?table=${encodeURIComponent(id)}`);
  tell(`${table.name} is open: ${many(table.rows, "row")}.`);
  document.title = `${table.name}: mapo`;
  find("welcome").hidden = true;
  find("work").hidden = false;
  find("left").hidden = true;
  find("columns").classList.remove("answered");
  find("ask-problem").replaceChildren();
  find("program-problem").replaceChildren();
  find("table-name").textContent = table.name;
  const left = table.left_out ? `; ${table.left_out}` : "";
  // How numbers and dates were read where that had to be decided; all of it stands at the headers.
  const written = table.columns.flatMap((column) => (column.written ?? []).map((said) => `; ${column.name}: ${said}`)).slice(0, 3).join("");
  find("table-size").textContent = `${many(table.rows, "row")}, ${many(table.columns.length, "column")}${left}${written}`;
  find("forget").hidden = table.source !== "upload";
  find("suggestions").replaceChildren(...table.questions.map((question) =>
    el("li", {}, el("button", { type: "button", onclick: () => ask(question) }, question))));
  find("program-hint").textContent = `Columns are called ${table.columns.slice(0, 3).map((column) => column.readings[0]?.program).join(", ")} and so on.`;
  find("program").placeholder = `(hop all_rows ${table.columns[0]?.readings[0]?.program ?? ""})`;
  find("question").value = "";
  grid = new Grid(find("grid"), table, fail("ask-problem"));
  history = recall();
  drawHistory();
  find("question").focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

async function showWelcome(remember) {
  asking?.abort();
  table = null;
  if (remember) window.history.pushState({}, "", "/");
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
    forgetHistory();
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
  history = [reply, ...history.filter((known) => known.question !== reply.question)].slice(0, KEPT);
  keep();
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
  find("left").hidden = false;
  drawAnswer(find("answer"), reply, {
    picked: (at, marks, byKey) => {
      grid.mark(marks);
      const step = reply.steps[at];
      // Where the table is below the steps, a finger wants to see it.
      if (step && !byKey && isNarrow()) bring(find("grid"));
      if (step) tell(`Step ${at + 1}: ${step.english || step.program}. ${step.rows ? many(step.rows_total, "row") : short({ answer: step.values, answer_total: step.values_total })}`);
    },
    other: (alternative) => runnerUp(reply, alternative),
    ask,
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

// Earlier questions: in this browser tab only, and gone with it.

const place = () => `mapo-history-${table.id}`;

function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(place()) ?? "[]");
  } catch {
    return [];
  }
}

function keep() {
  try {
    sessionStorage.setItem(place(), JSON.stringify(history));
  } catch {
    // Too much, or forbidden: then they are kept as long as the page is open.
  }
}

function forgetHistory() {
  try {
    sessionStorage.removeItem(place());
  } catch {
    // There was none.
  }
}

function drawHistory(current) {
  const earlier = history.filter((reply) => reply !== current);
  find("history-box").hidden = earlier.length === 0;
  if (earlier.length > 0) find("left").hidden = false;
  find("answer").hidden = !current;
  find("columns").classList.toggle("answered", Boolean(current) || earlier.length > 0);
  find("history").replaceChildren(...earlier.map((reply) =>
    el("li", {}, el("button", { type: "button", onclick: () => {
      find("question").value = reply.question;
      show(reply);
    } }, el("span", {}, reply.question), el("span", { class: "quiet" }, short(reply))))));
}

// Where the page begins, and the browser's own buttons.

function arrive() {
  const id = new URLSearchParams(location.search).get("table");
  return id ? open(id, false) : showWelcome(false);
}
addEventListener("popstate", arrive);
arrive();
