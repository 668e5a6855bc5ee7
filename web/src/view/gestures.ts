// Pointer and wheel on the panels and the axis.
import type { AreaState, Span } from "../core/store";
import type { App } from "../core/app";
import { h } from "../widgets/dom";
import { Pinch } from "./pinch";
import type { Slot } from "./slot";
import type { Timeline } from "./timeline";

export type Mode = "pan" | "area" | "ruler" | "range";

const LARGE = 300_000; // tasks
const CLICK_PX = 4; // less is a click, not a drag

export interface GestureEvents {
  click(slot: Slot, clientX: number, clientY: number): void;
  double(slot: Slot, clientX: number, clientY: number): void;
  rows(slot: Slot, clientX: number, clientY: number): void; // a click on row labels
  mode(mode: Mode): void; // a mode is left after use
}

export class Gestures {
  mode: Mode = "pan"; // of a plain drag
  readonly #t: Timeline;
  readonly #app: App;
  readonly #pinch: Pinch;
  readonly #events: GestureEvents;
  readonly #prepared = new Set<string>(); // checksums of runs
  readonly #band = h("div", { class: "band", hidden: true });

  constructor(timeline: Timeline, app: App, events: GestureEvents) {
    this.#t = timeline;
    this.#app = app;
    this.#pinch = new Pinch(timeline);
    this.#events = events;
    timeline.overlays.canvas.after(this.#band);
    timeline.content.addEventListener("pointerdown", (e) => this.#press(e));
    timeline.content.addEventListener("dblclick", (e) => {
      const slot = timeline.slotOf(document.elementFromPoint(e.clientX, e.clientY)); // the event's target is what captured the pointer
      if (slot?.time) events.double(slot, e.clientX, e.clientY);
    });
    timeline.content.addEventListener("wheel", (e) => this.#wheel(e), { passive: false });
    timeline.axis.addEventListener("pointerdown", (e) => this.#pressAxis(e));
    timeline.axis.addEventListener("wheel", (e) => this.#wheelTime(e), { passive: false });
  }

  // A wheel over a picture zooms; beside it, and with Alt, the page scrolls.
  #wheel(e: WheelEvent): void {
    const slot = this.#t.slotOf(e.target as Element);
    if (!slot?.time || (e.altKey && !e.ctrlKey)) return;
    this.#wheelTime(e);
  }

  #wheelTime(e: WheelEvent): void {
    e.preventDefault();
    const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1, v = this.#t.viewport;
    const perPx = (v.now.t1 - v.now.t0) / this.#t.width;
    const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY);
    if (e.shiftKey || sideways) return v.pan((sideways ? e.deltaX : e.deltaY) * unit * perPx);
    const strength = e.ctrlKey ? 0.006 : 0.002; // a pinch arrives as small steps with Ctrl
    v.zoom(Math.exp(Math.max(-120, Math.min(120, e.deltaY * unit)) * strength), this.#t.timeAt(e.clientX), Math.abs(e.deltaY * unit) >= 50);
  }

  #press(e: PointerEvent): void {
    if (e.button !== 0 && e.button !== 1) return;
    const target = e.target as Element, slot = this.#t.slotOf(target);
    if (!slot) {
      const label = target.closest(".gutter-left")?.parentElement?.querySelector(".body");
      const beside = label ? this.#t.slotOf(label) : null;
      if (beside && e.button === 0) this.#events.rows(beside, e.clientX, e.clientY);
      return;
    }
    if (!slot.time) return;
    const mode: Mode = e.button === 1 ? "pan" : e.altKey ? "area" : e.shiftKey ? "range" : this.mode;
    e.preventDefault();
    this.#t.scroller.focus({ preventScroll: true });
    if (mode === "pan") this.#pan(e, slot);
    else this.#drag(e, slot, mode);
  }

  #pan(e: PointerEvent, slot: Slot): void {
    const from = this.#t.viewport.target, perPx = (from.t1 - from.t0) / this.#t.width, top = this.#t.scroller.scrollTop;
    let far = false;
    this.#track(e, (m) => {
      far ||= Math.hypot(m.clientX - e.clientX, m.clientY - e.clientY) >= CLICK_PX;
      if (!far || this.#pinch.active) return;
      document.body.classList.add("panning");
      const by = (e.clientX - m.clientX) * perPx;
      this.#t.viewport.jump({ t0: from.t0 + by, t1: from.t1 + by });
      this.#t.scroller.scrollTop = top + e.clientY - m.clientY;
    }, () => {
      document.body.classList.remove("panning");
      if (!far) this.#events.click(slot, e.clientX, e.clientY);
    });
  }

  #drag(e: PointerEvent, slot: Slot, mode: Mode): void {
    const begin = this.#t.timeAt(e.clientX);
    if (mode === "area") this.#prepare(slot, begin);
    let far = false;
    this.#track(e, (m) => {
      far ||= Math.abs(m.clientX - e.clientX) >= CLICK_PX || Math.abs(m.clientY - e.clientY) >= 2 * CLICK_PX;
      if (far) this.#drawBand(slot, mode, e, m);
    }, (m) => {
      this.#band.hidden = true;
      if (!far) return this.#events.click(slot, e.clientX, e.clientY);
      const end = this.#t.timeAt(m.clientX), span = { t0: Math.round(Math.min(begin, end)), t1: Math.round(Math.max(begin, end)) };
      if (span.t1 > span.t0) this.#done(slot, mode, span, e.clientY, m.clientY);
    });
  }

  // The first question about areas of a large run takes long: it is asked while the area is drawn.
  #prepare(slot: Slot, t: number): void {
    const { run } = slot, at = Math.round(t);
    if (run.tasks < LARGE || this.#prepared.has(run.checksum)) return;
    this.#prepared.add(run.checksum);
    this.#app.api.json(`runs/${run.id}/select`, { t0: at, t1: at + 1, ...this.#app.params(run) }).catch(() => this.#prepared.delete(run.checksum));
  }

  #done(slot: Slot, mode: Mode, span: Span, y0: number, y1: number): void {
    if (mode === "range") this.#t.zoomTo(span.t0, span.t1);
    else if (mode === "ruler") this.#app.store.set({ ruler: span }, { history: "push" });
    else this.#app.store.set({ area: this.#area(slot, span, y0, y1), pane: "area" }, { history: "push" });
    if (this.mode !== "pan") this.#events.mode("pan");
  }

  #area(slot: Slot, span: Span, y0: number, y1: number): AreaState {
    const rows = this.#rowsBetween(slot, y0, y1);
    const all = slot.frame?.rows.length === rows.length || rows.length === 0;
    return { run: this.#app.ref(slot.run), ...span, workers: all ? null : rows.flatMap((r) => r.workers) };
  }

  #rowsBetween(slot: Slot, a: number, b: number) {
    const top = slot.body.getBoundingClientRect().top, y0 = Math.min(a, b) - top, y1 = Math.max(a, b) - top;
    return (slot.frame?.rows ?? []).filter((r) => r.y + r.h > y0 && r.y < y1);
  }

  #drawBand(slot: Slot, mode: Mode, from: PointerEvent, to: PointerEvent): void {
    const stage = this.#t.scroller.getBoundingClientRect(), body = slot.body.getBoundingClientRect();
    const x0 = Math.max(body.left, Math.min(from.clientX, to.clientX)), x1 = Math.min(body.right, Math.max(from.clientX, to.clientX));
    const rows = mode === "area" ? this.#rowsBetween(slot, from.clientY, to.clientY) : [];
    const y0 = rows.length > 0 ? body.top + rows[0]!.y : mode === "area" ? body.top : stage.top;
    const y1 = rows.length > 0 ? body.top + rows.at(-1)!.y + rows.at(-1)!.h : mode === "area" ? body.bottom : stage.bottom;
    this.#band.hidden = false;
    this.#band.className = `band ${mode}`;
    this.#band.style.cssText = `left:${x0 - stage.left}px;top:${Math.max(stage.top, y0) - stage.top}px;width:${x1 - x0}px;height:${Math.max(0, Math.min(stage.bottom, y1) - Math.max(stage.top, y0))}px`;
  }

  #pressAxis(e: PointerEvent): void {
    if (e.button !== 0) return;
    e.preventDefault();
    const begin = this.#t.timeAt(e.clientX), stage = this.#t.scroller.getBoundingClientRect();
    const mode: Mode = this.mode === "ruler" || e.altKey ? "ruler" : "range";
    let far = false;
    this.#track(e, (m) => {
      far ||= Math.abs(m.clientX - e.clientX) >= CLICK_PX;
      this.#band.hidden = !far;
      this.#band.className = `band ${mode}`;
      this.#band.style.cssText = `left:${Math.min(e.clientX, m.clientX) - stage.left}px;width:${Math.abs(m.clientX - e.clientX)}px;top:0;bottom:0`;
    }, (m) => {
      this.#band.hidden = true;
      const end = this.#t.timeAt(m.clientX);
      if (!far) return;
      const span = { t0: Math.round(Math.min(begin, end)), t1: Math.round(Math.max(begin, end)) };
      if (mode === "ruler") this.#app.store.set({ ruler: span }, { history: "push" });
      else this.#t.zoomTo(span.t0, span.t1);
      if (this.mode !== "pan") this.#events.mode("pan");
    });
  }

  // Until the button is let go; Escape gives up.
  #track(e: PointerEvent, move: (m: PointerEvent) => void, up: (m: PointerEvent) => void): void {
    const element = e.currentTarget as HTMLElement;
    element.setPointerCapture(e.pointerId);
    const end = (m: PointerEvent) => {
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", end);
      element.removeEventListener("pointercancel", end);
      up(m);
    };
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
  }
}
