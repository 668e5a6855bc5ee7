// What is painted for each panel of each run: what is seen first, with stand-ins
// where tiles are missing, then with what lies around it.
import type { Fetcher, Wish } from "./fetcher";
import { tileSpan } from "./level";
import type { Piece } from "./merge";
import { paintPieces } from "./painter";
import { planOf, type Need, type Plan } from "./plan";
import type { FromWorker, PaintJob, SceneJob } from "./protocol";
import { Series, type StandIn } from "./series";
import { TILE_WIDTH, X_UNIT, Y_UNIT } from "./tile";

type Send = (message: FromWorker, transfer: Transferable[]) => void;

interface Slot {
  job: PaintJob;
  plan: Plan;
  series: Series;
  failed: Set<string>;
  stage: "waiting" | "seen" | "whole";
  painted: boolean; // something is on screen for this job
}

const SEEN = 0, AROUND = 1000, NEXT = 2000; // priorities of tiles
const PARTIAL_MS = 120; // between pictures of a job whose tiles arrive slowly

export class Slots {
  readonly #fetcher: Fetcher;
  readonly #send: Send;
  #slots = new Map<string, Slot>();
  #scenes = new Map<string, SceneJob>();
  #dirty = new Set<string>();
  #series = new Map<string, Series>(); // by path and query
  #last = new Map<string, number>();
  #running = false;

  constructor(fetcher: Fetcher, send: Send) {
    this.#fetcher = fetcher;
    this.#send = send;
  }

  paint(job: PaintJob): void {
    this.#scenes.delete(job.slot);
    const slot: Slot = { job, plan: planOf(job), series: this.#seriesOf(job), failed: new Set(), stage: "waiting", painted: false };
    this.#slots.set(job.slot, slot);
    this.#fetcher.want(job.slot, this.#wishes(slot));
    this.#mark(job.slot);
  }

  scene(job: SceneJob): void {
    this.#slots.delete(job.slot);
    this.#scenes.set(job.slot, job);
    const path = scenePath(job);
    if (this.#fetcher.tiles.has(path)) this.#fetcher.want(job.slot, []);
    else this.#fetcher.want(job.slot, [{ path, priority: SEEN }]);
    this.#mark(job.slot);
  }

  drop(slot: string): void {
    this.#slots.delete(slot);
    this.#scenes.delete(slot);
    this.#fetcher.want(slot, []);
  }

  arrived(slots: string[]): void {
    for (const slot of slots) this.#mark(slot);
  }

  failed(slots: string[], path: string, message: string): void {
    for (const id of slots) {
      const slot = this.#slots.get(id), seq = slot?.job.seq ?? this.#scenes.get(id)?.seq;
      if (seq === undefined) continue;
      slot?.failed.add(path);
      const seen = !slot || slot.plan.visible.some((n) => n.path === path);
      if (seen) this.#send({ type: "error", slot: id, seq, message }, []);
      this.#mark(id);
    }
  }

  #seriesOf(job: PaintJob): Series {
    const key = `${job.path}?${job.query}`;
    let series = this.#series.get(key);
    if (!series) this.#series.set(key, (series = new Series()));
    return series;
  }

  #wishes(slot: Slot): Wish[] {
    const out: Wish[] = [];
    const add = (list: Need[], from: number) =>
      list.forEach((n, i) => {
        if (this.#fetcher.tiles.has(n.path)) slot.series.note(n, slot.job.height);
        else out.push({ path: n.path, priority: from + i });
      });
    add(slot.plan.visible, SEEN);
    add(slot.plan.around, AROUND);
    add(slot.plan.next, NEXT);
    return out;
  }

  #mark(slot: string): void {
    this.#dirty.add(slot);
    if (this.#running) return;
    this.#running = true;
    setTimeout(() => this.#run(), 0);
  }

  // One picture, then other messages have their turn: a newer job may have come.
  #run(): void {
    const id = this.#dirty.values().next().value;
    this.#running = false;
    if (id === undefined) return;
    this.#dirty.delete(id);
    const scene = this.#scenes.get(id), slot = this.#slots.get(id);
    if (scene) this.#paintScene(scene);
    else if (slot) this.#advance(slot);
    if (this.#dirty.size > 0) {
      this.#running = true;
      setTimeout(() => this.#run(), 0);
    }
  }

  #advance(slot: Slot): void {
    const { plan, job } = slot, has = (n: Need) => this.#fetcher.tiles.has(n.path) || slot.failed.has(n.path);
    for (const n of [...plan.visible, ...plan.around, ...plan.next])
      if (this.#fetcher.tiles.has(n.path)) slot.series.note(n, job.height);
    if (!plan.visible.every(has)) return this.#partial(slot);
    const whole = plan.around.every(has);
    if (slot.stage === "whole" || (slot.stage === "seen" && !whole)) return;
    slot.stage = whole ? "whole" : "seen";
    this.#picture(slot, whole ? plan.around : plan.around.filter((n) => this.#fetcher.tiles.has(n.path)), true);
  }

  #partial(slot: Slot): void {
    const now = performance.now(), last = this.#last.get(slot.job.slot) ?? -Infinity;
    const due = slot.job.urgent && !slot.painted;
    if (!due && now - last < PARTIAL_MS) return;
    if (!due && !slot.job.urgent) return;
    slot.painted = true;
    this.#picture(slot, [], false);
  }

  #picture(slot: Slot, around: Need[], complete: boolean): void {
    const { job, plan } = slot, began = performance.now();
    const { t0, t1 } = extent(plan.visible, around, job);
    const nsPerDev = job.nsPerPx / job.dpr;
    const width = Math.max(1, Math.round((t1 - t0) / nsPerDev)), height = Math.max(1, Math.round(job.height * job.dpr));
    const pieces = [...plan.visible, ...around].flatMap((n) => this.#pieces(slot, n, t0, nsPerDev, width));
    if (pieces.length === 0 && !complete) return;
    const bitmap = paintPieces(pieces, { width, height, own: false, style: { dpr: job.dpr, font: job.font, paper: job.paper, view: { x0: (job.view.t0 - t0) / nsPerDev, x1: (job.view.t1 - t0) / nsPerDev } } });
    const now = performance.now();
    this.#last.set(job.slot, now);
    this.#send({ type: "bitmap", slot: job.slot, seq: job.seq, bitmap, t0, t1: t0 + width * nsPerDev, height: job.height, complete, paint_ms: now - began }, [bitmap]);
  }

  #pieces(slot: Slot, n: Need, t0: number, nsPerDev: number, width: number): Piece[] {
    const tile = this.#fetcher.tiles.get(n.path);
    const from: StandIn[] = tile ? [{ tile, t0: n.t0, level: n.level, height: slot.job.height }] : slot.series.standIns(this.#fetcher.tiles, n);
    return from.map((s) => pieceOf(s, n, slot.job, t0, nsPerDev, width));
  }

  #paintScene(job: SceneJob): void {
    const tile = this.#fetcher.tiles.get(scenePath(job));
    if (!tile) return;
    const began = performance.now(), { dpr } = job;
    const width = Math.max(1, Math.round(job.width * dpr)), height = Math.max(1, Math.round(job.height * dpr));
    const piece: Piece = { tile, at: 0, scale: dpr / X_UNIT, yScale: dpr / Y_UNIT, clip0: 0, clip1: width };
    const bitmap = paintPieces([piece], { width, height, own: true, style: { dpr, font: job.font, paper: job.paper, view: { x0: 0, x1: width } } });
    this.#send({ type: "bitmap", slot: job.slot, seq: job.seq, bitmap, t0: job.t0, t1: job.t1, height: job.height, complete: true, paint_ms: performance.now() - began }, [bitmap]);
  }
}

function scenePath(job: SceneJob): string {
  const q = job.query ? "&" + job.query : "";
  return `${job.path}/scene?t0=${job.t0}&t1=${job.t1}&width=${job.width}&height=${job.height}${q}`;
}

// Only neighbours without a gap: a hole in a picture would hide the coarser one behind it.
function extent(visible: Need[], around: Need[], job: PaintJob): { t0: number; t1: number } {
  const left = around.filter((n) => n.t0 < visible[0]!.t0).sort((a, b) => b.t0 - a.t0);
  const right = around.filter((n) => n.t0 > visible[0]!.t0).sort((a, b) => a.t0 - b.t0);
  let edge = visible[0]!.t0, t0 = edge;
  for (const n of left) {
    if (n.t1 !== edge) break;
    t0 = edge = n.t0;
  }
  edge = visible.at(-1)!.t1;
  let t1 = edge;
  for (const n of right) {
    if (n.t0 !== edge) break;
    t1 = edge = n.t1;
  }
  return onGrid(Math.max(t0, job.pad.t0), Math.min(t1, job.pad.t1), job);
}

// Whole pixels beside what is seen: the edges of boxes then do not depend on how
// much lies around it.
function onGrid(t0: number, t1: number, job: PaintJob): { t0: number; t1: number } {
  const nsPerDev = job.nsPerPx / job.dpr, { view } = job;
  const left = Math.max(0, Math.floor((view.t0 - t0) / nsPerDev)), right = Math.max(0, Math.floor((t1 - view.t1) / nsPerDev));
  return { t0: view.t0 - left * nsPerDev, t1: view.t1 + right * nsPerDev };
}

function pieceOf(s: StandIn, n: Need, job: PaintJob, t0: number, nsPerDev: number, width: number): Piece {
  const span = tileSpan(s.level), x = (t: number) => (t - t0) / nsPerDev;
  const clip0 = Math.max(0, x(Math.max(n.t0, s.t0))), clip1 = Math.min(width, x(Math.min(n.t1, s.t0 + span)));
  const yScale = ((job.height / s.height) * job.dpr) / Y_UNIT;
  return { tile: s.tile, at: x(s.t0), scale: span / TILE_WIDTH / X_UNIT / nsPerDev, yScale, clip0, clip1: Math.max(clip0, clip1) };
}
