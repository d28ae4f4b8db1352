// Choosing a table: dropped, picked, pasted, or an example.

import { Told, call, el, find, many, size } from "./dom.js";

/** Sets the welcome up; `opened` is called with the id of a table, `tell` with what to announce. */
export function welcome(opened, tell) {
  const problem = find("open-problem");
  let limits = null;
  /** The file that was opened last, to read it again. */
  let last = null;

  const fail = (error) => {
    problem.replaceChildren(el("p", { class: "problem" }, error.message));
    tell("");
  };

  async function upload(content, name) {
    problem.replaceChildren();
    const bytes = content.size ?? new Blob([content]).size;
    try {
      if (bytes === 0) throw new Told(`${name} is empty. A table needs a header line and at least one row.`);
      if (limits && bytes > limits.body) {
        throw new Told(`${name} has ${size(bytes)}, and the limit here is ${size(limits.body)}. Larger tables can be given to mapo serve on the command line.`);
      }
      find("drop").classList.add("busy");
      tell(`Loading ${name}…`);
      const table = await call(`/api/tables?name=${encodeURIComponent(name)}`, { method: "POST", body: content });
      last = { id: table.id, content, name };
      opened(table.id);
    } catch (error) {
      fail(error);
    } finally {
      find("drop").classList.remove("busy");
    }
  }

  // A file, picked.
  const file = find("file");
  file.addEventListener("change", () => {
    if (file.files.length > 0) upload(file.files[0], file.files[0].name);
    file.value = "";
  });

  // A file, dropped anywhere on the page.
  const curtain = find("curtain");
  const carriesFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  let depth = 0;
  addEventListener("dragenter", (event) => {
    if (!carriesFile(event)) return;
    depth += 1;
    curtain.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (!carriesFile(event)) return;
    depth -= 1;
    if (depth <= 0) curtain.hidden = true;
  });
  addEventListener("dragover", (event) => carriesFile(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    depth = 0;
    curtain.hidden = true;
    const [first] = event.dataTransfer.files;
    if (first) upload(first, first.name);
  });

  // Text, pasted into the field or anywhere else.
  const paste = find("paste");
  const button = find("paste-button");
  const unfold = (open) => {
    paste.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) find("paste-text").focus();
  };
  button.addEventListener("click", () => unfold(paste.hidden));
  const named = (text) => (text.split("\n", 1)[0].includes("\t") ? "pasted.tsv" : "pasted.csv");
  paste.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = find("paste-text").value;
    if (text.trim() === "") return fail(new Told("There is nothing pasted yet."));
    upload(text, named(text));
  });
  addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea") || find("welcome").hidden) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.trim().includes("\n")) {
      event.preventDefault();
      upload(text, named(text));
    }
  });

  call("/api/health").then((health) => {
    limits = health.limits;
    const minutes = Math.round(limits.idle_seconds / 60);
    const kept = minutes >= 1 ? many(minutes, "minute") : many(Math.round(limits.idle_seconds), "second");
    find("drop-hint").textContent =
      `CSV, Excel, JSON, Parquet, web pages and databases, packed or not, up to ${size(limits.body)}. It stays in the memory of the machine that runs mapo and is forgotten ${kept} after its last use.`;
  }, fail);

  return {
    /** What reads the file of a table once more with what is said about it, as long as the page has the file. */
    again(id) {
      if (last?.id !== id) return null;
      const { content, name } = last;
      return async (told) => {
        told.set("name", name);
        const table = await call(`/api/tables?${told}`, { method: "POST", body: content });
        // The other reading is not asked any more.
        await call(`/api/tables/${encodeURIComponent(id)}`, { method: "DELETE" }).catch(() => null);
        last = { id: table.id, content, name };
        opened(table.id);
      };
    },
    /** Shows what there is to open. */
    async refresh() {
      problem.replaceChildren();
      try {
        const [{ examples }, { tables }] = await Promise.all([call("/api/examples"), call("/api/tables")]);
        const card = (id, title, about) =>
          el("li", {}, el("button", { type: "button", class: "pick", "data-table": id, onclick: () => opened(id) },
            el("strong", {}, title), el("span", {}, about)));
        find("examples").replaceChildren(...examples.map((example) => card(example.id, example.title, example.about)));
        const others = tables.filter((table) => table.source !== "example");
        find("tables").replaceChildren(...others.map((table) =>
          card(table.id, table.name, `${many(table.rows, "row")}, ${many(table.columns, "column")}`)));
        find("here").hidden = others.length === 0;
      } catch (error) {
        fail(error);
      }
    },
    fail,
  };
}

