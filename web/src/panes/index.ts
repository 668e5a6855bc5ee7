// The tabs of the side pane, in order, and what else panes bring with them.
import type { App, Pane } from "../core/app";
import { pane as area, selectVisible } from "./area";
import { pane as compare } from "./compare";
import { copy, permalink } from "./common";
import { pane as data, showData } from "./data";
import { Detail } from "./detail";
import { pane as exported } from "./export";
import { openHelp } from "./help";
import { addNote, pane as notes } from "./notes";
import { openPanelChooser, openPanelOptions, openSharedOptions } from "./options";
import { openPalette } from "./palette";
import { next, pane as search } from "./search";
import { mountSide } from "./side";
import { pane as sql } from "./sql";
import { follow, taskPane } from "./task";

export const panes: Pane[] = [area, search, compare, sql, notes, exported, data];

/** Registers dialogs and commands of the panes, once, when the application starts. */
export function install(app: App): void {
  const detail = new Detail(app);
  panes.unshift(taskPane(detail));
  paneCommands(app);
  taskCommands(app, detail);
  dialogCommands(app);
}

/** Fills the side pane; after install. */
export function side(root: HTMLElement, app: App): () => void {
  return mountSide(root, app, panes);
}

function paneCommands(app: App): void {
  for (const p of panes) {
    app.commands.register({
      id: `pane.${p.id}`, title: `Open tab ${p.title}`, group: "Tabs",
      run: () => app.store.set({ pane: app.store.state.pane === p.id ? null : p.id }),
    });
  }
  app.commands.register({ id: "pane.close", title: "Close the side pane", group: "Tabs", run: () => app.store.set({ pane: null }), when: () => app.store.state.pane !== null });
  app.commands.register({ id: "search.open", title: "Search for tasks", keys: ["/"], group: "Search", run: (q) => openSearch(app, q) });
  app.commands.register({ id: "search.next", title: "Next hit", keys: ["n"], group: "Search", run: () => next(app, false) });
  app.commands.register({ id: "search.previous", title: "Previous hit", keys: ["Shift+n"], group: "Search", run: () => next(app, true) });
  app.commands.register({ id: "area.visible", title: "Select what is visible as the area", group: "Area", run: () => selectVisible(app) });
  app.commands.register({ id: "area.clear", title: "Clear the area", group: "Area", run: () => app.store.set({ area: null }, { history: "push" }), when: () => app.store.state.area !== null });
  app.commands.register({ id: "data.panel", title: "Numbers behind a panel", hidden: true, run: (id) => id && showData(app, id) });
}

function openSearch(app: App, q?: string): void {
  app.store.set({ pane: "search", ...(q === undefined ? {} : { search: q }) });
  const box = document.getElementById("search-box") as HTMLInputElement | null;
  box?.focus();
  box?.select();
}

function taskCommands(app: App, detail: Detail): void {
  const selected = (): boolean => app.store.state.selected !== null;
  app.commands.register({ id: "task.last", title: "Go to the last dependency of the task", keys: ["["], group: "Task", run: () => follow(app, detail, false), when: selected });
  app.commands.register({ id: "task.released", title: "Go to the task that it released", keys: ["]"], group: "Task", run: () => follow(app, detail, true), when: selected });
  app.commands.register({
    id: "task.zoom", title: "Zoom to the selected task", keys: ["f"], group: "Task", when: selected,
    run: () => app.view.reveal(app.store.state.selected!.run, app.store.state.selected!.key),
  });
  for (const n of [1, 2, 5, 10, -1]) {
    app.commands.register({
      id: `task.levels.${n < 0 ? "source" : n}`, title: n < 0 ? "Follow dependencies to the source" : `Follow dependencies ${n} ${n === 1 ? "level" : "levels"} back`,
      group: "Task", run: () => app.store.set({ levels: n }, { history: "push" }),
    });
  }
}

function dialogCommands(app: App): void {
  const c = app.commands;
  c.register({ id: "palette.open", title: "All commands", keys: ["Control+k", "Control+Shift+p"], group: "Help", run: () => openPalette(app) });
  c.register({ id: "help.open", title: "Help", keys: ["?"], group: "Help", run: () => openHelp(app) });
  c.register({ id: "panels.choose", title: "Panels: add, remove, reorder", group: "Panels", run: () => openPanelChooser(app) });
  c.register({ id: "panel.options", title: "Options of a panel", hidden: true, run: (id) => id && openPanelOptions(app, id) });
  c.register({ id: "options.rows", title: "Rows: filter, group, sort, pin, collapse", group: "Panels", run: () => openSharedOptions(app, "rows.") });
  c.register({ id: "options.all", title: "Options of all panels", group: "Panels", run: () => openSharedOptions(app) });
  c.register({ id: "link.copy", title: "Copy the link to this view", group: "Share", run: () => void copy(app, permalink(), "the link to this view") });
  c.register({ id: "note.add", title: "Add a bookmark in the middle of the window", group: "Notes", run: (t) => addNote(app, noteTime(app, t)) });
}

// At the cursor, where the one who runs the command knows it.
function noteTime(app: App, t: string | undefined): number {
  const { t0, t1 } = app.store.state.window;
  const given = Number(t);
  return t !== undefined && t !== "" && Number.isFinite(given) ? given : (t0 + t1) / 2;
}
