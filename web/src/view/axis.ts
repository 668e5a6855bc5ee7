// The time axis above the panels: ticks, notes, the ruler's length.
import type { Span, State } from "../core/store";
import { duration, niceTicks, type Ticks } from "../core/time";
import { FONT } from "../core/theme";

export const AXIS_HEIGHT = 30;

export interface AxisColors { ink: string; soft: string; accent: string; paper: string }

/** Draws the axis of a window; returns the ticks, for the grid. */
export function drawAxis(canvas: HTMLCanvasElement, now: Span, width: number, state: Readonly<State>, colors: AxisColors): Ticks {
  const dpr = devicePixelRatio, g = canvas.getContext("2d")!;
  if (canvas.width !== Math.round(width * dpr)) {
    canvas.width = Math.round(width * dpr);
    canvas.height = Math.round(AXIS_HEIGHT * dpr);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${AXIS_HEIGHT}px`;
  }
  g.setTransform(dpr, 0, 0, dpr, 0, 0);
  g.clearRect(0, 0, width, AXIS_HEIGHT);
  const ticks = niceTicks(now.t0, now.t1, state.origin, width);
  const x = (t: number) => ((t - now.t0) / (now.t1 - now.t0)) * width;
  drawTicks(g, ticks, x, width, colors);
  for (const n of state.notes) flag(g, x(n.t), n.text, width, colors);
  if (state.ruler) ruler(g, state.ruler, x, width, colors);
  return ticks;
}

function drawTicks(g: CanvasRenderingContext2D, ticks: Ticks, x: (t: number) => number, width: number, colors: AxisColors): void {
  g.font = `11px ${FONT}`;
  g.textBaseline = "alphabetic";
  g.strokeStyle = colors.soft;
  g.fillStyle = colors.ink;
  g.lineWidth = 1;
  g.beginPath();
  for (const t of ticks.at) {
    const at = Math.round(x(t)) + 0.5, label = ticks.label(t), w = g.measureText(label).width;
    g.moveTo(at, AXIS_HEIGHT);
    g.lineTo(at, AXIS_HEIGHT - 5);
    g.fillText(label, Math.max(1, Math.min(width - w - 1, at - w / 2)), AXIS_HEIGHT - 9);
  }
  g.stroke();
}

function flag(g: CanvasRenderingContext2D, x: number, text: string, width: number, colors: AxisColors): void {
  if (x < -200 || x > width) return;
  g.fillStyle = colors.accent;
  g.beginPath();
  g.moveTo(x, 0);
  g.lineTo(x + 8, 4);
  g.lineTo(x, 8);
  g.fill();
  g.fillRect(x - 0.5, 0, 1, AXIS_HEIGHT);
  g.font = `10px ${FONT}`;
  g.fillText(text.length > 28 ? text.slice(0, 27) + "…" : text, x + 10, 9);
}

function ruler(g: CanvasRenderingContext2D, r: Span, x: (t: number) => number, width: number, colors: AxisColors): void {
  const x0 = x(r.t0), x1 = x(r.t1), y = AXIS_HEIGHT - 3;
  g.strokeStyle = colors.accent;
  g.lineWidth = 1.5;
  g.beginPath();
  g.moveTo(x0, y);
  g.lineTo(x1, y);
  for (const at of [x0, x1]) {
    g.moveTo(at, y - 4);
    g.lineTo(at, y + 4);
  }
  g.stroke();
  const s = duration(r.t1 - r.t0), mid = Math.max(30, Math.min(width - 30, (x0 + x1) / 2));
  g.font = `600 11px ${FONT}`;
  const w = g.measureText(s).width;
  g.fillStyle = colors.paper;
  g.fillRect(mid - w / 2 - 4, y - 18, w + 8, 14);
  g.fillStyle = colors.accent;
  g.fillText(s, mid - w / 2, y - 7);
}
