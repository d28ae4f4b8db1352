// Making elements, asking the server, and writing numbers. Text of tables only ever becomes text: nothing here takes
// markup.

/** An element. Properties that begin with "on" are listeners, `class` and all others are attributes. */
export function el(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for drawings. */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const find = (id) => document.getElementById(id);

/** A sentence of the server, or of us, for the person. */
export class Told extends Error {
  constructor(sentence, status = 0) {
    super(sentence);
    this.status = status;
  }
}

/** Asks the server; gives its object, or throws what it told. */
export async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Told("The server does not answer. Is mapo serve still running?");
  }
  if (response.status === 204) return null;
  let content;
  try {
    content = await response.json();
  } catch {
    throw new Told(`The server answered with something that is no JSON (status ${response.status}).`, response.status);
  }
  if (!response.ok) throw new Told(sentence(content.error ?? `status ${response.status}`), response.status);
  return content;
}

/** Sends an object. */
export function post(path, object, options = {}) {
  return call(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(object),
    ...options,
  });
}

/** With a full stop, and a capital letter unless it begins with a file's name. */
export function sentence(text) {
  const trimmed = text.trim();
  const ended = /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return /^[a-z]+[ ']/.test(ended) ? ended.charAt(0).toUpperCase() + ended.slice(1) : ended;
}

const whole = new Intl.NumberFormat("en");
export const count = (number) => whole.format(number);
export const many = (number, one, several = `${one}s`) => `${count(number)} ${number === 1 ? one : several}`;

/** A probability, as the command says it: nothing is certain, and nothing that was found is impossible. */
export function percent(share) {
  if (share > 0.99) return "over 99 %";
  return share < 0.01 ? "under 1 %" : `${Math.round(100 * share)} %`;
}

export function size(bytes) {
  const [unit, name] = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]].find(([unit]) => bytes >= unit) ?? [1, "bytes"];
  return `${Math.round(bytes / unit)} ${name}`;
}

/** Copies text; says whether that worked. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // only pages from this machine or over https may
  }
}

/** A button that copies. */
export function copyButton(text, label, shown = "Copy") {
  const said = el("span", {}, shown);
  const button = el("button", { type: "button", class: "small", "aria-label": `Copy ${label}` }, said);
  button.addEventListener("click", async () => {
    said.textContent = (await copy(text)) ? "Copied" : "Select and copy it by hand";
    setTimeout(() => (said.textContent = shown), 1600);
  });
  return button;
}

/** A time that something took. */
export function clock(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${Math.round(seconds)} s`;
  return minutes < 60 ? `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, "0")} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
