// The dashboard: runs on one side, their curves on the other, brought up to date while a run goes on.

import { Chart, short } from "./chart.js";
import { call, clock, copyButton, count, el, find, sentence } from "./dom.js";
import { fleetCard } from "./fleet.js";

/** Seconds between looks at the chosen runs, and at the list. */
const LOOK = 2;
const LIST = 6;
/** Runs that are drawn together. */
const TOGETHER = 6;
const COLOURS = [
  "var(--accent)",
  "light-dark(#b4540a, #f0a35e)",
  "light-dark(#4a52c4, #a3aaff)",
  "light-dark(#a8326f, #f08fbd)",
  "light-dark(#5d7a12, #b5d16a)",
  "light-dark(#5b6470, #b8c0ca)",
];

const CHARTS = [
  { key: "dev_accuracy", title: "Accuracy", about: "Right answers on the dev split.", wide: true, share: true },
  { key: "training_return", title: "Reward", about: "What the policy is expected to earn on training questions.", share: true },
  { key: "loss", title: "Loss", about: "Mean since the evaluation before." },
  { key: "clip_fraction", title: "Clip fraction", about: "Questions whose memory weighs less than α.", share: true },
  { key: "memory_weight", title: "Memory weight", about: "π(B): what the programs in memory have together.", share: true },
  { key: "share_solved", title: "Solved", about: "Visited questions with a program in memory.", share: true },
  { key: "entropy", title: "Entropy", about: "Of a step of a program, in nats." },
  { key: "gradient_norm", title: "Gradient norm", about: "Before clipping." },
  { key: "examples_per_second", title: "Speed", about: "Questions visited in a second." },
];

/** The lines known of each chosen run, and where its file goes on. */
const chosen = new Map();
const charts = CHARTS.map((described) => ({ ...described, chart: new Chart(described) }));
let runs = [];

const fail = (error) => find("problem").replaceChildren(el("p", { class: "problem" }, sentence(error.message)));

async function list() {
  try {
    ({ runs } = await call("/api/runs"));
  } catch (error) {
    if (error.status === 404) return explain("No folder of runs is shown. Train one, which takes a minute, and show the folder that it is in:", TRAIN, "mapo serve --runs runs");
    fail(error);
    return;
  }
  find("problem").replaceChildren();
  if (runs.length === 0) return explain("There are no runs in the folder yet. Start one in it, and it appears here; this one takes a minute:", TRAIN);
  if (chosen.size === 0) choose(wanted() ?? runs[0].name, true);
  drawList();
}

const wanted = () => {
  const name = new URLSearchParams(location.search).get("run");
  return runs.find((run) => run.name === name)?.name;
};

/** A run to begin with: its data is built in. */
const TRAIN = "mapo train --data toy --run runs/toy";

function explain(why, ...commands) {
  find("runs").replaceChildren();
  find("figures").replaceChildren();
  find("fleet").replaceChildren();
  find("charts").replaceChildren(el("div", { class: "empty" }, el("p", {}, why),
    commands.map((command) => el("p", { class: "command" }, el("code", {}, command), copyButton(command, `the command ${command}`))),
    el("p", { class: "hint" }, "Your own questions are trained on with --data jsonl:FILE --init box; GUIDE.md goes through it.")));
}

function choose(name, on) {
  if (on && chosen.size < TOGETHER) {
    const taken = new Set([...chosen.values()].map((known) => known.colour));
    chosen.set(name, { lines: [], next: 0, colour: COLOURS.find((colour) => !taken.has(colour)) });
  } else chosen.delete(name);
}

function drawList() {
  const focused = document.activeElement?.value;
  find("runs").replaceChildren(...runs.map((run) => {
    const known = chosen.get(run.name);
    const box = el("input", { type: "checkbox", value: run.name, checked: Boolean(known) });
    if (known) box.style.background = box.style.borderColor = known.colour;
    box.addEventListener("change", () => {
      choose(run.name, box.checked);
      drawList();
      look();
    });
    const steps = run.steps ? `step ${count(run.step)} of ${count(run.steps)}` : `step ${count(run.step)}`;
    const best = run.best_accuracy === null ? "" : `, best ${(100 * run.best_accuracy).toFixed(1)} %`;
    const about = [run.data, run.objective, run.seed === null ? null : `seed ${run.seed}`].filter(Boolean).join(", ");
    return el("li", {}, el("label", {}, box, el("span", { class: "name" }, run.name),
      el("span", { class: `state ${run.state}` }, run.state),
      el("span", { class: "about" }, about, el("br"), `${steps}${best}`)));
  }));
  if (focused) find("runs").querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
}

/** Asks what is new of the chosen runs. */
async function look() {
  const all = [...chosen].map(async ([name, known]) => {
    const answer = await call(`/api/runs/metrics?${new URLSearchParams({ run: name, from: known.next })}`);
    if (answer.from === 0) known.lines = [];
    const first = answer.metrics[0]?.step;
    // A resumed run may tell some steps again.
    if (first !== undefined) known.lines = known.lines.filter((line) => line.step < first).concat(answer.metrics);
    known.next = answer.next;
    known.run = answer.run;
    known.fleet = answer.fleet;
  });
  try {
    await Promise.all(all);
    draw();
  } catch (error) {
    fail(error);
  }
}

function draw() {
  if (chosen.size === 0) return; // what there is to do is told instead
  if (find("charts").childElementCount !== charts.length) find("charts").replaceChildren(...charts.map(({ chart }) => chart.element));
  for (const { key, chart } of charts) {
    chart.draw([...chosen].map(([name, { lines, colour }]) => ({
      name,
      colour,
      points: lines.filter((line) => typeof line[key] === "number").map((line) => [line.step, line[key]]),
    })));
  }
  const [first] = chosen.values();
  const last = first?.lines.at(-1);
  const figure = (name, text, small) => el("div", {}, el("dt", {}, name), el("dd", {}, text, small ? el("small", {}, ` ${small}`) : ""));
  find("figures").replaceChildren(...(!last ? [] : [
    figure("Step", count(last.step), first.run.steps ? `of ${count(first.run.steps)}` : ""),
    first.run.best_accuracy === null ? null : figure("Best accuracy", `${(100 * first.run.best_accuracy).toFixed(1)} %`),
    figure("Questions a second", short(last.examples_per_second ?? 0)),
    figure("Time", clock(last.seconds ?? 0)),
  ].filter(Boolean)));
  find("fleet").replaceChildren(...(first?.fleet ? [fleetCard(first.fleet)] : []));
}

/** Looks again and again, but not while nobody sees the page. */
async function live() {
  let beats = 0;
  for (;;) {
    if (!document.hidden) {
      if (beats % (LIST / LOOK) === 0) await list();
      const going = [...chosen.values()].some((known) => !known.run || known.run.state !== "done");
      if (going || beats % (LIST / LOOK) === 0) await look();
      beats += 1;
    }
    await new Promise((wake) => setTimeout(wake, 1000 * LOOK));
  }
}
live();
