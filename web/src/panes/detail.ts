// The selected task: fetched once for its pane, the chain on the timeline and
// the keys that follow it.
import type { App, Overlay } from "../core/app";
import { isAbort } from "../api/client";
import type { ChainLink, RunInfo, TaskDetail, TaskRef } from "../api/types";

export const chainBudget = 2000; // links of a chain that are listed and drawn

export type Selected =
  | { state: "none" }
  | { state: "loading"; run: RunInfo; key: string }
  | { state: "there"; run: RunInfo; key: string; task: TaskDetail }
  | { state: "failed"; key: string; error: unknown };

/** Knows the selected task, and draws it with its chain. */
export class Detail {
  now: Selected = { state: "none" };
  private listeners = new Set<() => void>();
  private asked = "";

  constructor(private app: App) {
    app.store.subscribe(["selected", "levels", "align", "runs", "options"], () => this.load());
    app.onSession(() => this.load());
    this.load();
  }

  subscribe(f: () => void): () => void {
    this.listeners.add(f);
    return () => this.listeners.delete(f);
  }

  private load(): void {
    const { selected, levels } = this.app.store.state;
    if (!selected) return this.become({ state: "none" }, "");
    const run = this.app.run(selected.run);
    if (!run) return this.become({ state: "failed", key: selected.key, error: new Error(`The run ${selected.run} is not open here.`) }, "");
    if (run.state === "loading") return this.become({ state: "loading", run, key: selected.key }, "");
    const { align, ref } = this.app.params(run);
    const asked = JSON.stringify([run.id, run.checksum, selected.key, levels, align, ref]);
    if (asked === this.asked) return;
    this.become({ state: "loading", run, key: selected.key }, asked);
    void this.fetch(run, selected.key, levels, asked);
  }

  private async fetch(run: RunInfo, key: string, levels: number, asked: string): Promise<void> {
    try {
      const path = `runs/${run.id}/tasks/${encodeURIComponent(key)}`;
      const task = await this.app.api.json<TaskDetail>(path, { ...this.app.params(run), levels, budget: chainBudget }, { channel: "task" });
      if (this.asked === asked) this.become({ state: "there", run, key, task }, asked);
    } catch (error) {
      if (!isAbort(error) && this.asked === asked) this.become({ state: "failed", key, error }, "");
    }
  }

  private become(now: Selected, asked: string): void {
    this.now = now;
    this.asked = asked;
    // While it is loaded the last drawing stays, so that nothing flickers.
    if (now.state !== "loading") this.app.view.overlay("selected", now.state === "there" ? drawing(now.run, now.task) : null);
    this.app.view.redraw();
    for (const f of this.listeners) f();
  }
}

/** The selected task in a frame, its chain with arrows from each link to what it held up. */
export function drawing(run: RunInfo, task: TaskDetail): Overlay {
  const steps = stepsOf(task);
  return (g, plot) => {
    const accent = plot.color("--accent");
    const paper = plot.color("--paper") || "white";
    for (const place of plot.places) {
      if (place.run.id !== run.id) continue;
      const at = (r: TaskRef): Box | null => boxOf(r, place.row(r.worker), plot.x);
      for (const s of steps) arrow(g, at(s.from), at(s.to), accent, paper);
      for (const s of steps) frame(g, at(s.from), accent, paper, 1.25);
      frame(g, at(task), accent, paper, 2.5);
    }
  };
}

interface Box { x0: number; x1: number; y: number; h: number }

/** What held up what, from the task backwards; transfers are passed over: they have no row. */
export function stepsOf(task: Pick<TaskDetail, "chain"> & TaskRef): { from: ChainLink; to: TaskRef }[] {
  const steps: { from: ChainLink; to: TaskRef }[] = [];
  let to: TaskRef = task;
  for (const link of task.chain.links) {
    if (link.transfer || typeof link.start !== "number") continue;
    steps.push({ from: link, to });
    to = link;
  }
  return steps;
}

function boxOf(r: TaskRef, row: { y: number; h: number } | null, x: (t: number) => number): Box | null {
  if (!row || typeof r.start !== "number") return null;
  const x0 = x(r.start);
  return { x0, x1: Math.max(x0 + 2, x(r.end)), y: row.y, h: row.h };
}

function frame(g: CanvasRenderingContext2D, b: Box | null, color: string, paper: string, width: number): void {
  if (!b) return;
  // Far beyond the plot a browser draws nothing: clamp.
  const x0 = Math.max(-1e4, b.x0);
  const x1 = Math.min(1e5, b.x1);
  if (x1 < x0) return;
  for (const [c, w] of [[paper, width + 2], [color, width]] as const) {
    g.strokeStyle = c;
    g.lineWidth = w;
    g.strokeRect(x0, b.y + 0.5, x1 - x0, Math.max(2, b.h - 1));
  }
}

function arrow(g: CanvasRenderingContext2D, from: Box | null, to: Box | null, color: string, paper: string): void {
  if (!from || !to) return;
  const [x0, y0, x1, y1] = [from.x1, from.y + from.h / 2, to.x0, to.y + to.h / 2];
  if (Math.max(x0, x1) < -1e4 || Math.min(x0, x1) > 1e5) return;
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 3) return;
  for (const [c, w] of [[paper, 3.5], [color, 1.5]] as const) {
    g.strokeStyle = c;
    g.lineWidth = w;
    g.beginPath();
    g.moveTo(x0, y0);
    g.lineTo(x1, y1);
    g.stroke();
  }
  if (length < 12) return;
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  g.fillStyle = color;
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x1 - 8 * ux + 3.5 * uy, y1 - 8 * uy - 3.5 * ux);
  g.lineTo(x1 - 8 * ux - 3.5 * uy, y1 - 8 * uy + 3.5 * ux);
  g.fill();
}
