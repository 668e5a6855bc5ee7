import { brush, binOf, scale, ticks, totals, type Scale } from "./bins";
import { fill, h, svg } from "./dom";
import { grouped } from "./number";

export interface HistogramData {
  edges: number[]; // one more than bins
  counts: number[][]; // [series][bin]
  names: string[]; // of the series
}

export interface HistogramOptions {
  label: string;
  color(name: string): string;
  format(value: number): string; // of edges: a duration
  height?: number;
  marks?: { value: number; text: string; class?: string }[];
  brushed?: { min: number; max: number } | null;
  brush?: (range: { min: number; max: number } | null) => void;
  pick?: (name: string) => void; // click on a series
}

const axisHeight = 16;

/** A histogram by series, stacked. Dragging along it selects durations; its
 *  axes are logarithmic or linear. */
export class HistogramView {
  readonly root: HTMLElement;
  private plot = h("div", { class: "hist-plot" });
  private readout = h("div", { class: "hist-read", "aria-live": "polite" });
  private logX = true;
  private logY = false;
  private data: HistogramData = { edges: [], counts: [], names: [] };
  private dragged: { from: number; to: number } | null = null;
  private observer = new ResizeObserver(() => this.draw());

  constructor(private o: HistogramOptions) {
    this.root = h("div", { class: "hist", role: "group", "aria-label": o.label },
      this.plot,
      h("div", { class: "hist-foot" }, this.readout, this.toggle("log durations", true, (on) => (this.logX = on)),
        this.toggle("log counts", false, (on) => (this.logY = on))));
    this.observer.observe(this.plot);
    this.listen();
  }

  /** Shows other data, or other marks and brush. */
  set(data: HistogramData, o: Partial<HistogramOptions> = {}): void {
    this.data = data;
    this.o = { ...this.o, ...o };
    this.draw();
  }

  destroy(): void {
    this.observer.disconnect();
  }

  private toggle(text: string, on: boolean, set: (on: boolean) => void): HTMLElement {
    const box = h("input", { type: "checkbox", checked: on });
    box.addEventListener("change", () => {
      set(box.checked);
      this.draw();
    });
    return h("label", { class: "check" }, box, text);
  }

  private get width(): number {
    return Math.max(60, this.plot.clientWidth || 300);
  }

  private scale(): Scale {
    return scale(this.data.edges, this.width, this.logX);
  }

  private draw(): void {
    const height = this.o.height ?? 110;
    const { edges, counts } = this.data;
    if (edges.length < 2) return fill(this.plot, h("p", { class: "muted" }, "There are no durations to show."));
    const s = this.scale();
    const sums = totals(counts, edges.length - 1);
    const root = svg("svg", { width: this.width, height: height + axisHeight, class: "hist-svg", role: "img", "aria-label": this.summary(sums) });
    this.drawBars(root, s, sums, height);
    this.drawAxis(root, s, height);
    this.drawMarks(root, s, height);
    this.drawBrush(root, s, height);
    fill(this.plot, root);
  }

  private summary(sums: number[]): string {
    const n = sums.reduce((a, b) => a + b, 0);
    const most = sums.indexOf(Math.max(...sums));
    const e = this.data.edges;
    return `${this.o.label}: ${grouped(n)} in ${sums.length} bins, most between ${this.o.format(e[most]!)} and ${this.o.format(e[most + 1]!)}`;
  }

  private drawBars(root: SVGElement, s: Scale, sums: number[], height: number): void {
    const { edges, counts, names } = this.data;
    const top = Math.max(1, ...sums);
    const h1 = (n: number): number => (this.logY ? Math.log1p(n) / Math.log1p(top) : n / top) * (height - 4);
    for (let b = 0; b < sums.length; b++) {
      if (!sums[b]) continue;
      const x0 = s.x(edges[b]!);
      const w = Math.max(1, s.x(edges[b + 1]!) - x0 - 0.5);
      const full = Math.max(1, h1(sums[b]!)); // a single task among millions is seen, too
      let y = height;
      for (let k = 0; k < names.length; k++) {
        const part = (full * (counts[k]?.[b] ?? 0)) / sums[b]!;
        if (part === 0) continue;
        y -= part;
        root.append(svg("rect", { x: x0, y, width: w, height: part, fill: this.o.color(names[k]!), "data-series": k }));
      }
    }
  }

  private drawAxis(root: SVGElement, s: Scale, height: number): void {
    root.append(svg("line", { x1: 0, x2: this.width, y1: height + 0.5, y2: height + 0.5, class: "hist-axis" }));
    let free = -Infinity;
    for (const t of ticks(s, this.logX, Math.max(2, Math.floor(this.width / 56)))) {
      const x = s.x(t);
      root.append(svg("line", { x1: x, x2: x, y1: height, y2: height + 3, class: "hist-axis" }));
      const text = this.o.format(t);
      const half = text.length * 3;
      if (x - half < free || x + half > this.width + half / 2) continue;
      root.append(svg("text", { x: Math.max(half, Math.min(x, this.width - half)), y: height + 13, class: "hist-tick", "text-anchor": "middle" }, text));
      free = x + half + 6;
    }
  }

  private drawMarks(root: SVGElement, s: Scale, height: number): void {
    for (const m of this.o.marks ?? []) {
      const x = Math.min(this.width - 1, Math.max(1, s.x(m.value)));
      root.append(
        svg("line", { x1: x, x2: x, y1: 0, y2: height, class: "hist-mark " + (m.class ?? "") }),
        svg("text", { x: x + (x > this.width / 2 ? -4 : 4), y: 10, class: "hist-mark-text", "text-anchor": x > this.width / 2 ? "end" : "start" }, m.text));
    }
  }

  private drawBrush(root: SVGElement, s: Scale, height: number): void {
    const range = this.dragged ? brush(this.data.edges, s, this.dragged.from, this.dragged.to) : this.o.brushed;
    if (!range) return;
    const x0 = s.x(range.min);
    const x1 = Math.min(this.width, s.x(range.max + 1));
    root.append(svg("rect", { x: x0, y: 0, width: Math.max(2, x1 - x0), height, class: "hist-brush" }));
  }

  private listen(): void {
    this.plot.addEventListener("pointermove", (e) => this.move(e));
    this.plot.addEventListener("pointerleave", () => fill(this.readout));
    this.plot.addEventListener("pointerdown", (e) => this.down(e));
    this.plot.addEventListener("pointerup", (e) => this.up(e));
    this.plot.addEventListener("pointercancel", () => this.stop());
    this.plot.addEventListener("dblclick", () => this.brushTo(null));
    if (this.o.brush) this.brushByKeys();
  }

  // Arrows move the brush by a bin, with Shift they widen it.
  private brushByKeys(): void {
    this.plot.tabIndex = 0;
    this.plot.setAttribute("aria-label", this.o.label + ": arrows select durations, Shift widens, Escape clears");
    this.plot.setAttribute("role", "group");
    this.plot.addEventListener("keydown", (e) => {
      const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
      if (e.key === "Escape" && this.o.brushed) this.brushTo(null);
      else if (step !== 0) this.brushTo(this.stepped(step, e.shiftKey));
      else return;
      e.preventDefault();
      e.stopPropagation();
    });
  }

  private stepped(step: number, widen: boolean): { min: number; max: number } {
    const { edges } = this.data;
    const n = edges.length - 1;
    const clamp = (i: number): number => Math.max(0, Math.min(n - 1, i));
    const now = this.o.brushed;
    const first = now ? binOf(edges, now.min) : step > 0 ? -1 : n;
    const last = now ? binOf(edges, now.max) : first;
    const a = clamp(widen && step > 0 ? first : first + step);
    const b = clamp(widen && step < 0 ? last : last + step);
    const unit: Scale = { lo: 0, hi: n, x: (v) => v, value: (x) => edges[clamp(Math.floor(x))]! };
    return brush(edges, unit, a, b);
  }

  private at(e: PointerEvent): number {
    return e.clientX - this.plot.getBoundingClientRect().left;
  }

  private down(e: PointerEvent): void {
    if (!this.o.brush || e.button !== 0 || this.data.edges.length < 2) return;
    this.plot.setPointerCapture(e.pointerId);
    this.dragged = { from: this.at(e), to: this.at(e) };
  }

  private move(e: PointerEvent): void {
    if (this.dragged) {
      this.dragged.to = this.at(e);
      this.draw();
    }
    this.read(this.at(e));
  }

  private read(x: number): void {
    const { edges, counts, names } = this.data;
    if (edges.length < 2) return;
    const b = binOf(edges, this.scale().value(x));
    const parts = names.map((name, k) => ({ name, n: counts[k]?.[b] ?? 0 })).filter((p) => p.n > 0).sort((p, q) => q.n - p.n);
    const shown = parts.slice(0, 3).map((p) => (names.length > 1 ? `${grouped(p.n)} ${p.name}` : grouped(p.n)));
    const more = parts.length > 3 ? `, ${parts.length - 3} more` : "";
    fill(this.readout, `${this.o.format(edges[b]!)} – ${this.o.format(edges[b + 1]!)}: ${shown.join(", ") || "none"}${more}`);
  }

  private up(e: PointerEvent): void {
    const drag = this.dragged;
    if (!drag) return;
    this.stop();
    if (Math.abs(drag.to - drag.from) < 3) return this.click(e);
    this.brushTo(brush(this.data.edges, this.scale(), drag.from, drag.to));
  }

  // Shown at once; whoever listens may take its time.
  private brushTo(range: { min: number; max: number } | null): void {
    if (!this.o.brush) return;
    this.o.brushed = range;
    this.draw();
    this.o.brush(range);
  }

  private click(e: PointerEvent): void {
    const el = document.elementFromPoint(e.clientX, e.clientY);
    const k = el?.getAttribute("data-series");
    if (k && this.o.pick) this.o.pick(this.data.names[Number(k)]!);
    else if (this.o.brushed) this.brushTo(null);
  }

  private stop(): void {
    this.dragged = null;
    this.draw();
  }
}
