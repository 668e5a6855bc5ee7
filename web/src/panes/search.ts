import type { App, Pane } from "../core/app";
import type { RunInfo, SearchResult, TaskRow } from "../api/types";
import { ApiError, isAbort } from "../api/client";
import { Cleanup, button, fill, h, type Child } from "../widgets/dom";
import { DataTable, localPages } from "../widgets/table";
import { currentRun, failure, hint, load, runChoice, selectTask } from "./common";
import { taskColumns } from "./columns";
import { count, counted } from "./words";

/** Finds tasks and walks from one to the next. */
export const pane: Pane = {
  id: "search",
  title: "Search",
  mount(root, app) {
    const view = new SearchView(root, app);
    return () => view.destroy();
  },
};

const pageSize = 500;

/** Queries that show what can be asked, with what they find. */
export const examples: [query: string, meaning: string][] = [
  ["GEMM", "a part of a kind, a job id, a tag or a worker"],
  ["kind:*trsm", "the whole kind; * stands for any text, ? for a character"],
  ["id:0_5051", "a job id, or what follows its _"],
  ["dur>5ms", "long tasks; also start, end, submit, ready, delay, with ns, us, ms or s"],
  ["worker:CUDA* dur>2ms", "all terms must match; also arch: and node:"],
  ["kind:potrf,trsm -worker:CPU*", "commas: one of these; -: not these"],
  ["xy:3,4", "the block a task writes; also x:3 y>=2"],
  ["iteration:3", "numbers: also priority, order, gflop, bytes; with <, <=, >, >="],
  ["outlier", "takes unusually long; also unrun, generation, internal"],
];

class SearchView {
  private end = new Cleanup();
  private box: HTMLInputElement;
  private status = h("div", { class: "search-status", "aria-live": "polite" });
  private list = h("div", { class: "grow" });
  private table: DataTable<TaskRow> | null = null;
  private rows: TaskRow[] = [];
  private result: SearchResult | null = null;
  private run: RunInfo | undefined;
  private timer = 0;

  constructor(root: HTMLElement, private app: App) {
    this.run = currentRun(app);
    this.box = h("input", {
      type: "search", class: "input search-box", id: "search-box", placeholder: "kind:… id:… dur>… worker:…", spellcheck: "false",
      autocomplete: "off", "aria-label": "Search for tasks", value: app.store.state.search,
    });
    this.box.addEventListener("input", () => this.typed());
    this.box.addEventListener("keydown", (e) => this.key(e));
    fill(root, h("div", { class: "row" }, this.box,
      button("‹", () => next(app, true), { "aria-label": "Previous hit", title: "Previous hit (Shift+Enter, Shift+N)" }),
      button("›", () => next(app, false), { "aria-label": "Next hit", title: "Next hit (Enter, N)" })),
      runChoice(app, this.run, (r) => {
        this.run = r;
        this.load();
      }), this.status, this.list);
    this.end.add(
      app.store.subscribe(["search", "align", "runs", "origin"], () => this.load()),
      app.store.subscribe(["selected"], () => this.selectedChanged()),
      () => clearTimeout(this.timer),
      () => this.table?.destroy(),
    );
    this.load();
  }

  destroy(): void {
    this.end.run();
  }

  private typed(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.take(), 200);
  }

  private take(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.app.store.set({ search: this.box.value });
  }

  private key(e: KeyboardEvent): void {
    if (e.key === "Enter") {
      this.take();
      next(this.app, e.shiftKey);
    } else if (e.key === "ArrowDown" && this.table) this.table.root.querySelector<HTMLElement>(".vt")?.focus();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  private load(): void {
    const q = this.app.store.state.search;
    if (this.timer === 0) this.box.value = q; // else the user is typing
    this.run = this.run && this.app.run(this.app.ref(this.run)) ? this.run : currentRun(this.app);
    if (!this.run || q.trim() === "") return this.show(null, this.help());
    const run = this.run;
    void load(
      () => this.app.api.json<SearchResult>(`runs/${run.id}/search`, { ...this.app.params(run), q, limit: pageSize }, { channel: "search" }),
      (r) => this.draw(run, r),
      (error) => this.wrong(q, error),
    );
  }

  private show(status: Child, list: Child): void {
    this.table?.destroy();
    this.table = null;
    this.result = null;
    fill(this.status, status);
    fill(this.list, list);
  }

  private wrong(q: string, error: unknown): void {
    const at = error instanceof ApiError ? positionOf(error.message) : null;
    this.show([failure(error), at === null ? null : pointer(q, at)], this.help());
  }

  private draw(run: RunInfo, r: SearchResult): void {
    if (!this.table) this.show(null, null);
    this.result = r;
    this.rows = [...r.hits];
    this.said();
    if (this.table) this.table.destroy();
    const columns = taskColumns(this.app, run).map((c) => ({ ...c, sort: false }));
    this.table = new DataTable<TaskRow>({
      label: "Hits", columns, announce: (t) => this.app.announce(t), fetch: (s, o, l) => localPages(this.rows, columns)(s, o, l),
      open: (row, e) => selectTask(this.app, run, row.key, { zoom: e.ctrlKey || e.metaKey, pane: false }),
      marked: (row) => this.app.store.state.selected?.key === row.key,
      empty: "No task is like this.",
    });
    const more = button("", () => this.more(run, more));
    this.label(more);
    fill(this.list, this.table.root, more);
  }

  private label(more: HTMLElement): void {
    const left = this.result!.total - this.rows.length;
    more.hidden = left <= 0;
    more.textContent = `Show ${count(Math.min(pageSize, left))} more`;
  }

  private more(run: RunInfo, button: HTMLElement): void {
    const last = this.rows[this.rows.length - 1];
    if (!last) return;
    void load(
      () => this.app.api.json<SearchResult>(`runs/${run.id}/search`, { ...this.app.params(run), q: this.app.store.state.search, limit: pageSize, after: last.key }, { channel: "search" }),
      (r) => {
        this.rows.push(...r.hits);
        this.table?.reload();
        this.label(button);
      },
      (error) => this.app.announce(String(error)),
    );
  }

  private said(): void {
    const r = this.result;
    if (!r) return;
    const at = this.rows.findIndex((t) => t.key === this.app.store.state.selected?.key);
    fill(this.status, h("b", null, at >= 0 ? `${count(r.before + at + 1)} of ${counted(r.total, "hit")}` : counted(r.total, "hit")),
      r.query ? h("span", { class: "muted" }, `: ${r.query}`) : null);
  }

  private selectedChanged(): void {
    this.said();
    this.table?.refresh();
  }

  private help(): HTMLElement {
    return h("div", { class: "examples" }, hint("Searches all tasks of the run, for example:"),
      h("ul", { class: "plain" }, examples.map(([q, meaning]) => h("li", null,
        h("button", { type: "button", class: "link code", onclick: () => this.app.store.set({ search: q }) }, q), " ", h("span", { class: "muted" }, meaning)))));
  }
}

/** The place an error names: "column 5", "position 5", "at 5"; counted from 1. */
export function positionOf(message: string): number | null {
  const m = /(?:column|position|character|at) (\d+)/.exec(message);
  return m ? Number(m[1]) : null;
}

function pointer(text: string, at: number): HTMLElement {
  return h("pre", { class: "pointer", "aria-hidden": "true" }, `${text}\n${" ".repeat(Math.max(0, at - 1))}^`);
}

/** Selects the next (or previous) hit of the search, seen from the selected task. */
export function next(app: App, back: boolean): void {
  const { search: q, selected } = app.store.state;
  const run = currentRun(app);
  if (q.trim() === "" || !run) return void app.commands.run("search.open");
  const after = selected && app.run(selected.run) === run ? selected.key : null;
  app.api.json<SearchResult>(`runs/${run.id}/search`, { ...app.params(run), q, limit: 1, after, back: back ? 1 : null }, { channel: "search-next" })
    .then((r) => r.hits.length > 0 || after === null ? r : around(app, run, q, back))
    .then((r) => found(app, run, r))
    .catch((error: unknown) => isAbort(error) || app.announce(error instanceof Error ? error.message : String(error)));
}

// At the end it goes on with the other end.
function around(app: App, run: RunInfo, q: string, back: boolean): Promise<SearchResult> {
  return app.api.json<SearchResult>(`runs/${run.id}/search`, { ...app.params(run), q, limit: 1, back: back ? 1 : null }, { channel: "search-next" });
}

function found(app: App, run: RunInfo, r: SearchResult): void {
  const hit = r.hits[0];
  if (!hit) return app.announce("No task is like this");
  selectTask(app, run, hit.key, { pane: false });
  app.view.reveal(app.ref(run), hit.key);
  app.announce(`Hit ${r.before + 1} of ${r.total}: ${hit.kind} ${hit.key}${hit.worker ? ` on ${hit.worker}` : ", it never ran"}`);
}
