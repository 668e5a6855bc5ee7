// What stands beside a body, as SVG: row labels, the y axis, idle bars.
import type { Frame, Margin } from "../api/types";
import { FONT } from "../core/theme";
import { svg } from "../widgets/dom";

const ANCHOR = { start: "start", middle: "middle", end: "end" } as const;

const ruler = document.createElement("canvas").getContext("2d")!;

/** Px that the texts of a margin take beside the body, in the fonts that this machine has. */
export function marginWidth(m: Margin): number {
  return m.texts.reduce((most, t) => {
    if (t.rotate) return Math.max(most, t.size - t.x, t.x + 0.3 * t.size); // upwards
    ruler.font = `${t.bold ? "600 " : ""}${t.size}px ${FONT}`;
    const w = ruler.measureText(t.s).width, start = t.x - (t.anchor === "start" ? 0 : t.anchor === "middle" ? w / 2 : w);
    return Math.max(most, -start, start + w);
  }, 0);
}

/** Fills root with a margin; origin is where x = 0 lies, px from the left of root. */
export function drawMargin(root: SVGSVGElement, m: Margin, origin: number, width: number, height: number): void {
  root.setAttribute("width", String(width));
  root.setAttribute("height", String(height));
  const g = svg("g", { transform: `translate(${origin} 0)` });
  for (const r of m.rects) g.append(svg("rect", { x: r.x0, y: r.y, width: Math.max(0, r.x1 - r.x0), height: r.h, fill: r.color }));
  for (const l of m.lines) {
    const points = l.x.map((x, i) => `${x},${l.y[i] ?? 0}`).join(" ");
    g.append(svg("polyline", { points, fill: "none", stroke: l.color, "stroke-width": l.width }));
  }
  for (const t of m.texts) g.append(text(t));
  root.replaceChildren(g);
}

function text(t: Margin["texts"][number]): SVGTextElement {
  const turn = t.rotate ? { transform: `rotate(${-t.rotate} ${t.x} ${t.y})` } : {};
  return svg("text", { x: t.x, y: t.y, "font-size": t.size, fill: t.color, "text-anchor": ANCHOR[t.anchor], "font-weight": t.bold ? 600 : null, ...turn }, t.s);
}

/** The axis of a panel that has its own, below its body. */
export function drawOwnAxis(root: SVGSVGElement, axis: NonNullable<Frame["axis"]>, width: number): void {
  const x = (v: number) => ((v - axis.min) / (axis.max - axis.min || 1)) * width;
  root.setAttribute("width", String(width));
  root.setAttribute("height", "32");
  root.replaceChildren(
    svg("line", { x1: 0, x2: width, y1: 0.5, y2: 0.5, class: "axis-line" }),
    ...axis.ticks.flatMap((t) => [
      svg("line", { x1: x(t.at), x2: x(t.at), y1: 0, y2: 4, class: "axis-line" }),
      svg("text", { x: x(t.at), y: 15, "text-anchor": "middle", class: "axis-text" }, t.label),
    ]),
    svg("text", { x: width / 2, y: 28, "text-anchor": "middle", class: "axis-text" }, axis.label),
  );
}
