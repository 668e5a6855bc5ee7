import type { App, Pane } from "../core/app";
import type { Align } from "../core/store";
import type { Alignment, Comparison, RunInfo, TaskRef } from "../api/types";
import { Cleanup, button, fill, h, select, type Child } from "../widgets/dom";
import { DataTable, localPages, type Column } from "../widgets/table";
import { kindNames } from "./columns";
import { failure, hint, load, section, taskLink, timeLink } from "./common";
import { change, count, counted, duration, percent, relative } from "./words";

/** What differs between two runs. */
export const pane: Pane = {
  id: "compare",
  title: "Compare",
  mount(root, app) {
    const view = new CompareView(root, app);
    return () => view.destroy();
  },
};

const alignments: { value: Align; text: string }[] = [
  { value: "none", text: "not at all: each run's own time" },
  { value: "start", text: "at their starts" },
  { value: "end", text: "at their ends" },
  { value: "progress", text: "by progress (same share of the work done)" },
  { value: "iteration", text: "by iteration" },
];

class CompareView {
  private end = new Cleanup();
  private tables: DataTable<never>[] = [];
  private a: RunInfo | undefined;
  private b: RunInfo | undefined;
  private controls = h("div", { class: "form" });
  private how = h("p", { class: "hint", "aria-live": "polite" });
  private body = h("div");
  private asked = "";

  constructor(root: HTMLElement, private app: App) {
    fill(root, this.controls, this.body);
    this.choose();
    this.end.add(app.store.subscribe(["runs", "align", "origin"], () => this.choose()), app.onSession(() => this.choose()));
  }

  destroy(): void {
    this.clear();
    this.end.run();
  }

  private clear(): void {
    for (const t of this.tables.splice(0)) t.destroy();
    this.app.view.overlay("pair", null);
  }

  private choose(): void {
    const all = this.app.session.runs;
    const shown = this.app.runs();
    const still = (r: RunInfo | undefined): RunInfo | undefined => all.find((x) => x.id === r?.id);
    this.a = still(this.a) ?? shown[0] ?? all[0];
    this.b = still(this.b) ?? shown.find((r) => r.id !== this.a?.id) ?? all.find((r) => r.id !== this.a?.id);
    if (!this.a || !this.b) return fill(this.body, intro());
    this.drawControls(all);
    this.load();
  }

  private drawControls(all: RunInfo[]): void {
    const names = all.map((r) => ({ value: r.id, text: r.name }));
    const pick = (label: string, now: RunInfo, set: (r: RunInfo) => void): Child => h("label", { class: "field" }, h("span", null, label),
      select(label, names, now.id, (id) => {
        set(all.find((r) => r.id === id)!);
        this.load();
      }));
    fill(this.controls,
      pick("A (before)", this.a!, (r) => (this.a = r)),
      pick("B (after)", this.b!, (r) => (this.b = r)),
      h("div", { class: "row" },
        button("Swap", () => {
          [this.a, this.b] = [this.b, this.a];
          this.drawControls(all);
          this.load();
        }),
        button("Show only these", () => this.showOnly())),
      h("label", { class: "field" }, h("span", null, "Align"),
        select("Alignment of the runs", alignments, this.app.store.state.align, (v) => this.app.store.set({ align: v as Align }, { history: "push" }))),
      this.how,
    );
    const b = this.b!;
    void alignment(this.app, b).then((a) => fill(this.how, a.words));
  }

  private showOnly(): void {
    this.app.store.set({ runs: [this.a!, this.b!].map((r) => ({ name: r.name, checksum: r.checksum })) }, { history: "push" });
  }

  private load(): void {
    const { a, b } = this;
    if (!a || !b) return;
    if (a.id === b.id) return fill(this.body, hint("A and B are the same run: choose another."));
    const asked = JSON.stringify([a.id, b.id, a.checksum, b.checksum, this.app.store.state.align, this.app.store.state.origin]);
    if (asked === this.asked) return;
    this.asked = asked;
    fill(this.body, h("p", { class: "muted" }, "comparing…"));
    void load(
      () => this.app.api.json<Comparison>("compare", { a: a.id, b: b.id }, { channel: "compare" }),
      (c) => this.draw(a, b, c),
      (error) => {
        this.asked = "";
        fill(this.body, failure(error));
      },
    );
  }

  private draw(a: RunInfo, b: RunInfo, c: Comparison): void {
    this.clear();
    fill(this.body,
      section("What changed", c.words.map((w) => h("p", { class: "words" }, this.linked(a, b, c, w))), overview(c)),
      this.table("Kinds", kindColumns(kindNames(c.kinds.map((k) => k.kind))), c.kinds, "delta"),
      this.table("Tasks that changed most", this.taskColumns(a, b), c.tasks, "delta", (t) => void this.showPair(a, b, t)),
      this.table(c.bounds_shared ? "Bounds, of both runs together" : "Bounds", boundColumns, c.bounds),
      this.table("Workers", workerColumns, c.workers),
      this.table("Phases", this.phaseColumns(), c.phases),
      section("How tasks were matched", matchWords(c), c.notes.map((n) => h("p", { class: "note" }, n))),
    );
  }

  // "GEMM 477 → 344" are two tasks of the table below.
  private linked(a: RunInfo, b: RunInfo, c: Comparison, sentence: string): Child[] {
    for (const t of c.tasks) {
      const name = `${t.a.kind} ${t.a.key} → ${t.b.key}`;
      const at = sentence.indexOf(name);
      if (at < 0) continue;
      return [sentence.slice(0, at), taskLink(this.app, a, t.a, `${t.a.kind} ${t.a.key}`), " → ", taskLink(this.app, b, t.b), sentence.slice(at + name.length)];
    }
    return [sentence];
  }

  private table<T>(title: string, columns: Column<T>[], rows: T[], sort?: string, open?: (row: T) => void): HTMLElement | null {
    if (rows.length === 0) return null;
    const t = new DataTable<T>({
      label: title, columns, fetch: localPages(rows, columns), announce: (s) => this.app.announce(s),
      ...(sort ? { sort: { id: sort, desc: true } } : {}), ...(open ? { open } : {}), lines: Math.min(rows.length, 12),
    });
    this.tables.push(t as unknown as DataTable<never>);
    return section(`${title} (${count(rows.length)})`, open ? hint("A click shows a task in both runs.") : null, t.root);
  }

  private taskColumns(a: RunInfo, b: RunInfo): Column<Comparison["tasks"][0]>[] {
    const link = (run: RunInfo, r: TaskRef): Child => taskLink(this.app, run, r);
    const kinds = kindNames(a.kinds);
    return [
      { id: "kind", title: "kind", width: kinds.width, sort: true, cell: (t) => kinds.name(t.a.kind), value: (t) => t.a.kind },
      { id: "a", title: "in A", width: 50, cell: (t) => link(a, t.a), value: (t) => t.a.key },
      { id: "b", title: "in B", width: 50, cell: (t) => link(b, t.b), value: (t) => t.b.key },
      ns("a_ns", "A", (t) => t.a_ns), ns("b_ns", "B", (t) => t.b_ns), delta((t) => t.a_ns, (t) => t.b_ns, false),
      { id: "workers", title: "worker", width: 130, cell: (t) => (t.moved ? `${t.a.worker} → ${t.b.worker}` : t.b.worker), value: (t) => `${t.a.worker} ${t.b.worker}` },
      { id: "how", title: "matched by", width: 110, cell: (t) => t.how, value: (t) => t.how },
    ];
  }

  private phaseColumns(): Column<Comparison["phases"][0]>[] {
    return [
      { id: "name", title: "phase", width: 110, sort: true, cell: (p) => p.name, value: (p) => p.name },
      ns("a_ns", "A", (p) => p.a_ns), ns("b_ns", "B", (p) => p.b_ns), delta((p) => p.a_ns, (p) => p.b_ns),
      { id: "from", title: "starts in A", width: 100, number: true, cell: (p) => timeLink(this.app, p.a_t0), value: (p) => p.a_t0 },
    ];
  }

  // Both tasks in the window, each outlined in its run.
  private async showPair(a: RunInfo, b: RunInfo, t: Comparison["tasks"][0]): Promise<void> {
    const [ta, tb] = await Promise.all([onAxis(this.app, a, t.a), onAxis(this.app, b, t.b)]);
    const app = this.app;
    app.store.set({ selected: { run: app.ref(b), key: t.b.key } }, { history: "replace" });
    const t0 = Math.min(ta.start, tb.start);
    const t1 = Math.max(ta.end, tb.end);
    app.view.zoomTo(t0 - 0.3 * (t1 - t0), t1 + 0.3 * (t1 - t0));
    app.view.overlay("pair", (g, plot) => {
      g.strokeStyle = plot.color("--accent");
      g.lineWidth = 2;
      for (const place of plot.places) {
        const ref = place.run.id === a.id ? ta : place.run.id === b.id ? tb : null;
        const row = ref && place.row(ref.worker);
        if (row) g.strokeRect(plot.x(ref.start) - 1, row.y, Math.max(3, plot.x(ref.end) - plot.x(ref.start) + 2), row.h);
      }
    });
  }
}

const alignmentOf = new Map<string, Promise<Alignment>>();

/** A task's span on the axis: comparisons have each run's own time. */
async function onAxis(app: App, run: RunInfo, r: TaskRef): Promise<TaskRef> {
  const knots = await alignmentKnots(app, run);
  return { ...r, start: toAxis(knots, r.start), end: toAxis(knots, r.end) };
}

/** What maps a run's own time to the axis; no knots where they are the same. */
export async function alignmentKnots(app: App, run: RunInfo): Promise<Alignment["knots"]> {
  return (await alignment(app, run)).knots;
}

const unaligned: Alignment = { knots: [], words: "" };

async function alignment(app: App, run: RunInfo): Promise<Alignment> {
  const p = app.params(run);
  if (!p["align"] || p["align"] === "none" || p["ref"] === run.id) return unaligned;
  const key = JSON.stringify([run.id, p["align"], p["ref"]]);
  let a = alignmentOf.get(key);
  if (!a) alignmentOf.set(key, (a = app.api.json<Alignment>(`runs/${run.id}/align`, { align: p["align"], ref: p["ref"] })));
  return a.catch((error: unknown) => {
    alignmentOf.delete(key);
    return { knots: [], words: error instanceof Error ? error.message : String(error) };
  });
}

/** Maps a run's own time piecewise linearly to the axis; beyond the knots in parallel. */
export function toAxis(knots: Alignment["knots"], own: number): number {
  if (knots.length === 0) return own;
  const first = knots[0]!;
  const last = knots[knots.length - 1]!;
  if (own <= first.own) return first.axis + own - first.own;
  if (own >= last.own) return last.axis + own - last.own;
  const i = knots.findIndex((k) => k.own > own);
  const [p, q] = [knots[i - 1]!, knots[i]!];
  return p.axis + ((own - p.own) * (q.axis - p.axis)) / (q.own - p.own);
}

function intro(): HTMLElement {
  return h("div", null,
    hint("Only one run is open. To compare two, start dagscope with both:"),
    h("pre", { class: "code" }, "dagscope serve BEFORE.dsr AFTER.dsr"),
    hint("Their panels are then stacked on one time axis, and this tab says what changed: by kind, worker, bound and phase, and which tasks changed most."));
}

function overview(c: Comparison): HTMLElement {
  const row = (name: string, a: string, b: string, d = ""): Child => h("tr", null, h("th", { scope: "row" }, name), h("td", { class: "num" }, a), h("td", { class: "num" }, b), h("td", { class: "num" }, d));
  return h("table", { class: "plain-table" },
    h("thead", null, h("tr", null, h("td"), h("th", { scope: "col", class: "num", title: c.a.name }, "A"), h("th", { scope: "col", class: "num", title: c.b.name }, "B"), h("th", { scope: "col", class: "num" }, "change"))),
    h("tbody", null,
      row("makespan", duration(c.a.makespan_ns), duration(c.b.makespan_ns), `${change(c.b.makespan_ns - c.a.makespan_ns)} (${relative(c.a.makespan_ns, c.b.makespan_ns)})`),
      row("tasks", count(c.a.tasks), count(c.b.tasks), signed(c.b.tasks - c.a.tasks)),
      row("workers", count(c.a.workers), count(c.b.workers), signed(c.b.workers - c.a.workers)),
      row("idle", percent(c.a.idle_share), percent(c.b.idle_share), points(c.a.idle_share, c.b.idle_share))));
}

function signed(n: number): string {
  return n === 0 ? "0" : n > 0 ? `+${count(n)}` : `−${count(-n)}`;
}

function points(a: number | null, b: number | null): string {
  if (a === null || b === null) return "";
  const p = 100 * (b - a);
  return `${p > 0 ? "+" : p < 0 ? "−" : ""}${Math.abs(p).toFixed(1)} points`;
}

function ns<T>(id: string, title: string, of: (row: T) => number | null, width = 74): Column<T> {
  return { id, title, width, number: true, sort: true, cell: (r) => duration(of(r)), value: of };
}

// Sorted by size of the change: what changed most comes first.
function delta<T>(a: (row: T) => number | null, b: (row: T) => number | null, share = true): Column<T> {
  const d = (r: T): number | null => {
    const [x, y] = [a(r), b(r)];
    return x === null || y === null ? null : y - x;
  };
  return {
    id: "delta", title: "change", width: share ? 152 : 82, number: true, sort: true,
    cell: (r) => h("span", { class: (d(r) ?? 0) > 0 ? "worse" : (d(r) ?? 0) < 0 ? "better" : null }, `${change(d(r))} ${share ? relative(a(r), b(r)) : ""}`.trim()),
    value: d, key: (r) => (d(r) === null ? null : Math.abs(d(r)!)),
  };
}

const kindColumns = (kinds: ReturnType<typeof kindNames>): Column<Comparison["kinds"][0]>[] => [
  { id: "kind", title: "kind", width: kinds.width, sort: true, cell: (k) => kinds.name(k.kind), value: (k) => k.kind },
  { id: "arch", title: "on", width: 44, sort: true, cell: (k) => k.arch, value: (k) => k.arch },
  ns("a_total", "A total", (k) => (k.a_count > 0 ? k.a_total_ns : null)), ns("b_total", "B total", (k) => (k.b_count > 0 ? k.b_total_ns : null)), delta((k) => k.a_total_ns, (k) => k.b_total_ns),
  { id: "count", title: "tasks", width: 95, cell: (k) => (k.a_count === k.b_count ? count(k.a_count) : `${count(k.a_count)} → ${count(k.b_count)}`), value: (k) => `${k.a_count} → ${k.b_count}` },
  { id: "median", title: "median", width: 145, cell: (k) => `${k.a_count > 0 ? duration(k.a_median_ns) : "–"} → ${k.b_count > 0 ? duration(k.b_median_ns) : "–"}`, value: (k) => `${k.a_median_ns} → ${k.b_median_ns}` },
];

const boundColumns: Column<Comparison["bounds"][0]>[] = [
  { id: "name", title: "bound", width: 130, cell: (b) => b.name, value: (b) => b.name },
  ns("a", "A", (b) => b.a_ns), ns("b", "B", (b) => b.b_ns), delta((b) => b.a_ns, (b) => b.b_ns),
];

const workerColumns: Column<Comparison["workers"][0]>[] = [
  { id: "name", title: "worker", width: 84, sort: true, cell: (w) => w.name, value: (w) => w.name },
  ns("a", "A busy", (w) => w.a_busy_ns), ns("b", "B busy", (w) => w.b_busy_ns), delta((w) => w.a_busy_ns, (w) => w.b_busy_ns),
  { id: "tasks", title: "tasks", width: 95, cell: (w) => `${count(w.a_tasks)} → ${count(w.b_tasks)}`, value: (w) => `${w.a_tasks} → ${w.b_tasks}` },
  { id: "idle", title: "idle", width: 125, cell: (w) => `${percent(w.a_idle_share)} → ${percent(w.b_idle_share)}`, value: (w) => `${w.a_idle_share} → ${w.b_idle_share}` },
];

function matchWords(c: Comparison): Child {
  const m = c.matched;
  const how = m.how.filter((x) => x.pairs > 0).map((x) => `${count(x.pairs)} by ${x.name}`).join(", ");
  return h("p", { class: "words" }, `${counted(m.pairs, "pair")} of tasks${how ? ` (${how})` : ""}; ${counted(m.only_a, "task")} only in A, ${counted(m.only_b, "task")} only in B.`);
}
