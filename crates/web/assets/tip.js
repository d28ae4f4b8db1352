// A word of explanation beside something, while it is pointed at or focused. Escape puts it away.

import { el } from "./dom.js";

const tip = el("div", { id: "tip", class: "tip", role: "tooltip", hidden: true });
let shown = null;

/**
 * Explains an element: `tell` gives the text, at once or later, and `point` is told when that begins and ends.
 */
export function explained(element, tell, point = () => {}) {
  const begin = async () => {
    if (shown === element) return;
    shown = element;
    point(true);
    let text;
    try {
      text = await tell();
    } catch {
      return; // The server has gone: what is told of that is told elsewhere.
    }
    if (shown !== element || !text) return;
    if (!tip.isConnected) document.body.append(tip);
    tip.textContent = text;
    tip.hidden = false;
    element.setAttribute("aria-describedby", tip.id);
    place(element);
  };
  const end = () => {
    if (shown !== element) return;
    shown = null;
    point(false);
    tip.hidden = true;
    element.removeAttribute("aria-describedby");
  };
  element.addEventListener("pointerenter", begin);
  element.addEventListener("pointerleave", () => document.activeElement !== element && end());
  element.addEventListener("focus", begin);
  element.addEventListener("blur", end);
  element.addEventListener("keydown", (event) => event.key === "Escape" && end());
  return element;
}

/** Below the element, or above it where there is no room, and within the window. */
function place(element) {
  const [beside, box] = [element.getBoundingClientRect(), tip.getBoundingClientRect()];
  const left = Math.max(8, Math.min(beside.left, innerWidth - box.width - 8));
  const below = beside.bottom + 8;
  const top = below + box.height > innerHeight ? Math.max(8, beside.top - box.height - 8) : below;
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}

addEventListener("scroll", () => (tip.hidden = true), { passive: true, capture: true });
