// One panel of one run: its margins, and its body as bitmaps that are moved and
// stretched while better ones are being painted.
import type { Frame, PanelInfo, Row, RunInfo } from "../api/types";
import type { Span } from "../core/store";
import type { Picture } from "../paint/client";
import { h, svg } from "../widgets/dom";
import { drawMargin, drawOwnAxis } from "./margin";

const OWN_AXIS_HEIGHT = 32;
const NAME_HEIGHT = 17; // of the line with the run's name

/** A bitmap on screen and the span that it shows. */
class Layer {
  readonly canvas = h("canvas", { "aria-hidden": "true" });
  readonly #context = this.canvas.getContext("bitmaprenderer")!;
  shown: Span | null = null;
  bytes = 0;
  #width = 0; // CSS px

  set(p: Picture, dpr: number): void {
    this.#width = p.bitmap.width / dpr;
    this.bytes = p.bitmap.width * p.bitmap.height * 4;
    this.canvas.style.width = `${this.#width}px`;
    this.canvas.style.height = `${p.bitmap.height / dpr}px`;
    this.#context.transferFromImageBitmap(p.bitmap);
    this.shown = { t0: p.t0, t1: p.t1 };
  }

  clear(): void {
    this.shown = null;
    this.bytes = 0;
    this.#context.transferFromImageBitmap(null);
  }

  /** Puts it where its span lies in the window; on whole device px when it is not stretched. */
  place(now: Span, width: number, stretchY: number): void {
    if (!this.shown || this.#width === 0) return;
    const perNs = width / (now.t1 - now.t0);
    let x = (this.shown.t0 - now.t0) * perNs;
    let scale = ((this.shown.t1 - this.shown.t0) * perNs) / this.#width;
    if (Math.abs(scale - 1) < 1e-3) {
      scale = 1;
      x = Math.round(x * devicePixelRatio) / devicePixelRatio;
    }
    this.canvas.style.transform = `translateX(${x}px) scale(${scale},${stretchY})`;
  }
}

export class Slot {
  readonly id: string;
  readonly panel: string;
  info: PanelInfo;
  run: RunInfo;
  frame: Frame | null = null;
  readonly root: HTMLElement;
  readonly body: HTMLElement;
  readonly left = svg("svg", { class: "margin-left", role: "img" });
  readonly #right = svg("svg", { class: "margin-right", "aria-hidden": "true" });
  readonly #own = svg("svg", { class: "own-axis", "aria-hidden": "true" });
  readonly #name = h("span");
  readonly #say = h("div", { class: "slot-message", hidden: true });
  readonly #marks = h("div", { class: "marks", "aria-hidden": "true" });
  readonly readout = h("div", { class: "readout", "aria-hidden": "true" });
  readonly #head = h("div", { class: "run-name" }, this.#name);
  readonly #base = new Layer();
  readonly #top = new Layer();
  height = 120; // of the body, CSS px
  pictureHeight = 0;
  // What was asked for and what came.
  seq = 0;
  paintedSeq = 0;
  frameBusy = false;
  baseKey = "";
  asked = ""; // the last job, to not ask twice
  askedKey = ""; // what of it is not the place: the same key is the same picture elsewhere
  shownKey = ""; // that of the picture on screen

  constructor(run: RunInfo, info: PanelInfo, named: boolean) {
    this.id = `${run.id}/${info.id}`;
    this.run = run;
    this.info = info;
    this.panel = info.id;
    this.#base.canvas.className = "pic base";
    this.#top.canvas.className = "pic";
    this.body = h("div", { class: "body", "data-slot": this.id }, this.#base.canvas, this.#top.canvas, this.#marks, this.#say);
    this.root = h("div", { class: "slot", "data-run": run.id }, this.#head, h("div", { class: "slot-row" }, h("div", { class: "gutter-left" }, this.left), this.body, h("div", { class: "gutter-right" }, this.#right)), this.#own);
    this.setName(named ? run.name : "");
    this.setHeight(this.height);
  }

  get time(): boolean {
    return this.info.time;
  }

  get bytes(): number {
    return this.#base.bytes + this.#top.bytes;
  }

  setHeight(height: number): void {
    this.height = height;
    this.body.style.height = `${height}px`;
  }

  setFrame(frame: Frame, left: number, width: number, right: number): void {
    this.frame = frame;
    this.setHeight(frame.missing ? 28 : frame.height);
    this.say(frame.missing);
    this.layout(left, width, right);
    this.#drawMarks(frame);
  }

  setName(name: string): void {
    this.#name.textContent = name;
    this.#head.hidden = name === "";
    if (name !== "") this.#head.append(this.readout);
  }

  /** Draws the margins for the widths that all panels share. */
  layout(left: number, width: number, right: number): void {
    const f = this.frame;
    if (!f) return;
    drawMargin(this.left, f.left, left, left, f.height + 12);
    drawMargin(this.#right, f.right, 0, right, f.height + 12);
    this.root.style.paddingTop = `${Math.max(4, Math.ceil(-above(f)) - (this.#head.hidden ? 0 : NAME_HEIGHT))}px`;
    this.left.setAttribute("aria-label", f.rows.length > 0 ? `${f.rows.length} rows` : f.ylabel || "scale");
    const own = f.axis !== null && !f.missing && (f.axis.ticks.length > 0 || f.axis.label !== "");
    this.#own.style.display = own ? "block" : "none";
    if (own) {
      this.#own.style.marginLeft = `${left}px`;
      this.#own.style.height = `${OWN_AXIS_HEIGHT}px`;
      drawOwnAxis(this.#own, f.axis!, width);
    }
  }

  /** A sentence in place of the picture, "" for none. */
  say(text: string, error = false): void {
    this.#say.hidden = text === "";
    this.#say.textContent = text;
    this.#say.classList.toggle("error", error);
  }

  setPicture(p: Picture, dpr: number): void {
    this.#top.set(p, dpr);
    this.pictureHeight = p.height;
    this.shownKey = p.complete && p.seq === this.seq ? this.askedKey : "";
    if (p.complete) this.paintedSeq = Math.max(this.paintedSeq, p.seq);
  }

  setBase(p: Picture): void {
    this.#base.set(p, 1);
  }

  clear(): void {
    this.#top.clear();
    this.#base.clear();
    this.baseKey = "";
  }

  /** Whether the picture shows all of a span. */
  covers(s: Span): boolean {
    const p = this.#top.shown;
    return p !== null && p.t0 <= s.t0 && p.t1 >= s.t1;
  }

  place(now: Span, width: number): void {
    const stretch = this.pictureHeight > 0 ? this.height / this.pictureHeight : 1;
    if (!this.time) return this.#top.place(this.#top.shown ?? now, width, stretch);
    this.#top.place(now, width, stretch);
    this.#base.place(now, width, stretch);
    const below = this.covers(now) && this.pictureHeight > 0 ? "hidden" : ""; // what cannot be seen is not put together
    if (this.#base.canvas.style.visibility !== below) this.#base.canvas.style.visibility = below;
    this.#placeMarks(now, width);
  }

  #drawMarks(f: Frame): void {
    this.#marks.replaceChildren(...f.marks.map((m) => {
      const dashed = m.dash.length > 0 ? "dashed" : "solid";
      return h("div", { class: "mark", "data-t": m.t, style: { "border-left": `1.5px ${dashed} ${m.color}` } }, h("span", { style: { color: m.color } }, m.label));
    }));
  }

  #placeMarks(now: Span, width: number): void {
    for (const m of this.#marks.children as HTMLCollectionOf<HTMLElement>) {
      const x = ((Number(m.dataset.t) - now.t0) / (now.t1 - now.t0)) * width;
      m.style.transform = `translateX(${Math.round(x)}px)`;
      m.hidden = x < -1 || x > width + 1;
      m.classList.toggle("flip", x > width - 130);
    }
  }

  /** The row at y px from the top of the body. */
  rowAt(y: number): Row | null {
    return this.frame?.rows.find((r) => y >= r.y && y < r.y + r.h) ?? null;
  }

  /** The row of a name: its own, or that of a worker behind it. */
  row(name: string): Row | null {
    const rows = this.frame?.rows ?? [];
    return rows.find((r) => r.name === name) ?? rows.find((r) => r.workers.includes(name)) ?? null;
  }
}

/** How far the texts of the margins reach above the body, px below zero. */
function above(f: Frame): number {
  return Math.min(0, ...[...f.left.texts, ...f.right.texts].map((t) => t.y - t.size));
}
