// What of a layer the canvas draws: areas, lines, arrows and texts.
import type { Part, Piece } from "./merge";
import { namesOf, type Name } from "./names";
import { type Area, type ArrowGroup, type Layer, type Line, type Rgba, type Text } from "./tile";

export type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D;

export interface Style { dpr: number; font: string; paper: string; view: { x0: number; x1: number } } // paper: what halos are of; view: what is seen, device px

export function css(c: Rgba): string {
  return `rgba(${c >>> 24},${(c >>> 16) & 255},${(c >>> 8) & 255},${((c & 255) / 255).toFixed(4)})`;
}

export function hasStrokes(layer: Layer): boolean {
  return layer.areas.length + layer.lines.length + layer.arrows.length + layer.texts.length > 0;
}

/** Draws the parts of one layer, kind by kind in the order of the format. */
export function paintStrokes(g: Context, parts: Part<Layer>[], style: Style): void {
  clipped(g, parts, (p, l) => l.areas.forEach((a) => area(g, p, a)));
  clipped(g, parts, (p, l) => l.lines.forEach((a) => line(g, p, a, style)));
  clipped(g, parts, (p, l) => l.arrows.forEach((a) => arrows(g, p, a, style)));
  const drawn = new Map<string, [number, number][]>();
  for (const n of namesOf(parts, style.view)) text(g, n, style, drawn);
}

// Clips end on whole pixels, so that neighbours meet without a seam.
function clipped(g: Context, parts: Part<Layer>[], draw: (p: Piece, l: Layer) => void): void {
  for (const { piece, item } of parts) {
    if (item.areas.length + item.lines.length + item.arrows.length === 0) continue;
    const x0 = Math.round(piece.clip0), x1 = Math.round(piece.clip1);
    g.save();
    g.beginPath();
    g.rect(x0, -1e4, x1 - x0, 1e6);
    g.clip();
    draw(piece, item);
    g.restore();
  }
}

function area(g: Context, p: Piece, a: Area): void {
  if (a.n === 0) return;
  g.beginPath();
  trace(g, p, a.x, a.y1, a.n, a.step);
  for (let i = a.n - 1; i >= 0; i--) {
    const y = a.y0[i]! * p.yScale;
    if (a.step && i < a.n - 1) g.lineTo(p.at + a.x[i + 1]! * p.scale, y);
    g.lineTo(p.at + a.x[i]! * p.scale, y);
  }
  g.closePath();
  g.fillStyle = css(a.color);
  g.fill();
}

function line(g: Context, p: Piece, l: Line, style: Style): void {
  if (l.n === 0) return;
  g.beginPath();
  trace(g, p, l.x, l.y, l.n, l.step);
  g.strokeStyle = css(l.color);
  g.lineWidth = l.width * style.dpr;
  g.setLineDash(l.dash.map((d) => d * style.dpr));
  g.lineJoin = "round";
  g.stroke();
  g.setLineDash([]);
}

function trace(g: Context, p: Piece, x: Int32Array, y: Int32Array, n: number, step: boolean): void {
  for (let i = 0; i < n; i++) {
    const px = p.at + x[i]! * p.scale, py = y[i]! * p.yScale;
    if (i === 0) g.moveTo(px, py);
    else {
      if (step) g.lineTo(px, y[i - 1]! * p.yScale);
      g.lineTo(px, py);
    }
  }
}

function arrows(g: Context, p: Piece, a: ArrowGroup, style: Style): void {
  g.strokeStyle = g.fillStyle = css(a.color);
  g.lineWidth = a.width * style.dpr;
  g.beginPath();
  for (let i = 0; i < a.n; i++) {
    g.moveTo(p.at + a.x0[i]! * p.scale, a.y0[i]! * p.yScale);
    g.lineTo(p.at + a.x1[i]! * p.scale, a.y1[i]! * p.yScale);
  }
  g.stroke();
  if (a.head === 0) return;
  g.beginPath();
  for (let i = 0; i < a.n; i++)
    head(g, p.at + a.x0[i]! * p.scale, a.y0[i]! * p.yScale, p.at + a.x1[i]! * p.scale, a.y1[i]! * p.yScale, a.head * style.dpr);
  g.fill();
}

/** The head of an arrow from (x0, y0) to (x1, y1), as part of the path. */
export function head(g: Context, x0: number, y0: number, x1: number, y1: number, length: number): void {
  const d = Math.hypot(x1 - x0, y1 - y0);
  if (d === 0) return;
  const ux = (x1 - x0) / d, uy = (y1 - y0) / d, l = Math.min(length, d), w = l * 0.4;
  g.moveTo(x1, y1);
  g.lineTo(x1 - ux * l - uy * w, y1 - uy * l + ux * w);
  g.lineTo(x1 - ux * l + uy * w, y1 - uy * l - ux * w);
  g.closePath();
}

const ANCHORS = ["left", "center", "right"] as const;

function text(g: Context, { text: t, x, y, room }: Name, style: Style, drawn: Map<string, [number, number][]>): void {
  g.font = `${t.bold ? "600 " : ""}${t.size * style.dpr}px ${style.font}`;
  const s = room > 0 ? fit(g, t.s, room) : t.s;
  if (s === "") return;
  const key = `${t.s}@${Math.round(y)}`, w = t.rotate === 0 ? g.measureText(s).width : 1, from = x - (w * t.anchor) / 2, before = drawn.get(key) ?? [];
  if (before.some(([a, b]) => from < b && from + w > a)) return; // two tiles hold it, or two parts of one
  drawn.set(key, [...before, [from, from + w]]);
  g.save();
  g.translate(x, y);
  if (t.rotate !== 0) g.rotate((-t.rotate * Math.PI) / 180);
  g.textAlign = ANCHORS[t.anchor] ?? "left";
  g.textBaseline = "alphabetic";
  if (t.halo) paper(g, s, t, style);
  g.fillStyle = css(t.color);
  g.fillText(s, 0, 0);
  g.restore();
}

// A box of the paper's colour behind a text that stands on a drawing.
function paper(g: Context, s: string, t: Text, style: Style): void {
  const w = g.measureText(s).width, h = t.size * style.dpr, pad = 2 * style.dpr;
  const left = t.anchor === 0 ? 0 : t.anchor === 1 ? -w / 2 : -w;
  g.globalAlpha = 0.8;
  g.fillStyle = style.paper;
  g.fillRect(left - pad, -0.85 * h - pad / 2, w + 2 * pad, 1.1 * h + pad);
  g.globalAlpha = 1;
}

/** s if it fits, else nothing: half a name names another thing. */
export function fit(g: Pick<Context, "measureText">, s: string, room: number): string {
  return g.measureText(s).width <= room ? s : "";
}
