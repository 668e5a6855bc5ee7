import { copyText } from "./clipboard";
import { toTSV, type Cell } from "./csv";
import { fill, h, uid, type Child } from "./dom";
import { grouped } from "./number";
import { Pages, Scroll, type Fetch, type Page } from "./paging";

export interface Column<T> {
  id: string;
  title: string;
  width: number; // px at first
  number?: boolean; // right-aligned
  sort?: boolean;
  doc?: string;
  cell(row: T): Child;
  value(row: T): Cell; // as it is copied
  key?(row: T): Cell; // what rows that are all here are sorted by, if not the value
}

export interface TableOptions<T> {
  label: string;
  columns: Column<T>[];
  /** Pages of the rows in an order; sort is a column's id. */
  fetch(sort: { id: string; desc: boolean } | null, offset: number, limit: number): Promise<Page<T>>;
  sort?: { id: string; desc: boolean };
  open?: (row: T, e: MouseEvent | KeyboardEvent) => void; // click, Enter
  marked?: (row: T) => boolean; // as selected elsewhere
  total?: (total: number) => void;
  announce?: (text: string) => void;
  empty?: string;
  lines?: number; // height, in rows
}

const rowHeight = 22;
const copyMost = 100_000;
const restMs = 60;

/** A table of any number of rows: only the visible ones are in the page. */
export class DataTable<T> {
  readonly root: HTMLElement;
  private head = h("div", { class: "vt-head", role: "row" });
  private body = h("div", { class: "vt-body", role: "rowgroup" });
  private scroller: HTMLElement;
  private status = h("div", { class: "vt-status muted" });
  private sort: { id: string; desc: boolean } | null;
  private widths: number[];
  private pages: Pages<T>;
  private active = -1;
  private anchor = -1;
  private frame = 0;
  private timer = 0;
  private failed: string | null = null;
  private id = uid("vt");
  private observer = new ResizeObserver(() => this.draw());

  constructor(private o: TableOptions<T>) {
    this.sort = o.sort ?? null;
    this.widths = o.columns.map((c) => c.width);
    this.pages = new Pages<T>(this.fetcher(), (error) => this.arrived(error));
    this.scroller = h("div", {
      class: "vt", role: "grid", tabindex: "0", "aria-label": o.label, "aria-readonly": "true",
    }, this.head, this.body);
    if (o.lines !== undefined) this.scroller.style.setProperty("height", `${(o.lines + 1) * rowHeight + 14}px`);
    this.root = h("div", { class: "vt-wrap" }, this.scroller, this.status);
    this.drawHead();
    this.layout();
    this.listen();
    this.observer.observe(this.scroller);
    this.draw();
  }

  /** Forgets the rows and asks anew: the question behind fetch has changed. */
  reload(): void {
    this.failed = null;
    this.active = this.anchor = -1;
    this.pages.reset(this.fetcher());
    this.scroller.scrollTop = 0;
    this.draw();
  }

  /** Draws again: what is marked has changed. */
  refresh(): void {
    this.draw();
  }

  /** Moves the active row, by the keys of whoever holds the table. */
  step(by: number): void {
    this.moveTo(this.active + by, false);
  }

  get activeRow(): T | undefined {
    return this.active < 0 ? undefined : this.pages.get(this.active);
  }

  get order(): { id: string; desc: boolean } | null {
    return this.sort;
  }

  destroy(): void {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
  }

  private fetcher(): Fetch<T> {
    const sort = this.sort;
    return (offset, limit) => this.o.fetch(sort, offset, limit);
  }

  private arrived(error?: Error): void {
    if (error?.name === "AbortError") return this.draw(); // a newer page was wanted more
    this.failed = error ? error.message : null;
    if (!error && this.pages.total !== null) this.o.total?.(this.pages.total);
    this.draw();
  }

  private get total(): number {
    return this.pages.total ?? 0;
  }

  private bar(): Scroll {
    const view = Math.max(rowHeight, this.scroller.clientHeight - this.head.offsetHeight);
    return new Scroll(this.total, rowHeight, view);
  }

  private layout(): void {
    this.scroller.style.setProperty("--vt-cols", this.widths.map((w) => `${w}px`).join(" "));
    this.scroller.style.setProperty("--vt-width", `${this.widths.reduce((a, b) => a + b, 0)}px`);
  }

  private drawHead(): void {
    fill(this.head, this.o.columns.map((c, i) => {
      const sorted = this.sort?.id === c.id ? (this.sort.desc ? "descending" : "ascending") : "none";
      const arrow = sorted === "none" ? "" : sorted === "ascending" ? " ▴" : " ▾";
      const title = c.sort
        ? h("button", { type: "button", class: "vt-sort", title: c.doc ?? `Sort by ${c.title}`, onclick: () => this.sortBy(c.id) }, c.title, arrow)
        : h("span", { title: c.doc }, c.title);
      return h("div", { role: "columnheader", class: "vt-cell" + (c.number ? " num" : ""), "aria-sort": c.sort ? sorted : null, "aria-colindex": i + 1 },
        title,
        h("span", { class: "vt-grip", "aria-hidden": "true", onpointerdown: (e: PointerEvent) => this.resize(e, i), ondblclick: () => this.fit(i) }));
    }));
  }

  private sortBy(id: string): void {
    const desc = this.sort?.id === id ? !this.sort.desc : false;
    this.sort = { id, desc };
    this.drawHead();
    this.reload();
    this.o.announce?.(`Sorted by ${this.o.columns.find((c) => c.id === id)?.title ?? id}, ${desc ? "largest" : "smallest"} first`);
  }

  private resize(e: PointerEvent, i: number): void {
    e.preventDefault();
    const grip = e.currentTarget as HTMLElement;
    const from = { x: e.clientX, width: this.widths[i]! };
    grip.setPointerCapture(e.pointerId);
    grip.onpointermove = (m) => {
      this.widths[i] = Math.max(30, from.width + m.clientX - from.x);
      this.layout();
    };
    grip.onpointerup = () => (grip.onpointermove = grip.onpointerup = null);
  }

  // As wide as what is visible of the column.
  private fit(i: number): void {
    let widest = 30;
    for (const cell of this.scroller.querySelectorAll<HTMLElement>(`.vt-cell:nth-child(${i + 1})`)) {
      widest = Math.max(widest, cell.scrollWidth + 10);
    }
    this.widths[i] = Math.min(600, widest);
    this.layout();
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.drawNow());
  }

  private drawNow(): void {
    const bar = this.bar();
    const top = this.scroller.scrollTop;
    const first = Math.floor(bar.row(top));
    const last = first + Math.ceil(bar.view / rowHeight);
    this.ask(first, last);
    this.body.style.height = `${Math.max(bar.height, rowHeight)}px`;
    this.scroller.setAttribute("aria-rowcount", String(this.pages.total === null ? -1 : this.total + 1));
    const shift = top - (bar.row(top) - first) * rowHeight;
    const rows: HTMLElement[] = [];
    for (let i = first; i <= Math.min(last, this.total - 1); i++) rows.push(this.row(i, shift + (i - first) * rowHeight));
    const focused = this.body.contains(document.activeElement);
    this.body.replaceChildren(...rows);
    if (focused) this.scroller.focus({ preventScroll: true }); // rows are not the same ones any more
    const active = this.active >= first && this.active <= last ? `${this.id}-${this.active}` : null;
    if (active) this.scroller.setAttribute("aria-activedescendant", active);
    else this.scroller.removeAttribute("aria-activedescendant");
    this.say();
  }

  // The first page at once, others when the bar rests: who drags it over
  // millions of rows does not want all of them.
  private ask(first: number, last: number): void {
    clearTimeout(this.timer);
    if (this.pages.total === null) return this.pages.want(0, 0);
    if (this.pages.has(first, last)) return;
    this.timer = window.setTimeout(() => this.pages.want(first, last), restMs);
  }

  private say(): void {
    if (this.failed) fill(this.status, h("span", { class: "error", role: "alert" }, this.failed), " ", h("button", { type: "button", class: "link", onclick: () => this.reload() }, "try again"));
    else if (this.pages.total === null) fill(this.status, "loading…");
    else if (this.total === 0) fill(this.status, this.o.empty ?? "Nothing.");
    else fill(this.status);
  }

  private row(i: number, y: number): HTMLElement {
    const row = this.pages.get(i);
    const lo = Math.min(this.anchor, this.active);
    const hi = Math.max(this.anchor, this.active);
    const chosen = this.active >= 0 && i >= lo && i <= hi;
    const mark = row !== undefined && this.o.marked?.(row) === true;
    return h("div", {
      id: `${this.id}-${i}`, role: "row", "aria-rowindex": i + 2, "aria-selected": String(chosen),
      class: "vt-row" + (chosen ? " chosen" : "") + (mark ? " marked" : "") + (i % 2 ? " odd" : ""),
      style: { transform: `translateY(${y}px)` },
      onclick: (e: MouseEvent) => this.clicked(i, e),
    }, this.o.columns.map((c) =>
      h("div", { role: "gridcell", class: "vt-cell" + (c.number ? " num" : "") }, row === undefined ? "…" : c.cell(row))));
  }

  private clicked(i: number, e: MouseEvent): void {
    if (window.getSelection()?.type === "Range" && !e.shiftKey) return; // the user marks text
    this.active = i;
    if (!e.shiftKey) this.anchor = i;
    this.draw();
    const row = this.pages.get(i);
    if (row !== undefined && !e.shiftKey) this.o.open?.(row, e);
  }

  private listen(): void {
    this.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    this.scroller.addEventListener("keydown", (e) => this.key(e));
  }

  private key(e: KeyboardEvent): void {
    if (e.target !== this.scroller) return;
    const page = Math.max(1, Math.floor(this.bar().view / rowHeight) - 1);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.total, End: this.total };
    const step = steps[e.key];
    if (step !== undefined && !e.ctrlKey && !e.altKey) this.moveTo(this.active + step, e.shiftKey);
    else if (e.key === "Enter" && this.activeRow !== undefined) this.o.open?.(this.activeRow, e);
    else if (e.key.toLowerCase() === "c" && (e.ctrlKey || e.metaKey)) void this.copy();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  private moveTo(i: number, extend: boolean): void {
    if (this.total === 0) return;
    this.active = Math.max(0, Math.min(this.total - 1, i));
    if (!extend || this.anchor < 0) this.anchor = this.active;
    const top = this.bar().reveal(this.active, this.scroller.scrollTop);
    if (top !== null) this.scroller.scrollTop = top;
    this.draw();
  }

  /** Copies the chosen rows, or all if none is. */
  async copy(): Promise<void> {
    try {
      await this.copyRows();
    } catch (error) {
      this.o.announce?.(error instanceof Error ? error.message : String(error));
    }
  }

  private async copyRows(): Promise<void> {
    const first = this.active < 0 ? 0 : Math.min(this.anchor, this.active);
    const last = this.active < 0 ? this.total - 1 : Math.max(this.anchor, this.active);
    const rows = await this.pages.range(first, last, copyMost);
    const titles = this.o.columns.map((c) => c.title);
    const done = await copyText(toTSV([titles, ...rows.map((r) => this.o.columns.map((c) => c.value(r)))]));
    const left = last - first + 1 - rows.length;
    this.o.announce?.(done
      ? `Copied ${grouped(rows.length)} rows${left > 0 ? `; ${grouped(left)} more are in the CSV` : ""}`
      : "The browser did not allow copying");
  }
}

/** Pages of rows that are all here, sorted by the columns' values. */
export function localPages<T>(rows: T[], columns: Column<T>[]): TableOptions<T>["fetch"] {
  return async (sort, offset, limit) => {
    const column = sort && columns.find((c) => c.id === sort.id);
    const all = column ? sorted(rows, column.key ?? column.value, sort.desc) : rows;
    return { total: rows.length, rows: all.slice(offset, offset + limit) };
  };
}

/** A sorted copy: numbers by value, words with their numbers in order, nothing last. */
export function sorted<T>(rows: T[], value: (row: T) => Cell, desc: boolean): T[] {
  const sign = desc ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = value(a);
    const y = value(b);
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * compare(x, y);
  });
}

function compare(x: string | number | boolean, y: string | number | boolean): number {
  if (typeof x === "number" && typeof y === "number") return x - y;
  return String(x).localeCompare(String(y), "en", { numeric: true });
}
