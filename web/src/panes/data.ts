import type { App, Pane } from "../core/app";
import type { RunInfo } from "../api/types";
import { Cleanup, button, fill, h, select, type Child } from "../widgets/dom";
import type { Cell } from "../widgets/csv";
import { DataTable, localPages, type Column } from "../widgets/table";
import { copy, currentRun, downloadLink, failure, hint, load, runChoice, section, taskLink, throttle, timeLink } from "./common";
import { counted } from "./words";

/** The numbers behind a panel for the visible window. */
export const pane: Pane = {
  id: "data",
  title: "Data",
  mount(root, app) {
    const view = new DataView(root, app);
    return () => view.destroy();
  },
};

const ofTasks = new Set(["st", "outliers", "lastpath"]); // panels whose rows are tasks

type Row = Record<string, Cell>;

let panelId: string | null = null;

/** Opens the numbers of a panel. */
export function showData(app: App, panel: string): void {
  panelId = panel;
  app.store.set({ pane: app.store.state.pane === "data" ? null : "data" }, { history: "none" });
  app.store.set({ pane: "data" }, { history: "push" });
}

class DataView {
  private end = new Cleanup();
  private run: RunInfo | undefined;
  private head = h("div", { class: "form" });
  private body = h("div", { class: "grow" });
  private table: DataTable<Row> | null = null;
  private reload = throttle(400, () => this.load());

  constructor(root: HTMLElement, private app: App) {
    this.run = currentRun(app);
    fill(root, this.head, this.body);
    this.end.add(app.store.subscribe(["window", "panels", "options", "align", "runs"], () => this.reload()), () => this.reload.cancel(), () => this.table?.destroy());
    this.load();
  }

  destroy(): void {
    this.end.run();
  }

  private panel(): string {
    const shown = this.app.store.state.panels;
    return panelId ?? shown[0]?.id ?? this.app.session.panels[0]?.id ?? "st";
  }

  private drawHead(run: RunInfo): void {
    const app = this.app;
    const shown = app.store.state.panels.map((p) => p.id);
    const all = [...app.session.panels].sort((a, b) => Number(shown.includes(b.id)) - Number(shown.includes(a.id)));
    const choice = select("Panel", all.map((p) => ({ value: p.id, text: p.title })), this.panel(), (v) => {
      panelId = v;
      this.load();
    });
    fill(this.head, runChoice(app, run, (r) => {
      this.run = r;
      this.load();
    }), h("label", { class: "field" }, h("span", null, "Panel"), choice));
  }

  private load(): void {
    const { app } = this;
    const run = this.run && app.runs().some((r) => r.id === this.run!.id) ? this.run : currentRun(app);
    if (!run) return fill(this.body, hint("No run is open."));
    this.run = run;
    this.drawHead(run);
    const { window: w } = app.store.state;
    const panel = this.panel();
    const params = { ...app.params(run, panel), t0: Math.round(w.t0), t1: Math.round(w.t1) };
    const path = `runs/${run.id}/panels/${panel}/data`;
    void load(
      () => app.api.json<Row[]>(path, { ...params, format: "json" }, { channel: "data" }),
      (rows) => this.draw(run, panel, path, params, rows),
      (error) => fill(this.body, failure(error)),
    );
  }

  private draw(run: RunInfo, panel: string, path: string, params: Record<string, never> | object, rows: Row[]): void {
    this.table?.destroy();
    const columns = columnsOf(this.app, run, panel, rows);
    this.table = new DataTable<Row>({ label: `Data of panel ${panel}`, columns, fetch: localPages(rows, columns), announce: (t) => this.app.announce(t), empty: "No rows in this window." });
    const command = dataCommand(run.path || run.name, panel, this.app.store.state.window);
    fill(this.body,
      h("div", { class: "row" }, h("span", { "aria-live": "polite" }, counted(rows.length, "row")),
        downloadLink(this.app, "CSV", path, () => ({ ...params, format: "csv" }), `${run.name}-${panel}.csv`),
        button("Copy", () => void this.table?.copy())),
      this.table.root,
      this.app.store.state.align === "none" ? section("The command that prints it", h("pre", { class: "code", tabindex: "0" }, command),
        button("Copy command", () => void copy(this.app, command, "the command"))) : null);
  }
}

/** The command line for the numbers of a panel in a window, ns. */
export function dataCommand(run: string, panel: string, w: { t0: number; t1: number }): string {
  return `dagscope data ${quoteShell(run)} ${panel} ${flag("--from", w.t0)} ${flag("--to", w.t1)} --csv`;
}

// A value that begins with a minus would be taken for a flag.
function flag(name: string, ns: number): string {
  return `${name}${ns < 0 ? "=" : " "}${Math.round(ns) / 1e6}`;
}

/** A word of a POSIX shell. */
export function quoteShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function columnsOf(app: App, run: RunInfo, panel: string, rows: Row[]): Column<Row>[] {
  const names = [...new Set(rows.slice(0, 100).flatMap((r) => Object.keys(r)))];
  return names.map((name) => {
    const number = rows.every((r) => r[name] === null || r[name] === undefined || typeof r[name] === "number");
    return {
      id: name, title: columnTitle(name), width: Math.min(220, Math.max(60, 16 + 7 * Math.max(columnTitle(name).length + 2, ...rows.slice(0, 30).map((r) => shown(r[name]).length)))), sort: true, number,
      cell: (r): Child => (name === "key" && ofTasks.has(panel) && r[name] ? taskLink(app, run, { key: String(r[name]) }) : isTime(name) && typeof r[name] === "number" ? timeLink(app, r[name] as number, instantMS(r[name] as number, app.store.state.origin)) : shown(r[name])),
      value: (r): Cell => inTitlesUnit(name, r[name] ?? null),
    };
  });
}

/** The title of a column: instants are shown in ms, all else in the unit that the name ends in. */
export function columnTitle(name: string): string {
  return isTime(name) ? `${name.replace(/_ns$/, "")} (ms)` : name;
}

/** An instant in that column. */
export function instantMS(t: number, origin: number): string {
  return ((t - origin) / 1e6).toFixed(3);
}

/** A value as it is copied under that title, exact. */
export function inTitlesUnit(name: string, v: Cell): Cell {
  return isTime(name) && typeof v === "number" ? v / 1e6 : v;
}

function shown(v: Cell | undefined): string {
  if (v === null || v === undefined) return "";
  return typeof v === "number" && !Number.isInteger(v) ? String(Number(v.toPrecision(6))) : String(v);
}

// Whatever is a time ends in its unit: from and to alone are ranks or memories.
function isTime(name: string): boolean {
  return /^(start|end|from|to|t|time|begin)_ns$/.test(name);
}
