// The query that DuckDB runs on the file itself: asked for when somebody wants to see it.

import { copyButton, el, post, sentence } from "./dom.js";

/** A part that unfolds to the query of a program, or to why there is none. */
export function fileQuery(table, program) {
  const place = el("div", { class: "block" }, el("p", { class: "hint" }, "One moment…"));
  const details = el("details", { class: "code on-file" },
    el("summary", {}, "DuckDB", el("span", { class: "quiet" }, " on the file itself")), place);
  let asked = false;
  details.addEventListener("toggle", async () => {
    if (!details.open || asked) return;
    asked = true;
    try {
      const { sql, ran, note } = await post(`/api/tables/${encodeURIComponent(table.id)}/duckdb`, { program });
      place.replaceChildren(
        el("pre", { tabindex: 0, "aria-label": "Query for DuckDB" }, el("code", {}, sql)), copyButton(sql, "the query for DuckDB"),
        el("p", { class: ran ? "hint ran" : "hint" }, sentence(note)));
    } catch (error) {
      place.replaceChildren(el("p", { class: "hint" }, sentence(error.message)));
    }
  });
  return details;
}
