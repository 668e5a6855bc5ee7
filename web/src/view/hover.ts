// What is under the pointer: a line through all panels, their values at that
// instant, and a tip about the task.
import { isAbort } from "../api/client";
import type { Hover, Pick, Reading, Row, RunInfo } from "../api/types";
import type { App } from "../core/app";
import { instant } from "../core/time";
import { h } from "../widgets/dom";
import type { Slot } from "./slot";
import type { Timeline } from "./timeline";

const HOVER_MS = 70; // between requests

export class Hovering {
  readonly #t: Timeline;
  readonly #app: App;
  readonly #tip = h("div", { class: "tip", role: "tooltip", hidden: true });
  readonly #time = h("div", { class: "cursor-time", hidden: true, "aria-hidden": "true" });
  #timer = 0;
  #last = 0;
  #pressed = false;
  #at: { x: number; y: number; slot: Slot | null } | null = null;
  time: number | null = null; // of the cursor, ns

  constructor(timeline: Timeline, app: App) {
    this.#t = timeline;
    this.#app = app;
    document.body.append(this.#tip);
    timeline.axis.after(this.#time);
    for (const e of [timeline.content, timeline.axis]) {
      e.addEventListener("pointermove", (m) => this.#move(m as PointerEvent));
      e.addEventListener("pointerleave", () => this.#leave());
    }
    timeline.content.addEventListener("pointerdown", () => (this.#tip.hidden = true));
    timeline.content.addEventListener("pointerup", () => (this.#pressed = false));
    timeline.afterDraw = () => this.#follow();
  }

  // The window moved below the pointer: the line shows another instant.
  #follow(): void {
    if (!this.#at || (this.time !== null && Math.abs(this.#t.timeAt(this.#at.x) - this.time) < 1)) return;
    this.#tip.hidden = true;
    const x = this.#at.x - this.#t.boxLeft - this.#t.left;
    if (x < 0 || x > this.#t.width) return this.#leave(); // another pane is there now
    this.#place();
    this.#soon();
  }

  #move(m: PointerEvent): void {
    const x = m.clientX - this.#t.boxLeft - this.#t.left;
    if (x < 0 || x > this.#t.width) return this.#leave();
    const slot = this.#t.slotOf(m.target as Element);
    this.#at = { x: m.clientX, y: m.clientY, slot };
    this.#pressed = m.buttons !== 0;
    if (this.#pressed) this.#tip.hidden = true;
    this.#place();
    this.#soon();
  }

  /** The row below the pointer. */
  row(): { row: Row; run: RunInfo; at: { x: number; y: number } } | null {
    const at = this.#at, row = at?.slot?.rowAt(at.y - at.slot.body.getBoundingClientRect().top);
    return at?.slot && row ? { row, run: at.slot.run, at } : null;
  }

  #leave(): void {
    this.#at = null;
    this.time = null;
    this.#t.cursor.hidden = this.#time.hidden = this.#tip.hidden = true;
    for (const s of this.#t.slots) s.readout.replaceChildren();
  }

  #place(): void {
    const { x } = this.#at!, t = this.#t.timeAt(x), v = this.#t.viewport.now;
    const at = x - this.#t.boxLeft;
    this.time = t;
    this.#t.cursor.hidden = this.#time.hidden = false;
    this.#t.cursor.style.transform = `translateX(${Math.round(at)}px)`;
    this.#time.textContent = instant(t - this.#app.store.state.origin, (v.t1 - v.t0) / this.#t.width);
    const half = (this.#time.textContent.length * 6.5) / 2 + 5;
    this.#time.style.transform = `translateX(${Math.round(Math.max(half, Math.min(this.#t.left + this.#t.width, at)) - half)}px)`;
  }

  #soon(): void {
    if (this.#timer) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      this.#last = performance.now();
      this.#ask();
    }, Math.max(0, HOVER_MS - (performance.now() - this.#last)));
  }

  #ask(): void {
    if (!this.#at || this.time === null) return;
    if (this.#t.viewport.moving) { // values of another instant than the line's are pale
      for (const s of this.#t.slots) s.readout.classList.add("stale");
      return this.#soon();
    }
    const t = Math.round(this.time), { slot } = this.#at;
    for (const run of this.#app.runs()) if (run.state === "ready") void this.#read(run, t);
    if (slot?.time && slot.info.rows && !this.#pressed) void this.#pick(slot, t);
    else this.#tip.hidden = true;
  }

  async #read(run: RunInfo, t: number): Promise<void> {
    const slots = this.#t.slots.filter((s) => s.run.id === run.id && s.time && s.frame && !s.frame.missing);
    const panels = slots.map((s) => s.panel).join(",");
    if (panels === "") return;
    const answer = await this.#get<Hover>(`runs/${run.id}/hover`, { t, panels, ...this.#app.params(run) }, `hover/${run.id}`);
    if (!answer || this.time === null) return;
    for (const s of slots) {
      s.readout.replaceChildren(...(answer.panels?.[s.panel] ?? []).slice(0, 12).map(reading));
      s.readout.classList.remove("stale");
    }
  }

  async #pick(slot: Slot, t: number): Promise<void> {
    const hit = await pick(this.#app, this.#t, slot, this.#at!.y, t, "hover/pick");
    if (hit === undefined || !this.#at || this.time === null || Math.round(this.time) !== t) return; // of another place
    this.#tip.hidden = hit === null;
    if (!hit) return;
    this.#tip.textContent = hit.info || hit.label;
    const w = this.#tip.offsetWidth, h = this.#tip.offsetHeight, { x, y } = this.#at;
    this.#tip.style.left = `${x + 14 + w > innerWidth ? Math.max(4, x - 10 - w) : x + 14}px`;
    this.#tip.style.top = `${y + 18 + h > innerHeight ? y - 10 - h : y + 18}px`;
  }

  async #get<T>(path: string, params: Parameters<App["api"]["json"]>[1], channel: string): Promise<T | undefined> {
    try {
      return await this.#app.api.json<T>(path, params, { channel });
    } catch {
      return undefined; // the next move asks again
    }
  }
}

function reading(r: Reading): HTMLElement {
  const dot = r.color ? h("span", { class: "dot", style: { background: r.color } }) : null;
  return h("span", { class: "reading" }, dot, r.label ? h("span", { class: "reading-label" }, r.label) : null, h("b", {}, r.value), r.unit ? ` ${r.unit}` : null);
}

/** What is drawn at a place of a slot: undefined if it could not be asked. */
export async function pick(app: App, timeline: Timeline, slot: Slot, clientY: number, t: number, channel: string): Promise<Pick["hit"] | undefined> {
  const v = timeline.viewport.now, reach = Math.ceil(((v.t1 - v.t0) / timeline.width) * 3);
  const y = Math.max(0, clientY - slot.body.getBoundingClientRect().top);
  const params = { t: Math.round(t), y, height: Math.round(slot.frame?.height ?? slot.height), reach, ...app.params(slot.run, slot.panel) };
  try {
    return (await app.api.json<Pick>(`runs/${slot.run.id}/panels/${slot.panel}/pick`, params, { channel })).hit;
  } catch (err) {
    if (!isAbort(err) && channel !== "hover/pick") app.announce((err as Error).message);
    return undefined;
  }
}
