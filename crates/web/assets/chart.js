// A line chart, drawn by hand: axes with round numbers, a line for each run, a cross that tells values.

import { el, svg } from "./dom.js";

const HEIGHT = 190;
const EDGE = { left: 46, right: 12, top: 8, bottom: 24 };

/** A number as short as it can be told. */
export function short(number) {
  const size = Math.abs(number);
  if (size >= 1e6) return `${trim((number / 1e6).toFixed(1))}M`;
  if (size >= 1e4) return `${trim((number / 1e3).toFixed(1))}k`;
  if (Number.isInteger(number)) return String(number);
  return trim(size >= 100 ? number.toFixed(0) : size >= 10 ? number.toFixed(1) : size >= 0.01 ? number.toFixed(3) : number.toPrecision(2));
}

const trim = (text) => (text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text);

/** Round numbers from low to high, about `wanted` of them. */
export function ticks(low, high, wanted) {
  const rough = (high - low) / Math.max(wanted, 1) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? power;
  const all = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) all.push(at * step);
  return all;
}

export class Chart {
  constructor({ title, about, wide = false, share = false }) {
    this.title = title;
    this.share = share;
    this.wide = wide;
    this.value = el("span", {});
    this.holder = el("div", {});
    this.element = el("figure", { class: `chart${wide ? " wide" : ""}` },
      el("figcaption", {}, el("strong", {}, title), this.value), this.holder, el("p", {}, about));
    this.lines = [];
    this.cross = null;
    new ResizeObserver(() => this.draw(this.lines)).observe(this.holder);
  }

  say(number) {
    return this.share ? `${(100 * number).toFixed(1)} %` : short(number);
  }

  /** Draws lines: each has a name, a colour and points [x, y], in the order of x. */
  draw(lines) {
    this.lines = lines;
    const width = Math.round(this.holder.clientWidth);
    const full = lines.filter((line) => line.points.length > 0);
    if (width === 0) return;
    if (full.length === 0) {
      this.value.textContent = "";
      this.holder.replaceChildren(el("p", {}, "Nothing measured yet."));
      return;
    }
    const points = full.flatMap((line) => line.points);
    const xs = points.map(([x]) => x);
    const ys = points.map(([, y]) => y);
    let [x0, x1, y0, y1] = [Math.min(0, ...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    if (this.share || (y0 > 0 && y0 < 0.6 * y1)) y0 = Math.min(y0, 0);
    if (y0 === y1) [y0, y1] = [y0 - Math.abs(y0 || 1) * 0.1, y1 + Math.abs(y1 || 1) * 0.1];
    if (x0 === x1) x1 = x0 + 1;
    const room = (y1 - y0) * 0.06;
    y1 += room;
    if (y0 !== 0) y0 -= room;
    const height = this.wide ? HEIGHT + 50 : HEIGHT;
    const x = (value) => EDGE.left + ((value - x0) / (x1 - x0)) * (width - EDGE.left - EDGE.right);
    const y = (value) => height - EDGE.bottom - ((value - y0) / (y1 - y0)) * (height - EDGE.top - EDGE.bottom);

    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: 0, "aria-label": this.summary(full) });
    for (const tick of ticks(y0, y1, 4)) {
      drawing.append(
        svg("line", { class: "rule", x1: EDGE.left, x2: width - EDGE.right, y1: y(tick), y2: y(tick) }),
        svg("text", { class: "tick", x: EDGE.left - 8, y: y(tick) + 4, "text-anchor": "end" }, this.share ? `${Math.round(100 * tick)}%` : short(tick)));
    }
    const places = ticks(x0, x1, width / 90);
    for (const tick of places) {
      const last = tick === places.at(-1) && x(tick) > width - 30;
      drawing.append(svg("text", { class: "tick", x: x(tick), y: height - 6, "text-anchor": last ? "end" : "middle" }, short(tick)));
    }
    for (const line of full) {
      const path = line.points.map(([px, py], at) => `${at === 0 ? "M" : "L"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
      const [lx, ly] = line.points.at(-1);
      const curve = svg("path", { class: "curve", d: path });
      const dot = svg("circle", { cx: x(lx), cy: y(ly), r: 3.5 });
      curve.style.stroke = line.colour;
      dot.style.fill = line.colour;
      drawing.append(curve, dot);
    }
    this.listen(drawing, full, x, y, height);
    const focused = this.holder.contains(document.activeElement);
    this.holder.replaceChildren(drawing);
    if (focused) drawing.focus({ preventScroll: true });
    this.tell(full, null);
  }

  /** The value at a place, or the last one. */
  tell(lines, at) {
    const near = (line) => (at === null ? line.points.at(-1) : nearest(line.points, at));
    this.value.replaceChildren(...lines.slice(0, 3).flatMap((line, place) => {
      const said = el("span", {}, this.say(near(line)[1]));
      if (lines.length > 1) said.style.color = line.colour;
      return place > 0 ? [" · ", said] : [said];
    }), at === null ? "" : ` at step ${short(at)}`);
  }

  /** Pointer and arrow keys move a cross along the curves. */
  listen(drawing, lines, x, y, height) {
    const places = [...new Set(lines.flatMap((line) => line.points.map(([px]) => px)))].sort((one, other) => one - other);
    let at = null;
    const marks = svg("g", {});
    drawing.append(marks);
    const show = (place) => {
      at = place;
      if (place === null) {
        marks.replaceChildren();
        this.tell(lines, null);
        return;
      }
      marks.replaceChildren(
        svg("line", { class: "cross", x1: x(place), x2: x(place), y1: EDGE.top, y2: height - EDGE.bottom }),
        ...lines.map((line) => {
          const [px, py] = nearest(line.points, place);
          const dot = svg("circle", { cx: x(px), cy: y(py), r: 4.5 });
          dot.style.fill = line.colour;
          return dot;
        }));
      this.tell(lines, place);
    };
    drawing.addEventListener("pointermove", (event) => {
      const box = drawing.getBoundingClientRect();
      const here = event.clientX - box.left;
      show(places.reduce((best, place) => (Math.abs(x(place) - here) < Math.abs(x(best) - here) ? place : best)));
    });
    drawing.addEventListener("pointerleave", () => show(null));
    drawing.addEventListener("blur", () => show(null));
    drawing.addEventListener("keydown", (event) => {
      const now = at === null ? places.length - 1 : places.indexOf(at);
      const to = { ArrowLeft: at === null ? now : now - 1, ArrowRight: now + 1, Home: 0, End: places.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      show(places[Math.max(0, Math.min(places.length - 1, to))]);
    });
  }

  summary(lines) {
    const told = lines.map((line) => {
      const values = line.points.map(([, value]) => value);
      return `${line.name}: ${line.points.length} values from ${this.say(Math.min(...values))} to ${this.say(Math.max(...values))}, last ${this.say(values.at(-1))} at step ${short(line.points.at(-1)[0])}`;
    });
    return `${this.title}. ${told.join("; ")}. Arrow keys tell single values.`;
  }
}

function nearest(points, place) {
  return points.reduce((best, point) => (Math.abs(point[0] - place) < Math.abs(best[0] - place) ? point : best));
}
