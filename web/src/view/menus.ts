// Menus of panels and rows: what they offer, as changes of the state.
import type { Row, RunInfo } from "../api/types";
import type { App } from "../core/app";
import type { MenuItem } from "./menu";
import { listOption, toggled, withList, withOption } from "./options";
import type { Slot } from "./slot";

function setOptions(app: App, options: Record<string, string>): void {
  app.store.set({ options }, { history: "push" });
}

function toggleIn(app: App, key: string, item: string): void {
  const { options } = app.store.state;
  setOptions(app, withList(options, key, toggled(listOption(options, key), item)));
}

// Names are patterns to the server: what stands for itself is escaped.
const literal = (name: string) => name.replace(/[\\*?[\]]/g, "\\$&");

export function panelMenu(app: App, panel: string, slots: Slot[]): MenuItem[] {
  const { panels, options } = app.store.state, i = panels.findIndex((p) => p.id === panel), info = app.session.panels.find((p) => p.id === panel);
  const items: MenuItem[] = [
    { label: "Options…", run: () => app.commands.run("panel.options", panel) },
    { label: "Move up", disabled: i <= 0, run: () => app.commands.run("panel.up", panel) },
    { label: "Move down", disabled: i === panels.length - 1, run: () => app.commands.run("panel.down", panel) },
    { label: "Natural height", disabled: panels[i]?.height === null, run: () => app.commands.run("panel.height", `${panel}:`) },
    { label: "Remove", run: () => app.commands.run("panel.remove", panel) },
  ];
  if (info?.rows) items.push(...rowsMenu(app, options, slots));
  const { t0, t1 } = app.store.state.window;
  for (const s of slots)
    items.push({ label: slots.length > 1 ? `Numbers of ${s.run.name} as CSV` : "Numbers as CSV", href: app.api.url(`runs/${s.run.id}/panels/${panel}/data`, { t0, t1, format: "csv", ...app.params(s.run, panel) }), run: () => {} });
  return items;
}

const ORDERS: Record<string, string> = { name: "Name", idle: "Busiest first", tasks: "Most tasks first" };

function rowsMenu(app: App, options: Record<string, string>, slots: Slot[]): MenuItem[] {
  const choice = app.session.options.find((o) => o.key === "rows.order"), items: MenuItem[] = [];
  const orders = choice?.type.words ?? Object.keys(ORDERS), now = options["rows.order"] ?? choice?.default ?? orders[0];
  items.push({ heading: "Order of rows" });
  for (const o of orders) items.push({ label: ORDERS[o] ?? o, checked: now === o, run: () => setOptions(app, withOption(options, "rows.order", o === orders[0] ? "" : o)) });
  items.push({ heading: "Rows" });
  const collapsed = listOption(options, "rows.collapse");
  for (const b of blocks(slots)) items.push({ label: `Collapse ${b}`, checked: collapsed.includes(b), run: () => toggleIn(app, "rows.collapse", b) });
  const hidden = listOption(options, "rows.workers").filter((w) => w.startsWith("!")), pinned = listOption(options, "rows.pin");
  if (hidden.length > 0) items.push({ label: `Show ${hidden.length} hidden row${hidden.length === 1 ? "" : "s"}`, run: () => setOptions(app, withList(options, "rows.workers", listOption(options, "rows.workers").filter((w) => !w.startsWith("!")))) });
  if (pinned.length > 0) items.push({ label: "Release pinned rows", run: () => setOptions(app, withOption(options, "rows.pin", "")) });
  return items;
}

function blocks(slots: Slot[]): string[] {
  return [...new Set(slots.flatMap((s) => s.frame?.rows.map((r) => r.block) ?? []))].slice(0, 24);
}

export function rowMenu(app: App, row: Row, of?: RunInfo): MenuItem[] {
  const { options } = app.store.state, pinned = listOption(options, "rows.pin").includes(literal(row.name));
  const items: MenuItem[] = [{ heading: row.collapsed ? row.block : row.label }];
  items.push({ label: row.collapsed ? `Expand ${row.block}` : `Collapse ${row.block}`, run: () => toggleIn(app, "rows.collapse", row.block) });
  if (!row.collapsed) {
    items.push({ label: pinned ? "Release" : "Pin to the top of its group", run: () => toggleIn(app, "rows.pin", literal(row.name)) });
    items.push({ label: "Hide", run: () => toggleIn(app, "rows.workers", "!" + literal(row.name)) });
    items.push({ label: "Only this row", run: () => setOptions(app, withList(options, "rows.workers", [literal(row.name)])) });
  }
  items.push({ label: "Select its time in the window", run: () => {
    const run = of ?? app.runs().find((r) => r.state === "ready"), { window } = app.store.state;
    if (run) app.store.set({ area: { run: app.ref(run), ...window, workers: row.workers }, pane: "area" }, { history: "push" });
  } });
  if (options["rows.workers"]) items.push({ label: "Show all rows", run: () => setOptions(app, withOption(options, "rows.workers", "")) });
  return items;
}
