// Asks for frames and pictures of the slots: what is on screen, for where the
// window is going, the newest request only.
import { isAbort, OfflineError, withParams } from "../api/client";
import type { Frame } from "../api/types";
import type { App } from "../core/app";
import { cssColor, FONT } from "../core/theme";
import type { PanelState, Span } from "../core/store";
import { Painter, type Picture } from "../paint/client";
import type { Slot } from "./slot";

const MARGIN = 0.15; // of the window beside it that a picture still shows when a new one is asked for
const PICTURES = 40 << 20; // bytes of pictures on screen and beside it
const WIDEST = 8192; // device px of a picture: what textures of plain GPUs hold
const BASE_WIDTH = 1024; // px of the picture of the whole run that lies below
const MINIMAP = "minimap";

export interface RequestHost {
  slots(): Slot[];
  target(): Span;
  whole(): Span;
  width(): number; // of bodies
  visible(slot: Slot): boolean;
  framed(slot: Slot, frame: Frame): void;
  painted(slot: Slot): void;
  minimap(p: Picture): void;
}

export class Requests {
  readonly #app: App;
  readonly #host: RequestHost;
  readonly #painter: Painter;
  #minimapAsked = "";
  lastPaint: number[] = []; // ms that the worker painted, of the newest pictures

  constructor(app: App, host: RequestHost) {
    this.#app = app;
    this.#host = host;
    this.#painter = new Painter(app.api.url(""), {
      bitmap: (p) => this.#bitmap(p),
      error: (id, seq, message) => this.#failed(id, seq, message),
      net: (offline) => app.api.report(offline),
    }, app.api.source.port?.());
  }

  resume(): void {
    this.#painter.resume();
  }

  drop(slot: Slot): void {
    this.#painter.drop(slot.id);
    this.#painter.drop(slot.id + "#base");
  }

  /** Frames of slots for the window, all or some; pictures follow when they come. */
  frames(which: (s: Slot) => boolean = () => true): void {
    for (const slot of this.#host.slots()) if (which(slot)) void this.#frame(slot);
  }

  /** Pictures of what is on screen. */
  pictures(): void {
    const on = this.#host.slots().filter((s) => s.frame && !s.frame.missing && this.#host.visible(s));
    const pad = this.#padding(on);
    for (const slot of on) this.#picture(slot, pad);
  }

  /** The picture of the whole run below each, when there is nothing else to do. */
  bases(): void {
    for (const slot of this.#host.slots()) if (slot.time && slot.frame && !slot.frame.missing && this.#host.visible(slot)) this.#base(slot);
  }

  busy(): boolean {
    return this.#host.slots().some((s) => s.frameBusy || (s.frame !== null && !s.frame.missing && this.#host.visible(s) && s.paintedSeq < s.seq));
  }

  async #frame(slot: Slot): Promise<void> {
    const { t0, t1 } = this.#host.target(), width = Math.round(this.#host.width());
    if (slot.run.state !== "ready") {
      slot.say(slot.run.state === "loading" ? `${slot.run.name} is being loaded…` : `${slot.run.name}: ${slot.run.error ?? "could not be loaded"}`, slot.run.state === "failed");
      return;
    }
    const state = this.#stateOf(slot);
    slot.frameBusy = true;
    const runs = this.#app.runs();
    const params = { t0, t1, width, ...(runs.length < this.#app.session.runs.length ? { runs: runs.map((r) => r.id).join(",") } : {}), ...(state?.height ? { height: state.height } : {}), ...this.#app.params(slot.run, slot.panel) };
    try {
      const frame = await this.#app.api.json<Frame>(`runs/${slot.run.id}/panels/${slot.panel}/frame`, params, { channel: `frame/${slot.id}` });
      slot.frameBusy = false;
      this.#host.framed(slot, frame);
    } catch (err) {
      if (isAbort(err)) return;
      slot.frameBusy = false;
      if (!(err instanceof OfflineError)) slot.say((err as Error).message, true);
    }
  }

  #stateOf(slot: Slot): PanelState | undefined {
    return this.#app.store.state.panels.find((p) => p.id === slot.panel);
  }

  // How far beyond the window pictures reach, as a share of it.
  #padding(on: Slot[]): number {
    const dpr = devicePixelRatio, width = this.#host.width();
    const seen = on.reduce((sum, s) => sum + s.height, 0) * width * dpr * dpr * 4;
    const byBytes = (PICTURES / Math.max(seen, 1) - 1) / 2, byWidth = (WIDEST / (width * dpr) - 1) / 2;
    return Math.max(0, Math.min(1, byBytes, byWidth));
  }

  #picture(slot: Slot, padding: number): void {
    const { t0, t1 } = this.#host.target(), width = this.#host.width(), f = slot.frame!;
    const common = { slot: slot.id, ...this.#drawing(slot), height: Math.round(f.height), dpr: devicePixelRatio };
    const job = slot.time
      ? { ...common, top: f.top, view: { t0, t1 }, pad: { t0: t0 - (t1 - t0) * padding, t1: t1 + (t1 - t0) * padding }, nsPerPx: (t1 - t0) / width, prefetch: true }
      : { ...common, t0, t1, width: Math.round(width) };
    const key = JSON.stringify("view" in job ? { ...job, view: 0, pad: 0 } : job);
    if ("view" in job && key === slot.shownKey && key === slot.askedKey && slot.covers(this.#inside(MARGIN))) return;
    const asked = JSON.stringify(job);
    if (asked === slot.asked) return;
    slot.askedKey = key;
    slot.asked = asked;
    const seq = ++slot.seq;
    if ("view" in job) this.#painter.paint({ ...job, seq, urgent: !slot.covers(this.#host.target()) });
    else this.#painter.scene({ ...job, seq });
  }

  // The window and a share of it on either side, as far as there is anything.
  #inside(share: number): Span {
    const { t0, t1 } = this.#host.target(), whole = this.#host.whole(), by = share * (t1 - t0);
    return { t0: Math.min(t0, Math.max(t0 - by, whole.t0)), t1: Math.max(t1, Math.min(t1 + by, whole.t1)) };
  }

  #base(slot: Slot): void {
    const whole = this.#host.whole(), f = slot.frame!;
    const job = { slot: slot.id + "#base", ...this.#drawing(slot), height: Math.round(f.height), dpr: 1, top: f.top, view: whole, pad: whole, nsPerPx: (whole.t1 - whole.t0) / BASE_WIDTH, urgent: false, prefetch: false };
    const key = JSON.stringify(job);
    if (key === slot.baseKey) return;
    slot.baseKey = key;
    this.#painter.paint({ ...job, seq: slot.seq });
  }

  /** The picture above the axis: a panel of the whole run in few pixels. */
  minimap(run: Slot, width: number, height: number): void {
    const whole = this.#host.whole();
    const job = { slot: MINIMAP, ...this.#drawing(run), height, dpr: devicePixelRatio, top: run.frame?.top ?? 0, view: whole, pad: whole, nsPerPx: (whole.t1 - whole.t0) / Math.max(1, width), urgent: true, prefetch: false };
    const key = JSON.stringify(job);
    if (key === this.#minimapAsked) return;
    this.#minimapAsked = key;
    this.#painter.paint({ ...job, seq: 0 });
  }

  #drawing(slot: Slot): { path: string; query: string; font: string; paper: string } {
    const query = withParams("", this.#app.params(slot.run, slot.panel)).replace(/^\?/, "");
    return { path: `runs/${slot.run.id}/panels/${slot.panel}`, query, font: FONT, paper: cssColor("--paper") };
  }

  #bitmap(p: Picture): void {
    if (p.slot === MINIMAP) return this.#host.minimap(p);
    const base = p.slot.endsWith("#base"), id = base ? p.slot.slice(0, -5) : p.slot;
    const slot = this.#host.slots().find((s) => s.id === id);
    if (!slot) return p.bitmap.close();
    this.lastPaint = [...this.lastPaint.slice(-199), p.paint_ms];
    if (base) slot.setBase(p);
    else {
      slot.say("");
      slot.setPicture(p, devicePixelRatio);
    }
    this.#host.painted(slot);
  }

  #failed(id: string, seq: number, message: string): void {
    const slot = this.#host.slots().find((s) => s.id === id);
    if (!slot) return;
    slot.paintedSeq = Math.max(slot.paintedSeq, seq);
    slot.asked = ""; // the next move asks again
    slot.say(message, true);
  }
}
