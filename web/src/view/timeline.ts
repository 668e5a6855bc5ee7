// The timeline: panels on one time axis, moved by the main thread as bitmaps
// while the worker paints better ones.
import type { Frame, Row, RunInfo } from "../api/types";
import type { App, Overlay, Place, Plot, View } from "../core/app";
import { wholeWindow } from "../core/start";
import { niceTicks, type Ticks } from "../core/time";
import type { Span } from "../core/store";
import type { TaskDetail } from "../api/types";
import type { Picture } from "../paint/client";
import { AXIS_HEIGHT, drawAxis } from "./axis";
import { h } from "../widgets/dom";
import { marginWidth } from "./margin";
import { Minimap } from "./minimap";
import { Overlays } from "./overlays";
import { PanelBox, type PanelActions } from "./panel";
import { player } from "./player";
import { Requests } from "./requests";
import { Slot } from "./slot";
import { Viewport } from "./viewport";
import { listOption } from "./options";

const REQUEST_MS = 80; // between requests while the window moves
const BASE_MS = 600; // after the last picture
const LEFT_LEAST = 56, RIGHT_LEAST = 12;

export class Timeline implements View {
  readonly root: HTMLElement;
  readonly scroller: HTMLElement;
  readonly content = h("div", { class: "panels" });
  readonly axis = h("canvas", { class: "axis", tabindex: 0, role: "img", "aria-label": "Time axis: drag to zoom to a range" });
  readonly viewport: Viewport;
  readonly overlays = new Overlays();
  readonly minimap: Minimap;
  readonly frames: number[] = []; // ms of the newest frames on the main thread
  readonly cursor = h("div", { class: "cursor", hidden: true });
  readonly requests: Requests;
  afterDraw: () => void = () => {}; // of every frame
  readonly #app: App;
  readonly #actions: PanelActions;
  readonly #grid = h("div", { class: "grid", "aria-hidden": "true" });
  readonly #axisRow: HTMLElement;
  readonly #over: HTMLElement;
  #boxes: PanelBox[] = [];
  #slots: Slot[] = [];
  #asked = 0;
  #dirty = false;
  #requestTimer = 0;
  #baseTimer = 0;
  #frameTimer = 0;
  #framesOf: (s: Slot) => boolean = () => true; // when the timer ends
  left = LEFT_LEAST;
  right = RIGHT_LEAST;
  width = 100; // of bodies
  boxLeft = 0; // of the panels, px of the page

  constructor(app: App, actions: PanelActions) {
    this.#app = app;
    this.#actions = actions;
    this.viewport = new Viewport(app.store.state.window, () => this.#moved(), (s) => this.#settled(s));
    this.minimap = new Minimap(app, this.viewport);
    this.#axisRow = h("div", { class: "axis-row" }, this.axis);
    this.scroller = h("div", { class: "scroller", tabindex: -1 }, this.content);
    this.#over = h("div", { class: "over" }, this.#grid, this.overlays.canvas, this.cursor);
    this.root = h("main", { class: "timeline", "aria-label": "Timeline" }, this.minimap.root, this.#axisRow, h("div", { class: "stage" }, this.scroller, this.#over));
    this.requests = new Requests(app, {
      slots: () => this.#slots, target: () => this.viewport.target, whole: () => this.viewport.limits, width: () => this.width,
      visible: (s) => this.#visible(s), framed: (s, f) => this.#framed(s, f), painted: () => this.#painted(), minimap: (p) => this.#minimapPicture(p),
    });
    new ResizeObserver(() => this.#resized()).observe(this.scroller);
    this.scroller.addEventListener("scroll", () => {
      this.redraw();
      this.#requestSoon();
    }, { passive: true });
    app.store.subscribe(["window"], (s) => this.viewport.follow(s.window));
    app.store.subscribe(["runs", "panels"], () => this.rebuild());
    app.store.subscribe(["options", "align"], () => this.refresh());
    app.store.subscribe(["runs", "align"], (s) => this.#realigned(s.window));
    app.store.subscribe(["origin", "notes", "ruler"], () => this.redraw());
  }

  get slots(): readonly Slot[] {
    return this.#slots;
  }

  // --- View

  zoomTo(t0: number, t1: number): void {
    this.viewport.glide({ t0, t1 });
  }

  async reveal(run: string, key: string): Promise<void> {
    const info = this.#app.run(run);
    if (!info) return this.#app.announce(`${run} is not among the runs`);
    try {
      const task = await this.#app.api.json<TaskDetail>(`runs/${info.id}/tasks/${encodeURIComponent(key)}`, { levels: 0, ...this.#app.params(info) }, { channel: "reveal" });
      if (task.start === null || !Number.isFinite(task.start)) return this.#app.announce(`Task ${key} never ran`);
      this.revealSpan(task.start, task.end);
      this.revealRow(info.id, task.worker);
    } catch (err) {
      if (err instanceof DOMException) return;
      this.#app.announce((err as Error).message);
    }
  }

  /** Brings a span into the window: without zooming if it can be seen well enough. */
  revealSpan(start: number, end: number): void {
    const now = this.viewport.target, length = now.t1 - now.t0, d = Math.max(1, end - start);
    const seen = (d / length) * this.width >= 3 && d < length;
    if (seen && start >= now.t0 + 0.02 * length && end <= now.t1 - 0.02 * length) return;
    const next = seen ? length : Math.max(d * 30, this.viewport.shortest);
    // Not beyond the run, where there is nothing to see.
    const { limits } = this.viewport, slack = 0.02 * next;
    const t0 = Math.max(limits.t0 - slack, Math.min((start + end - next) / 2, limits.t1 + slack - next));
    this.zoomTo(t0, t0 + next);
  }

  revealRow(run: string, worker: string): void {
    const slot = this.#slots.find((s) => s.run.id === run && s.info.rows && s.row(worker) !== null);
    const row = slot?.row(worker);
    if (!slot || !row) return;
    const top = slot.body.getBoundingClientRect().top + row.y, box = this.scroller.getBoundingClientRect();
    if (top < box.top + 40) this.scroller.scrollBy({ top: top - box.top - 80 });
    else if (top + row.h > box.bottom) this.scroller.scrollBy({ top: top + row.h - box.bottom + 40 });
  }

  /** The row of a worker and where it is on the page. */
  rowOf(run: string, worker: string): { row: Row; run: RunInfo; at: { x: number; y: number } } | null {
    const info = this.#app.run(run), slot = this.#slots.find((s) => s.run === info && s.info.rows && s.row(worker) !== null), row = slot?.row(worker);
    return slot && row ? { row, run: slot.run, at: { x: this.boxLeft + this.left, y: slot.body.getBoundingClientRect().top + row.y } } : null;
  }

  overlay(name: string, draw: Overlay | null): void {
    this.overlays.set(name, draw);
    this.redraw();
  }

  redraw(): void {
    if (this.#dirty) return;
    this.#dirty = true;
    requestAnimationFrame((time) => this.#draw(time));
  }

  // --- Panels

  /** Makes the panels of the state; what is on screen stays. */
  rebuild(): void {
    const { panels } = this.#app.store.state, runs = this.#app.runs(), before = new Map(this.#slots.map((s) => [s.id, s]));
    this.#boxes = panels.flatMap((p) => {
      const info = this.#app.session.panels.find((x) => x.id === p.id);
      if (!info) return [];
      const slots = runs.map((r) => {
        const old = before.get(`${r.id}/${p.id}`);
        const slot = old && old.run.checksum === r.checksum && old.info.title === info.title ? old : new Slot(r, info, runs.length > 1);
        slot.run = r;
        slot.info = info;
        slot.setName(runs.length > 1 ? r.name : "");
        return slot;
      });
      return [new PanelBox(info, slots, this.#actions, player(this.#app, info, slots))];
    });
    this.#slots = this.#boxes.flatMap((b) => b.slots);
    for (const s of before.values()) if (!this.#slots.includes(s)) this.requests.drop(s);
    this.#keepingPlace(() => this.content.replaceChildren(...this.#boxes.map((b) => b.root)));
    this.left = LEFT_LEAST;
    this.right = RIGHT_LEAST;
    for (const s of this.#slots) this.#gutters(s.frame);
    this.#layout();
    this.#updateBoxes();
    this.refresh();
  }

  // Focus and scrolling outlive that panels are made again.
  #keepingPlace(change: () => void): void {
    const focus = document.activeElement, panel = this.content.contains(focus) ? focus?.closest<HTMLElement>(".panel")?.dataset.panel : undefined;
    const kind = focus?.classList[0], top = this.scroller.scrollTop;
    change();
    this.scroller.scrollTop = top;
    if (panel !== undefined && kind) this.content.querySelector<HTMLElement>(`[data-panel="${CSS.escape(panel)}"] .${CSS.escape(kind)}`)?.focus({ preventScroll: true });
  }

  /** Asks for everything again: options, theme or data changed. */
  refresh(): void {
    this.requests.frames();
    this.redraw();
  }

  /** The theme changed: colours and pictures are others. */
  recolor(): void {
    this.overlays.forgetColors();
    this.refresh();
  }

  resizePanel(id: string, height: number | null): void {
    for (const s of this.#slots) if (s.panel === id && height !== null && !s.frame?.missing) s.setHeight(height);
    this.redraw();
  }

  // Who looked at all of it looks at all of what it has become.
  #realigned(window: Span): void {
    const before = this.viewport.limits, now = wholeWindow(this.#app.session, this.#app.store.state);
    this.setLimits(now);
    const same = (a: Span, b: Span) => a.t0 === b.t0 && a.t1 === b.t1;
    if (same(window, before) && !same(now, before)) this.viewport.glide(now);
  }

  setLimits(limits: Span): void {
    this.viewport.limits = limits;
    this.redraw();
  }

  slotOf(element: Element | null): Slot | null {
    const id = element?.closest<HTMLElement>(".slot .body")?.dataset.slot;
    return this.#slots.find((s) => s.id === id) ?? null;
  }

  /** Instant at a place of the screen. */
  timeAt(clientX: number): number {
    const x = clientX - this.boxLeft - this.left;
    return this.viewport.now.t0 + (x / this.width) * (this.viewport.now.t1 - this.viewport.now.t0);
  }

  /** All pictures on screen are of the present window. */
  async ready(): Promise<void> {
    let quiet = 0;
    while (quiet < 3) {
      await new Promise((r) => setTimeout(r, 16));
      const busy = this.viewport.moving || this.#requestTimer !== 0 || this.#frameTimer !== 0 || this.requests.busy() || this.#slots.some((s) => s.run.state === "loading");
      quiet = busy ? 0 : quiet + 1;
    }
    await new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
  }

  // --- Moving

  #moved(): void {
    this.redraw();
    this.#requestSoon();
  }

  #settled(s: Span): void {
    this.#app.store.set({ window: s }, { history: "push" });
    this.requests.frames();
    this.#requestSoon();
  }

  #requestSoon(): void {
    if (this.#requestTimer) return;
    const wait = Math.max(0, REQUEST_MS - (performance.now() - this.#asked));
    this.#requestTimer = window.setTimeout(() => {
      this.#requestTimer = 0;
      this.#asked = performance.now();
      this.requests.pictures();
    }, wait);
  }

  #framed(slot: Slot, frame: Frame): void {
    const before = slot.frame;
    slot.frame = frame;
    const wider = this.#gutters(frame);
    slot.setFrame(frame, this.left, this.width, this.right);
    if (!before || before.missing !== frame.missing) slot.asked = "";
    if (wider) {
      this.#layout();
      this.#framesLater((s) => !s.time); // what has an axis of its own was drawn for another width
    }
    this.#updateBoxes(slot.panel);
    this.redraw();
    this.#requestSoon();
  }

  #painted(): void {
    this.redraw();
    clearTimeout(this.#baseTimer);
    this.#baseTimer = window.setTimeout(() => {
      this.requests.bases();
      this.#askMinimap();
    }, this.minimap.painted ? BASE_MS : 50);
  }

  #gutters(frame: Frame | null): boolean {
    if (!frame) return false;
    const left = Math.max(this.left, Math.ceil(frame.left_width), Math.ceil(marginWidth(frame.left)) + 2);
    const right = Math.max(this.right, Math.ceil(frame.right_width), Math.ceil(marginWidth(frame.right)) + 4);
    const changed = left !== this.left || right !== this.right;
    this.left = left;
    this.right = right;
    return changed;
  }

  #resized(): void {
    this.#layout();
    this.#framesLater(() => true);
  }

  #framesLater(which: (s: Slot) => boolean): void {
    const before = this.#frameTimer === 0 ? () => false : this.#framesOf;
    this.#framesOf = (s) => before(s) || which(s);
    clearTimeout(this.#frameTimer);
    this.#frameTimer = window.setTimeout(() => {
      this.#frameTimer = 0;
      this.requests.frames(this.#framesOf);
    }, 120);
  }

  #layout(): void {
    const room = this.scroller.clientWidth;
    this.boxLeft = this.scroller.getBoundingClientRect().left;
    this.width = Math.max(50, room - this.left - this.right);
    this.root.style.setProperty("--left", `${this.left}px`);
    this.root.style.setProperty("--right", `${this.right}px`);
    this.root.style.setProperty("--plot", `${this.width}px`);
    for (const s of this.#slots) s.layout(this.left, this.width, this.right);
    this.minimap.resize(this.width);
    this.#askMinimap();
    this.redraw();
    this.#requestSoon();
  }

  #updateBoxes(panel?: string): void {
    const { options } = this.#app.store.state;
    const state = { focus: listOption(options, "focus"), hide: listOption(options, "hide") };
    for (const b of this.#boxes) if (panel === undefined || b.id === panel) b.update(state);
  }

  #visible(s: Slot): boolean {
    const r = s.root.getBoundingClientRect(), box = this.scroller.getBoundingClientRect();
    return r.bottom > box.top - 300 && r.top < box.bottom + 300;
  }

  // Of several runs the longest; where they are aligned, the one whose time the axis shows.
  #askMinimap(): void {
    const all = this.#slots.filter((s) => s.time && s.run.state === "ready" && !s.frame?.missing);
    const panel = (all.find((s) => s.panel === "st") ?? all.find((s) => s.info.rows) ?? all[0])?.panel, aligned = this.#app.store.state.align !== "none";
    const length = (s: Slot) => s.run.window.t1 - s.run.window.t0;
    const slot = all.filter((s) => s.panel === panel).reduce<Slot | undefined>((a, b) => (a && (aligned || length(a) >= length(b)) ? a : b), undefined);
    if (slot?.frame) this.requests.minimap(slot, this.width, this.minimap.height);
  }

  #minimapPicture(p: Picture): void {
    this.minimap.setPicture(p);
    this.redraw();
  }

  // --- A frame

  #draw(time: number): void {
    const began = performance.now();
    this.#dirty = false;
    if (this.viewport.step(time)) this.redraw();
    const now = this.viewport.now;
    for (const s of this.#slots) s.place(now, this.width);
    const c = this.overlays.color;
    const ticks = drawAxis(this.axis, now, this.width, this.#app.store.state, { ink: c("--ink-soft"), soft: c("--line-strong"), accent: c("--accent"), paper: c("--paper") });
    this.#drawGrid(ticks);
    this.minimap.draw();
    this.overlays.draw(() => this.plot(), this.scroller.clientWidth, this.scroller.clientHeight);
    this.afterDraw();
    this.frames.push(performance.now() - began);
    if (this.frames.length > 2000) this.frames.splice(0, 1000);
  }

  // Nothing of the time axis is drawn over panels with an axis of their own.
  #clipOver(): void {
    const own = this.#boxes.flatMap((b) => b.slots.slice(0, 1)).filter((s) => !s.time && this.#visible(s)), box = this.scroller.getBoundingClientRect();
    const holes = own.map((s) => {
      const r = (s.root.closest(".panel") ?? s.root).getBoundingClientRect();
      return `M0 ${r.top - box.top}h${box.width}v${r.height}h${-box.width}z`;
    });
    const clip = own.length === 0 ? "" : `path(evenodd, "M0 0h${box.width}v${box.height}h${-box.width}z${holes.join("")}")`;
    if (this.#over.style.clipPath !== clip) this.#over.style.clipPath = clip;
  }

  #drawGrid(ticks: Ticks): void {
    this.#clipOver();
    while (this.#grid.childElementCount < ticks.at.length) this.#grid.append(h("div"));
    const { t0, t1 } = this.viewport.now;
    for (let i = 0; i < this.#grid.childElementCount; i++) {
      const line = this.#grid.children[i] as HTMLElement, t = ticks.at[i];
      line.hidden = t === undefined;
      if (t !== undefined) line.style.transform = `translateX(${Math.round(((t - t0) / (t1 - t0)) * this.width)}px)`;
    }
  }

  plot(): Plot {
    const { t0, t1 } = this.viewport.now, box = this.scroller.getBoundingClientRect(), left = this.left, width = this.width;
    return {
      left, width, height: this.scroller.clientHeight,
      x: (t) => left + ((t - t0) / (t1 - t0)) * width,
      t: (x) => t0 + ((x - left) / width) * (t1 - t0),
      color: this.overlays.color,
      places: this.#slots.filter((s) => s.time && s.frame && !s.frame.missing).map((s) => placeOf(s, box.top)),
    };
  }

  /** Ticks of the present axis, for steps of the keyboard. */
  step(): number {
    const { t0, t1 } = this.viewport.target;
    return niceTicks(t0, t1, this.#app.store.state.origin, this.width).step;
  }
}

function placeOf(s: Slot, top: number): Place {
  const y = s.body.getBoundingClientRect().top - top;
  return {
    panel: s.panel, run: s.run, y, height: s.height,
    row: (name) => {
      const r = s.row(name);
      return r && { y: y + r.y, h: r.h };
    },
  };
}

export { AXIS_HEIGHT };
