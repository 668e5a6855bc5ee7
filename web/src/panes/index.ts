// The tabs of the side pane, in order, and what else panes bring with them.
import type { App, Pane } from "../core/app";
import { pane as area } from "./area";
import { pane as compare } from "./compare";
import { copy, permalink } from "./common";
import { pane as data, showData } from "./data";
import { pane as exported } from "./export";
import { pane as findings } from "./findings";
import { openHelp } from "./help";
import { addNote, pane as notes } from "./notes";
import { openPanelChooser, openPanelOptions, openSharedOptions } from "./options";
import { openPalette } from "./palette";
import { next, pane as search } from "./search";
import { mountSide } from "./side";
import { pane as sql } from "./sql";
import { pane as task } from "./task";
import { pane as whatif } from "./whatif";

export const panes: Pane[] = [findings, task, area, search, compare, whatif, sql, notes, exported, data];

let pointer: number | null = null; // clientX over a panel on the time axis

/** Registers dialogs and commands of the panes, once, when the application starts. */
export function install(app: App): void {
  document.addEventListener("pointermove", (e) => (pointer = (e.target as Element).closest?.(".stage, .axis") ? e.clientX : null), { passive: true });
  paneCommands(app);
  searchCommands(app);
  taskCommands(app);
  dialogCommands(app);
}

export { welcome } from "./side";

/** Fills the side pane. */
export function side(root: HTMLElement, app: App): () => void {
  return mountSide(root, app, panes);
}

function paneCommands(app: App): void {
  for (const p of panes) app.commands.register({ id: `pane.${p.id}`, title: `Open tab ${p.title}`, group: "Tabs", run: () => (p.id === "search" ? openSearch(app) : app.store.set({ pane: p.id })) });
  app.commands.register({ id: "pane.close", title: "Close the side pane", group: "Tabs", run: () => app.store.set({ pane: null }), when: () => app.store.state.pane !== null });
}

function searchCommands(app: App): void {
  const group = "Search";
  app.commands.register({ id: "search.open", title: "Search for tasks", keys: ["/"], group, run: (q) => openSearch(app, q) });
  app.commands.register({ id: "search.next", title: "Next hit", keys: ["n"], group, run: () => next(app, false) });
  app.commands.register({ id: "search.previous", title: "Previous hit", keys: ["Shift+n"], group, run: () => next(app, true) });
  app.commands.register({ id: "search.outliers", title: "Search for tasks that took unusually long", group, run: () => openSearch(app, "outlier") });
}

function openSearch(app: App, q?: string): void {
  app.store.set({ pane: "search", ...(q === undefined ? {} : { search: q }) });
  const box = document.getElementById("search-box") as HTMLInputElement | null;
  box?.focus();
  box?.select();
}

function taskCommands(app: App): void {
  for (const n of [1, 2, 5, 10, -1]) {
    app.commands.register({
      id: `task.levels.${n < 0 ? "source" : n}`, title: n < 0 ? "Follow dependencies to the source" : `Follow dependencies ${n} ${n === 1 ? "level" : "levels"} back`,
      group: "Tasks", run: () => app.store.set({ levels: n }, { history: "push" }),
    });
  }
}

function dialogCommands(app: App): void {
  const c = app.commands;
  c.register({ id: "palette.open", title: "All commands", keys: ["Control+k", "Control+Shift+p"], group: "Help", run: () => openPalette(app) });
  c.register({ id: "help.open", title: "Help", keys: ["?"], group: "Help", run: () => openHelp(app) });
  c.register({ id: "panels.choose", title: "Panels: add, remove, reorder", group: "Panels", run: () => openPanelChooser(app) });
  c.register({ id: "panel.options", title: "Options of a panel", hidden: true, run: (id) => id && openPanelOptions(app, id) });
  c.register({ id: "data.panel", title: "Numbers behind a panel", hidden: true, run: (id) => id && showData(app, id) });
  c.register({ id: "options.rows", title: "Rows: filter, group, sort, pin, collapse", group: "Panels", run: () => openSharedOptions(app, "rows.") });
  c.register({ id: "options.all", title: "Options of all panels", group: "Panels", run: () => openSharedOptions(app) });
  c.register({ id: "link.copy", title: "Copy the link to this view", group: "Share", run: () => void copy(app, permalink(), "the link to this view") });
  c.register({ id: "note.add", title: "Add a bookmark at the cursor", keys: ["m"], group: "Notes", run: (t) => addNote(app, noteTime(app, t)) });
}

// At the time that is given, or at the cursor.
function noteTime(app: App, t: string | undefined): number {
  const { t0, t1 } = app.store.state.window;
  const given = Number(t);
  if (t !== undefined && t !== "" && Number.isFinite(given)) return given;
  return pointer === null ? (t0 + t1) / 2 : app.view.timeAt(pointer);
}
