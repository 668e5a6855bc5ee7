// The selected task, and what it waited for: its chain of last dependencies as
// arrows over the rows.
import { isAbort } from "../api/client";
import type { ChainLink, TaskDetail, TaskRef } from "../api/types";
import type { App, Plot, Place } from "../core/app";
import { head } from "../paint/strokes";

const BUDGET = 400; // links that are asked for at most

export class Selected {
  task: TaskDetail | null = null;
  #loading: Promise<void>;
  readonly #app: App;
  readonly #note: (text: string) => void;

  /** note: what is to be said about links that are not drawn, "" for nothing. */
  constructor(app: App, note: (text: string) => void) {
    this.#app = app;
    this.#note = note;
    app.store.subscribe(["selected", "levels", "align", "options"], () => (this.#loading = this.#load()));
    this.#loading = this.#load();
  }

  /** The task that the state has selected, once it is known; null for none. */
  async current(): Promise<TaskDetail | null> {
    for (let waited: Promise<void> | null = null; waited !== this.#loading; ) await (waited = this.#loading);
    return this.task;
  }

  async #load(): Promise<void> {
    const { selected, levels } = this.#app.store.state, run = selected && this.#app.run(selected.run);
    if (!selected || !run) return this.#show(null);
    try {
      const params = { levels, budget: BUDGET, ...this.#app.params(run) };
      this.#show(await this.#app.api.json<TaskDetail>(`runs/${run.id}/tasks/${encodeURIComponent(selected.key)}`, params, { channel: "selected" }));
    } catch (err) {
      if (isAbort(err)) return;
      this.#show(null);
      this.#app.announce((err as Error).message);
    }
  }

  #show(task: TaskDetail | null): void {
    this.task = task;
    this.#app.view.overlay("selected", task && ((g, p) => this.#draw(g, p, task)));
    if (task) this.#app.announce(`Selected ${task.kind} ${task.key} on ${task.worker}`);
    if (!task) this.#note("");
  }

  #draw(g: CanvasRenderingContext2D, p: Plot, task: TaskDetail): void {
    const run = this.#app.run(this.#app.store.state.selected?.run ?? "");
    const places = p.places.filter((x) => x.run === run && x.panel === "st");
    const use = places.length > 0 ? places : p.places.filter((x) => x.run === run && x.row(task.worker) !== null);
    let hidden = 0;
    for (const place of use) {
      outline(g, p, place, task, "--select", 2.5);
      hidden = drawChain(g, p, place, task);
    }
    const out = task.chain.left_out, parts: string[] = [];
    if (out > 0) parts.push(`${out} more link${out === 1 ? "" : "s"} before these`);
    if (hidden > 0) parts.push(`${hidden} on rows that are not shown`);
    this.#note(parts.join(", "));
  }
}

/** Arrows from each link to the one that waited for it; returns how many have no row. */
function drawChain(g: CanvasRenderingContext2D, p: Plot, place: Place, task: TaskDetail): number {
  let later: TaskRef = task, hidden = 0;
  for (const link of task.chain.links) {
    if (link.key === task.key && !link.transfer) continue;
    const a = end(place, p, link), b = begin(place, p, later);
    if (!a || !b) hidden++;
    else arrow(g, a, b, p.color(link.transfer ? "--mark" : "--chain"));
    if (!link.transfer) outline(g, p, place, link, "--chain", 1.5);
    later = link;
  }
  return hidden;
}

type Point = { x: number; y: number };

function end(place: Place, p: Plot, t: ChainLink): Point | null {
  const row = place.row((t.transfer && t.from) || t.worker);
  return row && Number.isFinite(t.end) ? { x: p.x(t.end), y: row.y + row.h / 2 } : null;
}

function begin(place: Place, p: Plot, t: TaskRef): Point | null {
  const row = place.row(t.worker);
  return row && Number.isFinite(t.start) ? { x: p.x(t.start), y: row.y + row.h / 2 } : null;
}

function outline(g: CanvasRenderingContext2D, p: Plot, place: Place, t: TaskRef, color: string, width: number): void {
  const row = place.row(t.worker);
  if (!row || !Number.isFinite(t.start)) return;
  const x0 = p.x(t.start), w = Math.max(3, p.x(t.end) - x0);
  g.strokeStyle = p.color("--paper");
  g.lineWidth = width + 2;
  g.strokeRect(x0, row.y, w, row.h);
  g.strokeStyle = p.color(color);
  g.lineWidth = width;
  g.strokeRect(x0, row.y, w, row.h);
}

function arrow(g: CanvasRenderingContext2D, a: Point, b: Point, color: string): void {
  g.strokeStyle = g.fillStyle = color;
  g.lineWidth = 1.75;
  g.beginPath();
  g.moveTo(a.x, a.y);
  g.lineTo(b.x, b.y);
  g.stroke();
  g.beginPath();
  head(g, a.x, a.y, b.x, b.y, 9);
  g.fill();
}
