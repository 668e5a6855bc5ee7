import type { App, Pane } from "../core/app";
import type { ChainLink, Edge, RunInfo, TaskDetail, TaskRef } from "../api/types";
import { Cleanup, button, fill, h, select, type Child } from "../widgets/dom";
import { HistogramView } from "../widgets/histogram";
import { reasonBar } from "./causes";
import { copy, failure, hint, kindColors, linkedText, load, permalink, section, taskLink, tasks, timeLink, zoomToTask } from "./common";
import { alignmentKnots, toAxis } from "./compare";
import { placing } from "./placing";
import { brief, count, counted, duration, percent } from "./words";

// As many links as the timeline draws: it and this tab then share one answer.
const budget = 400;

/** All about the selected task. */
export const pane: Pane = {
  id: "task",
  title: "Task",
  mount(root, app) {
    const view = new TaskView(root, app);
    return () => view.destroy();
  },
};

class TaskView {
  private end = new Cleanup();
  private inner = new Cleanup();
  private filter = "";

  constructor(private root: HTMLElement, private app: App) {
    this.end.add(app.store.subscribe(["selected", "levels", "align", "runs", "origin"], () => this.load()));
    this.load();
  }

  destroy(): void {
    this.inner.run();
    this.end.run();
  }

  private load(): void {
    const { selected, levels } = this.app.store.state;
    const run = selected ? this.app.run(selected.run) : undefined;
    if (!selected) return this.show(intro());
    if (!run) return this.show(hint(`The run ${selected.run} is not open here.`));
    if (!this.root.hasChildNodes()) this.show(h("p", { class: "muted" }, `loading task ${selected.key}…`));
    const path = `runs/${run.id}/tasks/${encodeURIComponent(selected.key)}`;
    void load(
      () => this.app.api.json<TaskDetail>(path, { levels, budget, ...this.app.params(run) }, { channel: "pane-task" }),
      async (task) => {
        const knots = await alignmentKnots(this.app, run);
        this.draw(run, task, (t) => toAxis(knots, t));
      },
      (error) => this.show(failure(error)),
    );
  }

  private show(...content: Child[]): void {
    this.inner.run();
    fill(this.root, content);
  }

  private draw(run: RunInfo, task: TaskDetail, axis: (own: number) => number): void {
    this.inner.run();
    const refs = refsOf(task);
    fill(this.root,
      this.head(run, task),
      section("What it waited for", task.words.map((w) => h("p", { class: "words" }, linkedText(this.app, run, w, refs, axis))), delayBars(task)),
      placing(this.app, run, task, axis),
      this.chain(run, task),
      this.neighbours(run, task),
      this.edges("Predecessors", run, task.predecessors, task.predecessors_total),
      this.edges("Successors", run, task.successors, task.successors_total),
      this.distribution(run, task),
      this.attributes(task),
    );
  }

  private head(run: RunInfo, t: TaskDetail): HTMLElement {
    const app = this.app;
    const kind = h("span", null, t.kind || "(no kind)");
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    void kindColors(app, run).then((c) => swatch.style.setProperty("background", c.of(t.kind)));
    return h("header", { class: "task-head" },
      h("h3", { class: "task-title" }, swatch, kind, " ", h("span", { class: "muted" }, t.key),
        t.outlier ? h("span", { class: "badge warn", title: "Much longer than its like: see the distribution below" }, "outlier") : null),
      h("p", { class: "facts" },
        t.start === null ? "It never ran." : ["ran on ", h("b", null, t.worker), ` for `, h("b", null, duration(t.duration_ns)), ", from ", timeLink(app, t.start), " to ", timeLink(app, t.end)],
        app.runs().length > 1 ? h("span", { class: "muted" }, ` in ${run.name}`) : null),
      h("div", { class: "row" },
        button("Zoom to it", () => void zoomToTask(app, run, t.key), { disabled: t.start === null, title: "Ctrl+click on a task does the same" }),
        button("[ last dependency", () => app.commands.run("task.cause"), { disabled: !t.predecessors.some((p) => p.last), title: "Select the task that this one waited for last ( [ )" }),
        button("released ]", () => app.commands.run("task.released"), { disabled: t.released === null, title: "Select the first task whose last dependency this was ( ] )" }),
        button("Find alike", () => alike(app, t.kind), { title: `Search for all tasks of kind ${t.kind}` }),
        button("Copy link", () => void copy(app, permalink(), "a link to this view"))));
  }

  private chain(run: RunInfo, t: TaskDetail): HTMLElement {
    const app = this.app;
    const level = select("Levels of the chain", levelChoices(t.chain.levels), String(t.chain.levels), (v) =>
      app.store.set({ levels: Number(v) }, { history: "push" }));
    const out = t.chain.left_out;
    return section("Chain of last dependencies",
      h("label", { class: "field" }, h("span", null, "Go back"), level),
      t.chain.links.length === 0 ? hint("No task had to end before this one could start.") : null,
      h("ol", { class: "chain" }, t.chain.links.slice(0, 200).map((l) => h("li", null, this.chainLink(run, l)))),
      t.chain.links.length > 200 ? hint(`${count(t.chain.links.length - 200)} more links are drawn on the timeline and not listed.`) : null,
      out > 0 ? h("p", { class: "left-out" }, `${counted(out, "link")} further back left out`, " ",
        button("to the source", () => app.store.set({ levels: -1 }, { history: "push" }))) : null);
  }

  private chainLink(run: RunInfo, l: ChainLink): Child[] {
    const gap = l.release_ns === null ? null : h("span", { class: "muted" }, ` … ${duration(Math.abs(l.release_ns))} ${l.release_ns < 0 ? "overlap" : "later"}`);
    const when = typeof l.start === "number" ? [" ", timeLink(this.app, l.start), ", ", duration(l.end - l.start)] : [];
    if (l.transfer) return ["transfer", l.from ? ` ${l.from} → ${l.to ?? "?"}` : "", when, gap];
    return [taskLink(this.app, run, l, `${l.kind} ${l.key}`), ` on ${l.worker}`, when, gap];
  }

  private neighbours(run: RunInfo, t: TaskDetail): HTMLElement | null {
    if (!t.before && !t.after) return null;
    const entry = (name: string, r: TaskRef | null): Child => h("li", null, `${name}: `, r ? [taskLink(this.app, run, r, `${r.kind} ${r.key}`), this.gap(t, r)] : "none");
    return section(`On ${t.worker}`, h("ul", { class: "plain" }, entry("before", t.before), entry("after", t.after)));
  }

  private gap(t: TaskDetail, r: TaskRef): Child {
    const gap = r.end <= t.start ? t.start - r.end : r.start - t.end;
    return h("span", { class: "muted" }, gap >= 0 ? `, ${duration(gap)} between` : `, ${duration(-gap)} at the same time`);
  }

  private edges(title: string, run: RunInfo, edges: Edge[], total: number): HTMLElement {
    const rows = edges.map((e) => h("tr", e.last ? { class: "last" } : null,
      h("td", null, taskLink(this.app, run, e, `${e.kind} ${e.key}`), e.last ? h("span", { class: "badge", title: "The last dependency of the later task: what it waited for in the end" }, "last") : null),
      h("td", null, e.worker || "–"),
      h("td", { class: "num" }, timeLink(this.app, e.start)),
      h("td", { class: "num" }, typeof e.start === "number" ? duration(e.end - e.start) : "–"),
      h("td", { class: "num" }, e.slack_ns === null ? "–" : duration(e.slack_ns)),
      h("td", { class: "how", title: e.how }, e.how)));
    return section(`${title} (${count(total)})`,
      edges.length === 0 ? hint("None.") : h("div", { class: "scroll-x" }, h("table", { class: "plain-table" },
        h("thead", null, h("tr", null, ["task", "worker", "start", "duration", "slack", "because of"].map((s, i) => h("th", { scope: "col", class: i > 1 && i < 5 ? "num" : null, title: s === "slack" ? "From the end of the earlier to the start of the later task" : null }, s)))),
        h("tbody", null, rows))),
      total > edges.length ? hint(`${counted(total - edges.length, "task")} more not listed.`) : null);
  }

  private distribution(run: RunInfo, t: TaskDetail): HTMLElement | null {
    const d = t.distribution;
    if (d.count === 0 || d.edges.length < 2) return null;
    const marks = [{ value: d.this_ns, text: "this task", class: "this" }];
    if (d.threshold_ns !== null && d.threshold_ns <= d.edges[d.edges.length - 1]!) marks.push({ value: d.threshold_ns, text: "outliers from here", class: "threshold" });
    const view = new HistogramView({ label: `Durations of ${d.kind} on ${d.arch}`, color: () => "var(--accent-weak)", format: brief, height: 90, marks });
    view.set({ edges: d.edges, counts: [d.counts], names: [d.kind] });
    void kindColors(this.app, run).then((c) => view.set({ edges: d.edges, counts: [d.counts], names: [d.kind] }, { color: c.of }));
    this.inner.add(() => view.destroy());
    return section(`Among ${tasks(d.count)} of ${d.kind} on ${d.arch}`,
      h("p", { class: "words" }, rankWords(t)),
      view.root,
      h("p", { class: "muted" }, `quartiles ${duration(d.q1_ns)}, ${duration(d.median_ns)}, ${duration(d.q3_ns)}; mean ${duration(d.mean_ns)}`));
  }

  // Instants are links; lengths of time have a unit that suits them, too.
  private value(a: TaskDetail["attributes"][0]): Child {
    const ns = a.unit === "ns" && a.value !== "" ? Number(a.value) : NaN;
    if (!Number.isFinite(ns)) return [a.value, a.unit ? h("span", { class: "muted" }, " " + a.unit) : null];
    const exact = h("span", { class: "muted" }, ` ${a.value} ns`);
    return /^(start|end|submit|ready)$/.test(a.name) ? [timeLink(this.app, ns), exact] : [duration(ns), exact];
  }

  private attributes(t: TaskDetail): HTMLElement {
    const list = h("dl", { class: "attributes" });
    const draw = (): void => fill(list, shownAttributes(t, this.filter).map((a) => [
      h("dt", { title: a.doc }, a.name), h("dd", null, this.value(a))]));
    const box = h("input", { type: "search", class: "input", placeholder: "filter attributes", "aria-label": "Filter attributes", value: this.filter });
    box.addEventListener("input", () => {
      this.filter = box.value;
      draw();
    });
    draw();
    return section("All attributes", h("div", { class: "row" }, box,
      button("Copy", () => void copy(this.app, shownAttributes(t, this.filter).map((a) => `${a.name}\t${a.value}\t${a.unit}`).join("\n"), "the attributes"))), list);
  }
}

/** Attributes whose name or value holds the filter. */
export function shownAttributes(t: Pick<TaskDetail, "attributes">, filter: string): TaskDetail["attributes"] {
  const f = filter.trim().toLowerCase();
  return t.attributes.filter((a) => `${a.name} ${a.value}`.toLowerCase().includes(f));
}

function intro(): HTMLElement {
  return h("div", null,
    hint("No task is selected. Click one on the timeline, or search for one ( / )."),
    hint("This tab then says why the task started when it did, what it waited for and what waited for it."));
}

function levelChoices(now: number): { value: string; text: string }[] {
  const all = [1, 2, 3, 5, 10, 20];
  if (now > 0 && !all.includes(now)) all.push(now);
  return [...all.sort((a, b) => a - b).map((n) => ({ value: String(n), text: counted(n, "level") })), { value: "-1", text: "to the source" }];
}

function rankWords(t: TaskDetail): string {
  const d = t.distribution;
  const median = d.median_ns > 0 ? `, ${(d.this_ns / d.median_ns).toFixed(2)} times the median` : "";
  return `With ${duration(d.this_ns)} it is longer than ${percent(d.rank)} of them${median}.`;
}

function delayBars(t: TaskDetail): Child {
  const d = t.delay;
  if (!d) return null;
  return [
    d.held_ns > 0 ? h("div", null, h("p", { class: "words" }, `${duration(d.held_ns)} from its last input until it was ready:`), reasonBar("Release", d.release)) : null,
    d.total_ns > 0 ? h("div", null, h("p", { class: "words" }, `${duration(d.total_ns)} from when it could start to its start:`), reasonBar("Delay", d.causes)) : null,
  ];
}

function refsOf(t: TaskDetail): Map<string, TaskRef> {
  const refs = new Map<string, TaskRef>();
  for (const r of [...t.predecessors, ...t.successors, ...t.chain.links.filter((l) => !l.transfer), t.before, t.after]) if (r && r.key !== "") refs.set(r.key, r);
  refs.delete(t.key);
  return refs;
}

function alike(app: App, kind: string): void {
  app.store.set({ search: `kind:${quoteWord(kind)}`, pane: "search" }, { history: "push" });
}

/** A word of a query, in quotes if it needs them. */
export function quoteWord(word: string): string {
  return /^[\w.*?-]+$/.test(word) ? word : `"${word.replaceAll('"', "?")}"`;
}
