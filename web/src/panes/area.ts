import type { App, Overlay, Pane } from "../core/app";
import type { AreaState } from "../core/store";
import type { Params } from "../api/client";
import type { Histogram, RunInfo, Selection, TaskPage, TaskRow } from "../api/types";
import { barList, stackedBar, type Bar } from "../widgets/bars";
import { Cleanup, button, fill, h, type Child } from "../widgets/dom";
import { HistogramView } from "../widgets/histogram";
import { DataTable } from "../widgets/table";
import { downloadLink, failure, hint, kindColors, load, runChoice, section, selectTask, tasks, throttle, timeLink, type Colors } from "./common";
import { causeColor } from "./causes";
import { kindNames, taskColumns } from "./columns";
import { brief, count, duration, percent } from "./words";

/** Statistics of a span of time × workers. */
export const pane: Pane = {
  id: "area",
  title: "Area",
  mount(root, app) {
    const view = new AreaView(root, app);
    return () => view.destroy();
  },
};

const large = 1e6; // tasks that take long to prepare
const outlinesMost = 1000; // tasks that are outlined on the timeline

class AreaView {
  private end = new Cleanup();
  private parts: Parts | null = null;
  private gone = false;
  private reload = throttle(120, () => this.load());

  constructor(private root: HTMLElement, private app: App) {
    this.end.add(app.store.subscribe(["area", "align", "runs", "origin"], this.reload), () => this.reload.cancel());
    this.load();
  }

  destroy(): void {
    this.gone = true;
    this.end.run();
    this.clear();
  }

  private clear(): void {
    this.parts?.destroy();
    this.parts = null;
    this.app.view.overlay("brushed", null);
  }

  private load(): void {
    if (this.gone) return; // one change may close the tab and be told here, too
    const { area } = this.app.store.state;
    const run = area ? this.app.run(area.run) : undefined;
    if (!area || !run) {
      this.clear();
      return fill(this.root, intro(this.app, area));
    }
    if (!this.parts || this.parts.run !== run) {
      this.clear();
      this.parts = new Parts(this.root, this.app, run);
    }
    this.parts.load(area);
  }
}

function intro(app: App, area: AreaState | null): HTMLElement {
  if (area) return hint(`The run ${area.run} is not open here.`);
  return h("div", null,
    hint("No area is selected. Drag over rows of the timeline with Alt held down, or take what is visible:"),
    button("Select the visible window", () => app.commands.run("area.window")));
}

// A list of one item is between commas: a name that holds some is followed by an empty one.
const named = (list: string[]): string[] => (list.length === 1 && list[0]!.includes(",") ? [...list, ""] : list);

/** Parameters of an area, or only of its frame: span and workers. */
export function areaParams(area: AreaState, frameOnly = false): Params {
  const frame: Params = { t0: Math.round(area.t0), t1: Math.round(area.t1), workers: area.workers && named(area.workers) };
  return frameOnly ? frame : { ...frame, kinds: area.kinds?.length ? named(area.kinds) : null, min: area.min, max: area.max };
}

export function isFiltered(area: AreaState): boolean {
  return Boolean(area.kinds?.length) || area.min !== undefined || area.max !== undefined;
}

// What is shown of one run: kept while the area moves, so that nothing flickers.
class Parts {
  private head = h("div");
  private filter = h("div", { class: "filter-line", "aria-live": "polite" });
  private shares = h("div");
  private hist: HistogramView;
  private rest = h("div");
  private table: DataTable<TaskRow>;
  private total = h("span", { "aria-live": "polite" });
  private colors: Colors = { of: () => "var(--other-kind)" };
  private area!: AreaState;
  private base: Selection | null = null;
  private filtered: Selection | null = null;
  private asked = "";
  private gone = false;
  private end = new Cleanup();

  constructor(root: HTMLElement, private app: App, readonly run: RunInfo) {
    this.hist = new HistogramView({
      label: "Durations of the tasks that start in the area", color: (k) => this.colors.of(k), format: brief, height: 120,
      brush: (range) => this.brush(range), pick: (kind) => this.toggle(kind),
    });
    this.table = this.makeTable();
    this.end.add(() => this.hist.destroy(), () => this.table.destroy());
    this.end.add(app.store.subscribe(["selected"], () => this.table.refresh()));
    fill(root, this.head, this.filter, this.shares,
      section("Durations", hint("Of the tasks that start in the area. Drag to select durations: the tasks are outlined on the timeline, and listed below. Double-click clears."), this.hist.root),
      this.rest,
      section("Tasks", h("div", { class: "row" }, this.total, this.csv(), button("Copy", () => void this.table.copy())), this.table.root));
    void kindColors(app, run).then((c) => {
      this.colors = c;
      if (this.base) this.draw();
    });
  }

  destroy(): void {
    this.gone = true;
    this.end.run();
  }

  load(area: AreaState): void {
    this.area = area;
    const asked = JSON.stringify([area, this.app.params(this.run)]);
    if (asked === this.asked) return this.draw();
    this.asked = asked;
    this.table.reload();
    if (!this.base) fill(this.head, h("p", { class: "muted" }, this.run.tasks > large ? `computing; the first time ${tasks(this.run.tasks)} are prepared, which takes some seconds…` : "computing…"));
    void load(() => this.fetch(area), ([base, filtered]) => {
      this.base = base;
      this.filtered = filtered;
      this.draw();
      if (!this.gone) void this.outline(area);
    }, (error) => fill(this.head, failure(error)));
  }

  private fetch(area: AreaState): Promise<[Selection, Selection]> {
    const path = `runs/${this.run.id}/select`;
    const shared = this.app.params(this.run);
    const base = this.app.api.json<Selection>(path, { ...shared, ...areaParams(area, true) }, { channel: "area" });
    if (!isFiltered(area)) return base.then((b) => [b, b]);
    const filtered = this.app.api.json<Selection>(path, { ...shared, ...areaParams(area) }, { channel: "area-filtered" });
    return Promise.all([base, filtered]);
  }

  private draw(): void {
    if (!this.base || !this.filtered) return;
    fill(this.head, this.drawHead(this.base), [...new Set([...this.base.notes, ...this.filtered.notes])].map((n) => h("p", { class: "note" }, n)));
    fill(this.filter, this.drawFilter());
    fill(this.shares, this.drawShares(this.base, this.filtered));
    const { min, max } = this.area;
    this.hist.set(shownHistogram(this.base.histogram, this.area.kinds), { brushed: min !== undefined && max !== undefined ? { min, max } : null });
    fill(this.rest, this.drawRest(this.base, this.filtered));
  }

  private drawHead(s: Selection): Child {
    const app = this.app;
    const all = this.area.workers === null;
    return h("header", null,
      runChoice(app, this.run, (r) => app.store.set({ area: { ...this.area, run: app.ref(r), workers: null } }, { history: "push" })),
      h("p", { class: "facts" }, h("b", null, duration(s.t1 - s.t0)), " from ", timeLink(app, s.t0), " to ", timeLink(app, s.t1), ", ",
        h("span", { title: s.workers.join(", ") }, all ? `all ${s.workers.length} workers` : s.workers.length === 1 ? s.workers[0]! : `${s.workers.length} workers`),
        ", ", h("b", null, tasks(s.tasks))),
      h("div", { class: "row" },
        button("Zoom to it", () => app.view.zoomTo(this.area.t0, this.area.t1)),
        all ? null : button("All workers", () => app.store.set({ area: { ...this.area, workers: null } }, { history: "push" })),
        button("Clear", () => app.store.set({ area: null }, { history: "push" }))));
  }

  private drawFilter(): Child {
    const { kinds, min, max } = this.area;
    if (!isFiltered(this.area)) return null;
    const words = [
      kinds?.length ? kinds.join(", ") : null,
      min !== undefined || max !== undefined ? `durations from ${brief(min ?? 0)} to ${brief(max ?? Infinity)}` : null,
    ].filter(Boolean).join("; ");
    return h("p", { class: "filter" }, `Only ${words}: ${tasks(this.filtered!.tasks)}. `, button("Show all", () => this.set({ kinds: undefined, min: undefined, max: undefined })));
  }

  private drawShares(base: Selection, s: Selection): Child {
    const kinds = base.kinds.map((k) => ({ base: k, now: s.kinds.find((f) => f.kind === k.kind && f.arch === k.arch) }));
    const most = Math.max(...base.kinds.map((k) => k.share), base.idle.share, base.input.share, 1e-9);
    const idle = base.idle, names = kindNames(this.run.kinds);
    return section("Where the time went",
      barList("Shares of kinds", kinds.map(({ base: b, now }) => ({
        label: [names.name(b.kind), ` (${b.arch || "?"})`], share: (now?.share ?? 0) / most, number: percent(now?.share ?? 0),
        detail: now ? `${count(now.count)} × ${duration(now.mean_ns)}` : "none",
        color: this.colors.of(b.kind) as string | undefined, title: `${b.kind}: ${duration(now?.busy_ns ?? 0)} of ${duration(base.wall_ns)}. Click to look at this kind only`,
        run: () => this.toggle(b.kind), pressed: this.area.kinds?.includes(b.kind) ?? false,
      }) as Bar).concat(base.input.total_ns > 0 ? [{
        label: "preparing the input", share: base.input.share / most, number: percent(base.input.share), detail: duration(base.input.total_ns), color: "var(--other-kind)",
        title: `Tasks that prepare the input (${base.input.kinds.join(", ")}): neither work nor idle time`,
      }] : [], [{
        label: "no task", share: idle.share / most, number: percent(idle.share), detail: duration(idle.total_ns), color: "var(--idle)",
        title: "Time in which the workers ran no task",
      }])),
      idle.total_ns > 0 ? [h("p", { class: "words" }, "Time without task, by cause:"), stackedBar("Idle time", [
        ...idle.classes.map((c) => ({ label: c.class, value: c.ns, text: percent(c.ns / base.wall_ns), color: causeColor(c.class) })),
        { label: "before the run's zero", value: idle.before_first_ns, text: percent(idle.before_first_ns / base.wall_ns), color: "var(--cause-before)" },
        { label: "after the worker's last task", value: idle.after_last_ns, text: percent(idle.after_last_ns / base.wall_ns), color: "var(--cause-after)" },
        { label: "worker ran no task at all", value: idle.unused_ns, text: percent(idle.unused_ns / base.wall_ns), color: "var(--cause-unused)" },
      ])] : null);
  }

  private drawRest(base: Selection, s: Selection): Child {
    return [
      base.breakdown ? section("Work, idleness, overhead", this.breakdown(base),
        hint("Overhead: a task was ready somewhere, yet the worker ran none. Idleness: nothing was ready.")) : null,
      s.bound ? section("How short it could be", boundWords(s, isFiltered(this.area) ? "The chosen tasks" : "The tasks")) : null,
      base.states.length > 0 ? section("States of the workers", barList("States", base.states.map((x) => ({
        label: x.state, share: x.share / Math.max(...base.states.map((y) => y.share), 1e-9), number: percent(x.share), detail: duration(x.ns),
      })))) : null,
    ];
  }

  private breakdown(s: Selection): Child {
    const b = s.breakdown!;
    const part = (label: string, value: number, color: string) => ({ label, value, text: `${percent(value / s.wall_ns)} (${duration(value)})`, color });
    return stackedBar("Breakdown", [
      part("work", b.work_ns, "var(--part-work)"), part("idleness", b.idleness_ns, "var(--part-idleness)"), part("overhead", b.overhead_ns, "var(--part-overhead)"),
    ]);
  }

  private toggle(kind: string): void {
    const now = this.area.kinds ?? [];
    const next = now.includes(kind) ? now.filter((k) => k !== kind) : [...now, kind];
    this.set({ kinds: next.length > 0 ? next : undefined });
  }

  private brush(range: { min: number; max: number } | null): void {
    this.set({ min: range?.min, max: range?.max });
  }

  private set(patch: { [K in "kinds" | "min" | "max"]?: AreaState[K] | undefined }): void {
    const area: Record<string, unknown> = { ...this.area, ...patch };
    for (const key of Object.keys(area)) if (area[key] === undefined) delete area[key];
    this.app.store.set({ area: area as unknown as AreaState }, { history: "push" });
  }

  private makeTable(): DataTable<TaskRow> {
    const { app, run } = this;
    return new DataTable<TaskRow>({
      label: "Tasks of the area", columns: taskColumns(app, run), sort: { id: "duration", desc: true }, announce: (t) => app.announce(t),
      fetch: (sort, offset, limit) => this.area === undefined
        ? Promise.resolve({ total: 0, rows: [] })
        : app.api.json<TaskPage>(`runs/${run.id}/select/tasks`, { ...this.taskParams(), ...order(sort), offset, limit },
          { channel: `area-tasks-${(offset / limit) % 2}` }).then((p) => ({ total: p.total, rows: p.tasks })),
      open: (row, e) => selectTask(app, run, row.key, { zoom: e.ctrlKey || e.metaKey, pane: false }),
      marked: (row) => app.store.state.selected?.key === row.key,
      total: (n) => fill(this.total, tasks(n)),
      empty: "No task is in the area.",
    });
  }

  private taskParams(): Params {
    return { ...this.app.params(this.run), ...areaParams(this.area) };
  }

  private csv(): HTMLElement {
    return downloadLink(this.app, "CSV", `runs/${this.run.id}/select/tasks`, () => ({ ...this.taskParams(), ...order(this.table.order), format: "csv" }), `${this.run.name}-tasks.csv`);
  }

  private async outline(area: AreaState): Promise<void> {
    if (!isFiltered(area)) return this.app.view.overlay("brushed", null);
    const page = await this.app.api.json<TaskPage>(`runs/${this.run.id}/select/tasks`,
      { ...this.taskParams(), sort: "duration", desc: 1, offset: 0, limit: outlinesMost }, { channel: "area-outline" }).catch(() => null);
    if (page && this.area === area && !this.gone) this.app.view.overlay("brushed", outlines(this.run, page.tasks));
  }
}

function order(sort: { id: string; desc: boolean } | null): Params {
  return sort ? { sort: sort.id, desc: sort.desc ? 1 : null } : {};
}

/** The histogram of some kinds only, on the same bins. */
export function shownHistogram(hist: Histogram, kinds: string[] | undefined): { edges: number[]; counts: number[][]; names: string[] } {
  const at = hist.kinds.map((_, i) => i).filter((i) => !kinds?.length || kinds.includes(hist.kinds[i]!));
  return { edges: hist.edges, counts: at.map((i) => hist.counts[i]!), names: at.map((i) => hist.kinds[i]!) };
}

function boundWords(s: Selection, which: string): Child {
  const b = s.bound!;
  const share = b.length_ns > 0 ? b.abe_ns / b.length_ns : 0;
  const could = b.abe_ns < b.length_ns
    ? `${which} that start in the area could be done in ${duration(b.abe_ns)}, ${percent(share)} of its length, if they were divided perfectly among its workers and waited for nothing (area bound).`
    : `${which} that start in the area need at least ${duration(b.abe_ns)} on its workers (area bound): more than its ${duration(b.length_ns)}, since some end after it.`;
  return h("p", { class: "words" }, could);
}

const narrow = 5; // px: frames of such tasks would cover them

/** Draws a frame around tasks; those too narrow for one get a strip above. */
export function outlines(run: RunInfo, rows: { worker: string; start: number; end: number }[]): Overlay {
  return (g, plot) => {
    g.strokeStyle = g.fillStyle = plot.color("--accent");
    g.lineWidth = 2;
    for (const place of plot.places) {
      if (place.run.id !== run.id) continue;
      for (const r of rows) {
        const row = place.row(r.worker);
        if (!row) continue;
        const x0 = Math.max(plot.left - 2, plot.x(r.start));
        const x1 = Math.min(plot.left + plot.width + 2, plot.x(r.end));
        if (x1 < plot.left || x0 > plot.left + plot.width) continue;
        if (x1 - x0 < narrow) g.fillRect(x0 - 0.5, row.y - 1, Math.max(2, x1 - x0), 4);
        else g.strokeRect(x0 + 0.75, row.y + 0.75, x1 - x0 - 1.5, Math.max(2, row.h - 1.5));
      }
    }
  };
}
