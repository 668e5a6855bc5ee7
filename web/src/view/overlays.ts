// What is drawn over the panels in every frame: the area, the ruler, notes,
// marks, the selected task, and what panes add.
import type { App, Overlay, Plot } from "../core/app";
import { cssColor } from "../core/theme";
import { h } from "../widgets/dom";

export class Overlays {
  readonly canvas = h("canvas", { class: "overlay", "aria-hidden": "true", hidden: true });
  #draws = new Map<string, Overlay>();
  #colors = new Map<string, string>();

  set(name: string, draw: Overlay | null): void {
    if (draw) this.#draws.set(name, draw);
    else this.#draws.delete(name);
  }

  /** The theme changed. */
  forgetColors(): void {
    this.#colors.clear();
  }

  color = (name: string): string => {
    let c = this.#colors.get(name);
    if (c === undefined) this.#colors.set(name, (c = cssColor(name)));
    return c;
  };

  get active(): boolean {
    return this.#draws.size > 0;
  }

  draw(plot: () => Plot, width: number, height: number): void {
    this.canvas.hidden = !this.active;
    if (!this.active) return;
    const dpr = devicePixelRatio, w = Math.round(width * dpr), h = Math.round(height * dpr);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    const g = this.canvas.getContext("2d")!, p = plot();
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, width, height);
    g.beginPath();
    g.rect(p.left, 0, p.width, height);
    g.save();
    g.clip();
    for (const draw of this.#draws.values()) {
      g.save();
      draw(g, p);
      g.restore();
    }
    g.restore();
  }
}

/** Keeps the overlays of the state: area, ruler, notes, marks. */
export function stateOverlays(app: App): void {
  app.store.subscribe(["area", "ruler", "notes", "marks"], () => apply(app));
  apply(app);
}

function apply(app: App): void {
  const { area, ruler, notes, marks } = app.store.state;
  app.view.overlay("area", area && ((g, p) => drawArea(g, p, app)));
  app.view.overlay("ruler", ruler && ((g, p) => {
    const x0 = p.x(ruler.t0), x1 = p.x(ruler.t1);
    g.globalAlpha = 0.1;
    g.fillStyle = p.color("--accent");
    g.fillRect(x0, 0, x1 - x0, p.height);
    g.globalAlpha = 1;
    g.fillRect(x0 - 0.5, 0, 1, p.height);
    g.fillRect(x1 - 0.5, 0, 1, p.height);
  }));
  app.view.overlay("notes", notes.length === 0 ? null : (g, p) => lines(g, p, notes.map((n) => n.t), "--accent", [4, 3]));
  app.view.overlay("marks", marks && ((g, p) => lines(g, p, marks.times, "--mark", [])));
  app.view.redraw();
}

function lines(g: CanvasRenderingContext2D, p: Plot, times: number[], color: string, dash: number[]): void {
  g.strokeStyle = p.color(color);
  g.setLineDash(dash);
  g.globalAlpha = times.length > 200 ? 0.5 : 0.9;
  g.beginPath();
  let last = -1;
  for (const t of times) {
    const x = Math.round(p.x(t)) + 0.5;
    if (x === last || x < p.left || x > p.left + p.width) continue;
    last = x;
    g.moveTo(x, 0);
    g.lineTo(x, p.height);
  }
  g.stroke();
}

/** The rows of an area, as few boxes: rows below each other are one. */
function drawArea(g: CanvasRenderingContext2D, p: Plot, app: App): void {
  const area = app.store.state.area;
  if (!area) return;
  const x0 = p.x(area.t0), x1 = p.x(area.t1);
  for (const place of p.places) {
    if (place.run !== app.run(area.run)) continue;
    const inside = boxes(place, area.workers);
    if (area.dim && inside.length > 0) dim(g, p, place, inside, x0, x1);
    for (const { y, h } of inside) {
      g.fillStyle = p.color("--select");
      g.globalAlpha = 0.16;
      g.fillRect(x0, y, x1 - x0, h);
      g.globalAlpha = 1;
      g.strokeStyle = p.color("--select");
      g.lineWidth = 1.5;
      g.strokeRect(x0, y + 0.75, x1 - x0, h - 1.5);
    }
  }
}

/** Makes what is beside the boxes of a panel faint. */
function dim(g: CanvasRenderingContext2D, p: Plot, place: Plot["places"][number], inside: { y: number; h: number }[], x0: number, x1: number): void {
  g.beginPath();
  g.rect(p.left, place.y, p.width, place.height);
  for (const { y, h } of inside) g.rect(x0, y, x1 - x0, h);
  g.fillStyle = p.color("--ground");
  g.globalAlpha = 0.65;
  g.fill("evenodd");
  g.globalAlpha = 1;
}

function boxes(place: Plot["places"][number], workers: string[] | null): { y: number; h: number }[] {
  if (workers === null) return [{ y: place.y, h: place.height }];
  // Panels of memories have a row for a device, without the worker's stream.
  const rows = workers.map((w) => place.row(w) ?? place.row(w.replace(/_\d+$/, ""))).filter((r) => r !== null).sort((a, b) => a.y - b.y);
  const out: { y: number; h: number }[] = [];
  for (const r of rows) {
    const last = out.at(-1);
    if (last && r.y <= last.y + last.h + 8) last.h = Math.max(last.h, r.y + r.h - last.y);
    else out.push({ ...r });
  }
  return out;
}
