import type { App, Pane } from "../core/app";
import type { RunInfo, SqlResult } from "../api/types";
import { outlines } from "./area";
import { Cleanup, button, fill, h, select, type Child } from "../widgets/dom";
import { download, toCSV, type Cell } from "../widgets/csv";
import { openMenu } from "../view/menu";
import { DataTable, localPages, type Column } from "../widgets/table";
import { alignmentKnots, toAxis } from "./compare";
import { copy, currentRun, failure, hint, load, runChoice, taskLink } from "./common";
import { positionOf } from "./search";
import { count, counted } from "./words";

/** Asks the tables of a run. */
export const pane: Pane = {
  id: "sql",
  title: "SQL",
  mount(root, app) {
    const view = new SqlView(root, app);
    return () => view.destroy();
  },
};

const rowsMost = 10_000;
export const marksMost = 500; // they are part of the link to the view

const sqlExamples: [title: string, sql: string][] = [
  ["Tasks by kind and architecture", "SELECT kind, arch, count(*) AS tasks, sum(duration)/1e6 AS total_ms, median(duration)/1e6 AS median_ms\nFROM tasks GROUP BY kind, arch ORDER BY total_ms DESC"],
  ["The longest tasks", "SELECT key, kind, worker, start, duration/1e6 AS ms\nFROM tasks ORDER BY duration DESC LIMIT 100"],
  ["Tasks that waited longest after they were ready", "SELECT key, kind, worker, start, delay/1e6 AS waited_ms\nFROM tasks WHERE delay IS NOT NULL ORDER BY delay DESC LIMIT 100"],
  ["Busy time of each worker", "SELECT worker, arch, count(*) AS tasks, sum(duration)/1e6 AS busy_ms\nFROM tasks GROUP BY worker, arch ORDER BY busy_ms DESC"],
  ["The slowest transfers", "SELECT \"key\", start, (\"end\" - start)/1e6 AS ms, bytes\nFROM transfer ORDER BY \"end\" - start DESC LIMIT 100"],
  ["When each iteration ends", "SELECT iteration, min(start) AS first, max(\"end\") AS last, count(*) AS tasks\nFROM tasks GROUP BY iteration ORDER BY iteration"],
  ["Tables and columns of this run", "SELECT m.name AS \"table\", p.name AS \"column\", p.type\nFROM sqlite_schema m JOIN pragma_table_info(m.name) p"],
];

// What was typed stays when the tab is left.
const kept = { sql: sqlExamples[0]![1], result: null as null | { run: RunInfo; sql: string; result: SqlResult } };

class SqlView {
  private end = new Cleanup();
  private run: RunInfo | undefined;
  private editor: HTMLTextAreaElement;
  private status = h("div", { class: "sql-status", "aria-live": "polite" });
  private out = h("div", { class: "grow" });
  private table: DataTable<Cell[]> | null = null;

  constructor(root: HTMLElement, private app: App) {
    this.run = currentRun(app);
    this.editor = h("textarea", {
      class: "code-input", rows: "6", spellcheck: "false", "aria-label": "SQL: one SELECT over the tables of the run", value: kept.sql,
    });
    this.editor.addEventListener("input", () => (kept.sql = this.editor.value));
    this.editor.addEventListener("keydown", (e) => this.key(e));
    if (!app.session.features.sql) {
      fill(root, hint("This view has no SQL. Where dagscope is installed, dagscope serve and dagscope query have it."));
      return;
    }
    fill(root, runChoice(app, this.run, (r) => (this.run = r)), this.editor,
      h("div", { class: "row" },
        button("Run", () => this.ask(), { class: "btn primary", title: "Ctrl+Enter" }),
        button("Examples ▾", (e) => openMenu(e.currentTarget as HTMLElement, "Examples", sqlExamples.map(([label, sql]) => ({ label, run: () => this.take(sql) })))),
        button("History ▾", (e) => this.openHistory(e.currentTarget as HTMLElement))),
      this.status, this.out);
    this.end.add(() => this.table?.destroy(), () => app.view.overlay("sql", null), app.store.subscribe(["selected"], () => this.table?.refresh()));
    if (kept.result) this.draw(kept.result.run, kept.result.result);
    else fill(this.out, hint("Times are ns since the run's zero. Results that have times can be shown as marks on the timeline; keys of tasks are links."));
  }

  destroy(): void {
    this.end.run();
  }

  private take(sql: string): void {
    this.editor.value = kept.sql = sql;
    this.ask();
  }

  private openHistory(at: HTMLElement): void {
    const past = history();
    const items = past.map((sql) => ({ label: sql.replace(/\s+/g, " ").slice(0, 90), run: () => this.take(sql) }));
    openMenu(at, "History", items.length > 0 ? items : [{ label: "Nothing was asked yet", disabled: true, run: () => {} }]);
  }

  private key(e: KeyboardEvent): void {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      this.ask();
    }
    e.stopPropagation();
  }

  private ask(): void {
    const sql = this.editor.value.trim();
    const run = this.run ?? currentRun(this.app);
    if (sql === "" || !run) return;
    fill(this.status, "running…");
    remember(sql);
    void load(
      () => this.app.api.json<SqlResult>("sql", {}, { channel: "sql", body: { run: run.id, sql, limit: rowsMost } }),
      (result) => {
        kept.result = { run, sql, result };
        this.draw(run, result);
      },
      (error) => this.wrong(error),
    );
  }

  private wrong(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const at = placeOf(this.editor.value, message);
    fill(this.status, failure(error), at === null ? null : h("pre", { class: "pointer", "aria-hidden": "true" }, pointerAt(this.editor.value, at)));
    if (at === null) return;
    this.editor.focus();
    this.editor.setSelectionRange(at, wordEnd(this.editor.value, at));
  }

  private draw(run: RunInfo, r: SqlResult): void {
    this.table?.destroy();
    fill(this.status, `${counted(r.rows.length, "row")}${r.truncated ? `, cut off at ${count(rowsMost)}: add LIMIT or a condition` : ""}, ${r.elapsed_ms.toFixed(r.elapsed_ms < 10 ? 1 : 0)} ms`);
    const keys = keyColumn(r, kept.result?.sql ?? "");
    const columns = this.columns(run, r);
    this.table = new DataTable<Cell[]>({
      label: "Result", columns, fetch: localPages(r.rows, columns), announce: (t) => this.app.announce(t), empty: "No row.",
      marked: (row) => keys >= 0 && String(row[keys]) === this.app.store.state.selected?.key,
    });
    fill(this.out, h("div", { class: "row" },
      button("CSV", () => download(`${run.name}-query.csv`, toCSV(r.columns, r.rows))),
      button("Copy CSV", () => void copy(this.app, toCSV(r.columns, r.rows), "the result as CSV")),
      this.outlined(run, r),
      this.marks(run, r)), this.table.root);
  }

  private columns(run: RunInfo, r: SqlResult): Column<Cell[]>[] {
    const keys = keyColumn(r, kept.result?.sql ?? "");
    return r.columns.map((name, i) => ({
      id: String(i), title: name, width: widthOf(r, i), sort: true, number: r.rows.length > 0 && r.rows.every((row) => row[i] === null || typeof row[i] === "number"),
      cell: (row): Child => (i === keys && row[i] !== null ? taskLink(this.app, run, { key: String(row[i]) }) : shown(row[i] ?? null)),
      value: (row) => row[i] ?? null,
    }));
  }

  // Rows that say when and where are tasks, or as good as tasks.
  private outlined(run: RunInfo, r: SqlResult): Child {
    const [worker, start, end] = ["worker", "start", "end"].map((c) => r.columns.indexOf(c)) as [number, number, number];
    if (worker < 0 || start < 0 || end < 0 || r.rows.length === 0) return null;
    return button("Outline on the timeline", async () => {
      const knots = await alignmentKnots(this.app, run), spans: { worker: string; start: number; end: number }[] = [];
      for (const row of r.rows.slice(0, marksMost)) {
        const [w, a, b] = [row[worker], row[start], row[end]];
        if (typeof w === "string" && typeof a === "number" && typeof b === "number") spans.push({ worker: w, start: toAxis(knots, a), end: toAxis(knots, b) });
      }
      this.app.view.overlay("sql", outlines(run, spans));
      this.app.announce(`${counted(spans.length, "row")} outlined on the timeline, as long as this tab is open`);
    }, { title: "Frames around the rows' spans, on their workers" });
  }

  private marks(run: RunInfo, r: SqlResult): Child {
    const times = timeColumns(r);
    const clear = this.app.store.state.marks ? button("Clear marks", () => this.app.store.set({ marks: null }, { history: "push" })) : null;
    if (times.length === 0) return clear;
    const choice = select("Column of times", times.map((i) => ({ value: String(i), text: r.columns[i]! })), String(times[0]), () => {});
    return [button("Show as marks", () => void this.mark(run, r, Number(choice.value)), { title: "Vertical lines at these times, in all panels" }), " of ", choice, clear];
  }

  private async mark(run: RunInfo, r: SqlResult, column: number): Promise<void> {
    const knots = await alignmentKnots(this.app, run);
    const all = r.rows.map((row) => row[column]).filter((v): v is number => typeof v === "number");
    const times = all.slice(0, marksMost).map((t) => Math.round(toAxis(knots, t)));
    this.app.store.set({ marks: { label: r.columns[column]!, times } }, { history: "push" });
    this.app.announce(`${counted(times.length, "mark")} on the timeline${all.length > times.length ? `, ${count(all.length - times.length)} left out` : ""}`);
    this.draw(run, r);
  }
}

function shown(cell: Cell): Child {
  if (cell === null) return h("span", { class: "muted" }, "null");
  return typeof cell === "number" && !Number.isInteger(cell) ? String(Number(cell.toPrecision(7))) : String(cell);
}

function widthOf(r: SqlResult, i: number): number {
  const longest = Math.max(r.columns[i]!.length + 3, ...r.rows.slice(0, 50).map((row) => String(row[i] ?? "").length));
  return Math.min(320, 20 + 7 * Math.min(45, longest));
}

/** The column that holds keys of tasks, −1 for none: other tables have keys, too. */
export function keyColumn(r: Pick<SqlResult, "columns">, sql: string): number {
  if (!/\btasks?\b/i.test(sql)) return -1;
  return r.columns.findIndex((c) => /^(key|task|job|task_key|job_id)$/i.test(c));
}

/** Columns that can be times: numbers, named so first, else whole numbers. */
export function timeColumns(r: Pick<SqlResult, "columns" | "rows">): number[] {
  const whole = r.columns.map((_, i) => i).filter((i) => r.rows.length > 0 && r.rows.every((row) => row[i] === null || Number.isInteger(row[i])) && r.rows.some((row) => row[i] !== null));
  const named = whole.filter((i) => /start|end|time|ready|submit|first|last|begin|^t$|^t[01]$/i.test(r.columns[i]!));
  return [...named, ...whole.filter((i) => !named.includes(i) && !/^(id|count|tasks|n)$|count|duration|bytes/i.test(r.columns[i]!))];
}

/** The offset that "(line 2, column 5 of the query)" names in a text. */
export function placeOf(text: string, message: string): number | null {
  const m = /line (\d+), column (\d+)/.exec(message);
  const column = m ? Number(m[2]) : positionOf(message);
  if (column === null) return null;
  const lines = text.split("\n").slice(0, m ? Number(m[1]) - 1 : 0);
  const at = lines.reduce((n, l) => n + l.length + 1, 0) + column - 1;
  return at >= 0 && at <= text.length ? at : null;
}

function pointerAt(text: string, at: number): string {
  const from = text.lastIndexOf("\n", at - 1) + 1;
  const to = text.indexOf("\n", at);
  return `${text.slice(from, to < 0 ? undefined : to)}\n${" ".repeat(at - from)}^`;
}

function wordEnd(text: string, at: number): number {
  const word = /^[\w.]+/.exec(text.slice(at));
  return at + Math.max(1, word?.[0].length ?? 1);
}

const historyKey = "dagscope.sql";

function history(): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(historyKey) ?? "[]");
    return Array.isArray(list) ? list.filter((s): s is string => typeof s === "string") : [];
  } catch {
    return []; // pages of files may have no storage
  }
}

function remember(sql: string): void {
  try {
    localStorage.setItem(historyKey, JSON.stringify([sql, ...history().filter((s) => s !== sql)].slice(0, 20)));
  } catch {
    // as above
  }
}
