// What the address says: which table is open and what was asked, so that it can be kept, sent and gone back to.

/** What an address says. */
export function read(address = location) {
  const said = new URLSearchParams(address.search);
  return { table: said.get("table"), name: said.get("name"), question: said.get("q") };
}

/** The address of a table, and of a question about it. Its name tells whether it is still the same one. */
export function write(table, question) {
  const said = new URLSearchParams({ table: table.id, name: table.name });
  if (question) said.set("q", question);
  return `/?${said}`;
}

/** Makes the address say so, as a place to come back to. */
export function go(path) {
  if (path !== location.pathname + location.search) history.pushState({}, "", path);
}

/** Something that was to be asked of a table that is gone: it is asked when the file is opened again. */
let postponed = null;

/** Keeps the question of a link whose table is gone; gives what to tell. */
export function gone({ name, question }) {
  postponed = name && question ? { name, question } : null;
  const what = name ? `“${name}” is not here any more` : "The table of this link is not here any more";
  const again = postponed ? ` Open the file again, and “${question}” is asked.` : " Open the file again.";
  return `${what}: uploaded tables are forgotten after a while, and belong to one browser.${again}`;
}

/** The question that waited for this table, once. */
export function take(name) {
  const question = postponed?.name === name ? postponed.question : null;
  if (question) postponed = null;
  return question;
}
