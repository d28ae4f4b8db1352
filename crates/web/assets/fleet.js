// Who takes part in a run on many machines, as its learner last wrote it.

import { clock, count, el } from "./dom.js";

/** Seconds after which a learner that goes on would have written again. */
const SILENT = 20;

/** The card of a run's fleet. */
export function fleetCard({ age, status }) {
  const { learner, reached, policy, dropped } = status;
  const step = reached?.step ?? learner?.step ?? 0;
  const old = (version) => {
    if (!version) return "none yet";
    const steps = Math.max(0, step - version.step);
    return `${count(steps)} ${steps === 1 ? "step" : "steps"} old`;
  };
  const lost = Object.values(dropped ?? {}).reduce((sum, number) => sum + number, 0);
  const facts = [
    ["Learner", learner ? `${rate(learner.speed)} steps a second` : "none yet"],
    ["Newest policy", old(policy)],
    ["Waiting batches", `${count(status.queued)} of ${count(status.room)}`],
    ["Shards with an actor", `${count(status.shards_held)} of ${count(status.shards)}`],
    ["Dropped batches", count(lost)],
    learner?.assistance?.gradients ? ["Gradients of assistants", count(learner.assistance.gradients)] : null,
  ].filter(Boolean);
  return el("section", { class: "fleet", "aria-label": "Fleet" },
    el("h2", {}, "Fleet", el("small", {}, ` ${how(status, age)}`)),
    el("dl", {}, facts.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text)))),
    people(status, old));
}

function how(status, age) {
  if (status.is_over) return "is over";
  if (age > SILENT) return `was last heard of ${clock(age)} ago`;
  return status.has_learner ? "goes on" : "waits for a learner";
}

const rate = (speed) => speed.toFixed(speed < 10 ? 2 : 0);

function people({ is_over, actors, assistants = [] }, old) {
  const all = [...actors.map((one) => ["actor", one]), ...assistants.map((one) => ["assistant", one])];
  if (all.length === 0) return is_over ? null : el("p", {}, "Nobody acts for it at the moment. Let others join with mapo fleet act.");
  const head = ["Name", "Role", "Threads", "Shards", "Batches a second", "Batches", "Policy", "Does"];
  const row = ([role, one]) => [one.name, role, count(one.threads), role === "actor" ? count(one.shards) : "", rate(one.speed), count(one.batches), old(one.policy), one.doing];
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Who takes part" }, el("table", {},
    el("thead", {}, el("tr", {}, head.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, all.map((one) => el("tr", {}, row(one).map((text) => el("td", {}, text)))))));
}
