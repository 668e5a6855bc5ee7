import type { App, Pane } from "../core/app";
import type { Block, Finding, Report, RunInfo } from "../api/types";
import { Cleanup, button, fill, h, type Child } from "../widgets/dom";
import { currentRun, failure, hint, load, runChoice, section, selectTask, taskLink } from "./common";
import { evidenceWords } from "./evidence";
import { counted, duration, percent } from "./words";
import { alignmentKnots, toAxis } from "./compare";
import { withList } from "../view/options";
import { follow } from "./proofs";

/** Where the makespan went, how short it could be, what to look at first. */
export const pane: Pane = {
  id: "findings",
  title: "Findings",
  mount(root, app) {
    const view = new FindingsView(root, app);
    return () => view.destroy();
  },
};

const waits = 2_000_000; // tasks from which a report is computed only when it is asked for
const patience = 1500; // ms that a report waits for pictures
const reports = new Map<string, Promise<Report>>(); // by checksum and run

class FindingsView {
  private end = new Cleanup();
  private run: RunInfo | undefined;
  private asked = false;
  private drawn = "";
  private more = false; // all tables are open
  private proving = (): void => {}; // ends it
  private shown: string | undefined; // id of the finding that was clicked

  constructor(private root: HTMLElement, private app: App) {
    this.run = currentRun(app);
    this.end.add(app.store.subscribe(["runs", "options"], () => this.load()), app.onSession(() => this.load()));
    this.load();
  }

  destroy(): void {
    this.proving();
    this.end.run();
  }

  private load(): void {
    const shown = this.app.runs();
    const run = (this.run = shown.find((r) => r.id === this.run?.id) ?? shown[0]);
    if (!run) return fill(this.root, hint("No run is shown."));
    const key = `${run.id} ${run.checksum} ${run.state}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.proving();
    if (run.state !== "ready") return this.show(run, hint(run.state === "loading" ? `${run.name} is being loaded…` : (run.error ?? "The run could not be loaded.")));
    if (run.tasks > waits && !this.asked && !reports.has(run.checksum + run.id)) return this.show(run, this.offer(run));
    this.show(run, h("p", { class: "muted" }, "computing bounds and the critical chain…"));
    void load(() => reportOf(this.app, run), (r) => {
      if (this.drawn !== key) return;
      this.draw(run, r, "");
      this.proving = follow(this.app, run, r, (proved, state) => this.draw(run, proved, state));
    }, (error) => this.show(run, failure(error)));
  }

  private offer(run: RunInfo): Child {
    return [hint(`Bounds, critical chain and findings of ${counted(run.tasks, "task")} take a while and memory on the server.`), button("Compute", () => {
      this.asked = true;
      this.drawn = "";
      this.load();
    }, { class: "btn primary" })];
  }

  private show(run: RunInfo, ...content: Child[]): void {
    fill(this.root, runChoice(this.app, run, (r) => {
      this.run = r;
      this.load();
    }), content);
  }

  private draw(run: RunInfo, r: Report, state: string): void {
    const more = h("details", { class: "more", open: this.more, ontoggle: (e: Event) => {
      this.more = (e.target as HTMLDetailsElement).open;
    } }, h("summary", null, "More"), bounds(r), (r.rest ?? []).map((b) => section(b.title, block(b))));
    this.show(run, (r.screen ?? []).map((b) => (b.id === "findings" ? this.findings(run, r, b, state) : block(b))), more);
  }

  private findings(run: RunInfo, r: Report, b: Block, state: string): Child {
    return section(b.title, (b.lines ?? []).map((l) => hint(sentence(l))), state ? h("p", { class: "muted proving", role: "status" }, state) : null,
      h("ol", { class: "findings" }, (r.findings ?? []).map((f, i) => this.finding(run, r, f, b.rows?.[i] ?? [], r.rows?.[i] ?? []))),
      (b.after ?? []).map((l) => h("p", { class: "muted" }, sentence(l))));
  }

  // A finding in the words of the first screen: severity, what could be gained, the
  // sentence, the advice.
  private finding(run: RunInfo, r: Report, f: Finding, [severity, saved, title, advice, command]: string[], rows: string[]): HTMLElement {
    const gain = saved ? h("span", { class: "gain" }, `could save ${saved} (${percent(f.gain_ns / r.makespan_ns)})`) : null;
    const evidence = evidenceWords(f.evidence);
    const show = h("button", { type: "button", class: "link finding-show", title: "Shows where it is: window, rows and panel; undo (z) goes back", onclick: () => {
      this.shown = f.id;
      for (const li of this.root.querySelectorAll(".finding")) li.classList.toggle("shown", li === item);
      void showFinding(this.app, run, f, rows);
    } }, title);
    const item = h("li", { class: `finding severity-${f.severity}${this.shown === f.id ? " shown" : ""}` },
      h("p", { class: "finding-title" }, h("span", { class: `severity ${f.severity}` }, severity), " ", show),
      gain ? h("p", null, gain) : null,
      h("p", { class: "advice" }, advice),
      h("div", { class: "row" }, this.panelButton(f), this.taskButtons(run, f), kindButton(this.app, f)),
      evidence.length > 0 ? h("details", null, h("summary", null, "Evidence"), h("dl", { class: "attributes" }, evidence.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]))) : null,
      command ? h("details", null, h("summary", null, "Simulation"), h("p", { class: "command" }, h("code", null, command))) : null);
    return item;
  }

  private panelButton(f: Finding): Child {
    const info = this.app.session.panels.find((p) => p.id === f.panel);
    if (!info) return null;
    return button(`Show: ${info.title}`, () => showPanel(this.app, f.panel), { title: `Shows panel ${info.title} and the whole run` });
  }

  // The tasks that it names: what it speaks of most directly.
  private taskButtons(run: RunInfo, f: Finding): Child {
    const keys = ["slowest", "worst_task"].map((k) => f.evidence[k]).filter((v): v is string => typeof v === "string" && v !== "");
    return keys.map((key) => {
      const link = taskLink(this.app, run, { key }, `Zoom to task ${key}`);
      link.className = "btn task-link";
      link.onclick = (e) => {
        e.stopImmediatePropagation();
        showPanel(this.app, f.panel, false);
        selectTask(this.app, run, key, { zoom: true, pane: false });
      };
      return link;
    });
  }
}

function reportOf(app: App, run: RunInfo): Promise<Report> {
  const key = run.checksum + run.id;
  let r = reports.get(key);
  if (!r) reports.set(key, (r = pictures(app).then(() => app.api.json<Report>(`runs/${run.id}/report`, { v: run.stamp ?? run.checksum }))));
  r.catch(() => reports.delete(key));
  return r;
}

// The panels come first; but who keeps moving gets his report, too.
function pictures(app: App): Promise<void> {
  return Promise.race([app.view.ready(), new Promise<void>((done) => setTimeout(done, patience))]);
}

/** Brings a panel onto the screen, added if need be. */
function showPanel(app: App, id: string, whole = true): void {
  app.commands.run("panel.add", id);
  document.querySelector(`[data-panel="${CSS.escape(id)}"]`)?.scrollIntoView({ block: "nearest" });
  if (whole) app.commands.run("view.fit");
}

// Frames what a finding is about, as one step that undo returns from: its window, or
// the whole run, its rows, its kinds in full strength and the rest faint, and the panel
// that shows it.
async function showFinding(app: App, run: RunInfo, f: Finding, rows: string[]): Promise<void> {
  const { panels, options } = app.store.state, at = f.where ?? {};
  const knots = await alignmentKnots(app, run);
  const own = at.window_ns ?? [run.window.t0, run.window.t1];
  const t0 = toAxis(knots, own[0]), t1 = toAxis(knots, own[1]), around = at.window_ns ? (t1 - t0) / 2 : 0;
  const known = app.session.panels.some((p) => p.id === f.panel) && !panels.some((p) => p.id === f.panel);
  const kinds = (at.kinds ?? []).filter((k) => run.kinds.includes(k));
  app.store.set({
    window: { t0: t0 - around, t1: t1 + around },
    area: rows.length > 0 || at.window_ns ? { run: app.ref(run), t0, t1, workers: rows.length > 0 ? rows : null, dim: true } : null,
    options: withList(options, "focus", kinds),
    panels: known ? panels.toSpliced(1 + panels.findIndex((p) => p.id === "st"), 0, { id: f.panel, height: null, options: {} }) : panels, // below the rows
    selected: null,
  }, { history: "push" });
  document.querySelector(`[data-panel="${CSS.escape(f.panel)}"]`)?.scrollIntoView({ block: "nearest" });
}

function kindButton(app: App, f: Finding): Child {
  const kind = f.evidence["kind"];
  if (typeof kind !== "string" || app.store.state.options["focus"] === kind) return null;
  return button(`Bring out ${kind}`, () => app.commands.run("kind.focus", kind));
}

// A part of the report as it is printed everywhere: what cost most, warnings,
// facts, tables.
function block(b: Block): Child {
  const lines = (b.lines ?? []).map((l) => h("p", { class: b.id === "verdict" ? "verdict" : b.id === "data" ? "note" : "words" }, together(l)));
  const side = (i: number): string | null => (b.right?.[i] ? "right" : null);
  const head = b.id && b.rows ? [b.title, ...(b.head ?? []).slice(1)] : (b.head ?? []);
  const table = b.rows?.length ? h("div", { class: "wide" }, h("table", { class: "plain-table report-table" },
    h("thead", null, h("tr", null, head.map((c, i) => h("th", { class: side(i) }, c)))),
    h("tbody", null, b.rows.map((row) => h("tr", null, row.map((c, i) => h("td", { class: side(i) }, c))))))) : null;
  return [lines, table, (b.after ?? []).map((l) => h("p", { class: "muted" }, together(l)))];
}

// together keeps the digits of a number, and its unit, on one line.
function together(text: string): string {
  return text.replace(/(\d) (?=\d{3}(?!\d)|%|[mµn]?s\b)/g, "$1\u00a0");
}

// unknown says what never ran where, of many kinds the first few.
function unknown(pairs: { kind: string; arch: string }[]): string {
  const by = new Map<string, string[]>();
  for (const p of pairs) by.set(p.arch, [...(by.get(p.arch) ?? []), p.kind]);
  return [...by].map(([arch, kinds]) => `${kinds.slice(0, 4).join(", ")}${kinds.length > 4 ? ` and ${kinds.length - 4} more` : ""} never ran on ${arch || "workers of unknown architecture"}`).join("; ");
}

// Lower bounds as bars below the makespan, to scale.
function bounds(r: Report): Child {
  const b = r.bounds;
  if (!b) return null;
  const rows: [string, number, string][] = [["makespan", r.makespan_ns, ""]];
  const known: [string, number | undefined, string][] = [
    ["head–tail", b.head_tail_ns, "area bound between the levels of the graph"], ["mixed", b.mixed_ns, "area bound with the longest chains inside"],
    ["area (ABE)", b.abe_ns, "all work spread perfectly, no dependencies"], ["critical path", b.cpe_ns, "the longest chain at the fastest mean durations"],
  ];
  if (b.with_models) known.push(["with models", b.with_models.best.ns, "when models of the host say how long what never ran takes"]);
  if (b.distribution) known.push(["this distribution", b.distribution.best.ns, `each task on the node that owns its data; the bounds above hold with any distribution: this one costs ${duration(b.distribution.cost_ns)}`]);
  for (const [name, ns, doc] of known) if (ns !== undefined && ns > 0) rows.push([name, ns, doc]);
  const most = Math.max(...rows.map((x) => x[1]));
  const hedge = b.unknown_pairs?.length ? h("p", { class: "muted" }, `With the placements seen: ${unknown(b.unknown_pairs)}.`) : null;
  return section("Lower bounds", h("ul", { class: "bars" }, rows.map(([name, ns, doc], i) => h("li", { title: doc || "this run" },
    h("span", { class: "bar-label", title: doc || null }, name),
    h("span", { class: "bar-track", "aria-hidden": "true" }, h("span", { class: i === 0 ? "bar-fill now" : "bar-fill", style: { width: `${(100 * ns) / most}%` } })),
    h("span", { class: "bar-number" }, duration(ns)), h("span", { class: "bar-detail" }, percent(ns / r.makespan_ns))))), hedge);
}

function sentence(s: string): string {
  const t = s.trim();
  return t.charAt(0).toUpperCase() + t.slice(1) + (/[.!?]$/.test(t) ? "" : ".");
}
