// Two fingers on a panel: the instants below them stay below them.
import type { Timeline } from "./timeline";

const LEAST_PX = 24; // between the fingers, so that the window stays finite

export class Pinch {
  readonly #t: Timeline;
  readonly #fingers = new Map<number, { x: number; at: number }>(); // where a finger is, the instant that it holds

  constructor(timeline: Timeline) {
    this.#t = timeline;
    const c = timeline.content;
    c.addEventListener("pointerdown", (e) => this.#press(e));
    c.addEventListener("pointermove", (e) => this.#move(e));
    for (const type of ["pointerup", "pointercancel"] as const) c.addEventListener(type, (e) => this.#fingers.delete(e.pointerId));
  }

  /** More than one finger is down: what one of them does alone does not count. */
  get active(): boolean {
    return this.#fingers.size > 1;
  }

  #press(e: PointerEvent): void {
    if (e.pointerType !== "touch" || !this.#t.slotOf(e.target as Element)?.time || this.#fingers.size > 1) return;
    this.#fingers.set(e.pointerId, { x: e.clientX, at: 0 });
    for (const f of this.#fingers.values()) f.at = this.#t.timeAt(f.x);
  }

  #move(e: PointerEvent): void {
    const finger = this.#fingers.get(e.pointerId);
    if (!finger) return;
    finger.x = e.clientX;
    if (!this.active) return;
    const [a, b] = [...this.#fingers.values()].sort((p, q) => p.at - q.at);
    const apart = Math.max(LEAST_PX, b!.x - a!.x), perPx = (b!.at - a!.at) / apart;
    const t0 = a!.at - (a!.x - this.#t.boxLeft - this.#t.left) * perPx;
    this.#t.viewport.jump({ t0, t1: t0 + perPx * this.#t.width });
  }
}
