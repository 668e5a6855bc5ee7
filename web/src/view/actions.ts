// The commands of the timeline.
import type { TaskDetail } from "../api/types";
import type { App } from "../core/app";
import { misfits } from "../core/start";
import type { History } from "../core/history";
import type { State } from "../core/store";
import type { Gestures, Mode } from "./gestures";
import type { Hovering } from "./hover";
import { closeMenu, openMenu } from "./menu";
import { rowMenu } from "./menus";
import { chainShown, listOption, toggled, withChain, withList } from "./options";
import type { Selected } from "./selected";
import type { Timeline } from "./timeline";

export interface Parts { timeline: Timeline; gestures: Gestures; hovering: Hovering; selected: Selected; history: History; setMode(m: Mode): void }

export function registerActions(app: App, p: Parts): void {
  p.history.check = (s) => misfits(app.session, s);
  moves(app, p);
  modes(app, p);
  panels(app, p);
  legends(app);
  tasks(app, p);
}

function moves(app: App, { timeline, hovering, history }: Parts): void {
  const v = timeline.viewport, group = "Moving";
  const middle = () => hovering.time ?? (v.target.t0 + v.target.t1) / 2;
  const pan = (share: number) => () => {
    const by = share * (v.target.t1 - v.target.t0);
    v.glide({ t0: v.target.t0 + by, t1: v.target.t1 + by });
  };
  const add = app.commands.register.bind(app.commands);
  add({ id: "view.fit", title: "Show the whole run", group, keys: ["0", "Home"], run: () => v.glide(v.limits) });
  add({ id: "view.zoom-in", title: "Zoom in", group, keys: ["+", "=", "w"], run: () => v.zoom(0.6, middle(), true) });
  add({ id: "view.zoom-out", title: "Zoom out", group, keys: ["-", "s"], run: () => v.zoom(1 / 0.6, middle(), true) });
  add({ id: "view.left", title: "Earlier", group, keys: ["a", "ArrowLeft"], run: pan(-0.2) });
  add({ id: "view.right", title: "Later", group, keys: ["d", "ArrowRight"], run: pan(0.2) });
  add({ id: "view.page-left", title: "One window earlier", group, keys: ["Shift+ArrowLeft", "Shift+A"], run: pan(-0.9) });
  add({ id: "view.page-right", title: "One window later", group, keys: ["Shift+ArrowRight", "Shift+D"], run: pan(0.9) });
  add({ id: "view.up", title: "Scroll up", group, keys: ["ArrowUp"], run: () => timeline.scroller.scrollBy({ top: -60 }) });
  add({ id: "view.down", title: "Scroll down", group, keys: ["ArrowDown"], run: () => timeline.scroller.scrollBy({ top: 60 }) });
  add({ id: "view.undo", title: "Back to where the view was", group, keys: ["z", "Alt+ArrowLeft"], run: () => history.undo(), when: () => history.canUndo });
  add({ id: "view.redo", title: "Forward again", group, keys: ["Shift+Z", "Alt+ArrowRight"], run: () => history.redo(), when: () => history.canRedo });
  add({ id: "axis.origin", title: "Count time from the cursor", group, keys: ["o"], run: () => app.store.set({ origin: Math.round(middle()) }) });
  add({ id: "axis.origin-reset", title: "Count time from zero again", group, keys: ["Shift+O"], run: () => app.store.set({ origin: 0 }), when: () => app.store.state.origin !== 0 });
  add({ id: "view.zoom-to", title: "Zoom to a window (t0,t1 in ns)", hidden: true, run: (arg) => {
    const [t0, t1] = (arg ?? "").split(",").map(Number);
    if (t0 !== undefined && t1 !== undefined && t1 > t0) v.glide({ t0, t1 });
  } });
}

function modes(app: App, { gestures, setMode }: Parts): void {
  const toggle = (m: Mode) => () => setMode(gestures.mode === m ? "pan" : m);
  const { commands, store } = app, group = "Areas and rulers";
  commands.register({ id: "mode.area", title: "Select an area by dragging", group, keys: ["Shift+S"], run: toggle("area") });
  commands.register({ id: "mode.ruler", title: "Measure by dragging", group, keys: ["r"], run: toggle("ruler") });
  commands.register({ id: "mode.range", title: "Zoom to a range by dragging", group, keys: ["x"], run: toggle("range") });
  commands.register({ id: "area.window", title: "Select all rows in the window", group, keys: ["Shift+W"], run: () => {
    const run = app.runs().find((r) => r.state === "ready");
    if (run) store.set({ area: { run: app.ref(run), ...store.state.window, workers: null }, pane: "area" }, { history: "push" });
  } });
  commands.register({ id: "area.zoom", title: "Zoom to the area", group, when: () => store.state.area !== null, run: () => store.state.area && app.view.zoomTo(store.state.area.t0, store.state.area.t1) });
  commands.register({ id: "area.clear", title: "Clear the area", group, when: () => store.state.area !== null, run: () => store.set({ area: null }, { history: "push" }) });
  commands.register({ id: "ruler.clear", title: "Remove the ruler", group, when: () => store.state.ruler !== null, run: () => store.set({ ruler: null }) });
  commands.register({ id: "marks.clear", title: "Remove the marks", group, when: () => store.state.marks !== null, run: () => store.set({ marks: null }) });
  commands.register({ id: "pane.toggle", title: "Open or close the side pane", group: "Panes", keys: ["p"], run: () => store.set({ pane: store.state.pane === null ? lastPane : null }) });
  let lastPane = "findings";
  store.subscribe(["pane"], (s) => (lastPane = s.pane ?? lastPane));
  commands.register({ id: "view.escape", title: "Let go: menu, mode, ruler, area, selection", group, keys: ["Escape"], run: () => {
    if (closeMenu()) return;
    if (gestures.mode !== "pan") return setMode("pan");
    const s = store.state;
    if (s.ruler) store.set({ ruler: null });
    else if (s.area) store.set({ area: null }, { history: "push" });
    else if (s.selected) store.set({ selected: null }, { history: "push" });
    else if (s.pane) store.set({ pane: null });
  } });
}

function panels(app: App, { timeline, hovering, selected }: Parts): void {
  const { commands, store } = app, group = "Panels";
  const change = (panels: State["panels"]) => store.set({ panels }, { history: "push" });
  const move = (id: string | undefined, by: number) => {
    const list = [...store.state.panels], i = list.findIndex((p) => p.id === id), to = i + by;
    if (i < 0 || to < 0 || to >= list.length) return;
    const [p] = list.splice(i, 1);
    list.splice(to, 0, p!);
    change(list);
    timeline.content.querySelector<HTMLElement>(`[data-panel="${CSS.escape(id ?? "")}"] .panel-grip`)?.focus();
  };
  commands.register({ id: "panel.add", title: "Add a panel", hidden: true, group, run: (id) => {
    if (!id || store.state.panels.some((p) => p.id === id)) return;
    change([...store.state.panels, { id, height: null, options: {} }]);
    timeline.content.lastElementChild?.scrollIntoView({ block: "nearest" });
  } });
  for (const p of app.session.panels)
    commands.register({ id: `panel.show.${p.id}`, title: `Show or remove panel: ${p.title}`, group, run: () => commands.run(store.state.panels.some((x) => x.id === p.id) ? "panel.remove" : "panel.add", p.id) });
  commands.register({ id: "panel.remove", title: "Remove a panel", hidden: true, group, run: (id) => change(store.state.panels.filter((p) => p.id !== id)) });
  commands.register({ id: "panel.up", title: "Move a panel up", hidden: true, group, run: (id) => move(id, -1) });
  commands.register({ id: "panel.down", title: "Move a panel down", hidden: true, group, run: (id) => move(id, 1) });
  commands.register({ id: "panel.move", title: "Move a panel before another (id:before)", hidden: true, group, run: (arg) => {
    const [id, before] = (arg ?? "").split(":"), list = store.state.panels.filter((p) => p.id !== id), p = store.state.panels.find((x) => x.id === id);
    if (!p) return;
    const at = list.findIndex((x) => x.id === before);
    list.splice(at < 0 ? list.length : at, 0, p);
    change(list);
  } });
  commands.register({ id: "panel.height", title: "Set the height of a panel (id:px)", hidden: true, group, run: (arg) => {
    const [id, px] = (arg ?? "").split(":"), height = px ? Math.round(Math.max(24, Math.min(8000, Number(px)))) : null;
    change(store.state.panels.map((p) => (p.id === id ? { ...p, height } : p)));
  } });
  commands.register({ id: "row.menu", title: "Menu of the row below the cursor, or of the selected task's: pin, hide, collapse", group, keys: ["e"], run: () => {
    const at = hovering.row() ?? (selected.task && timeline.rowOf(store.state.selected?.run ?? "", selected.task.worker));
    if (!at) return app.announce("Point at a row or select a task first");
    openMenu(at.at, `Row ${at.row.label}`, rowMenu(app, at.row, at.run));
  } });
  commands.register({ id: "chain.toggle", title: "Show or hide the critical chain on the rows", group, keys: ["c"], run: () => {
    const on = chainShown(store.state), list = store.state.panels.some((p) => p.id === "st") ? store.state.panels : [{ id: "st", height: null, options: {} }, ...store.state.panels];
    change(list.map((p) => (p.id === "st" ? { ...p, options: withChain(p.options, !on) } : p)));
    app.announce(on ? "The critical chain is hidden" : "The critical chain is shown, with the rows it uses");
  } });
  commands.register({ id: "panel.reset", title: "The panels of the beginning", group, run: () => change(app.session.defaults.panels.map((id) => ({ id, height: null, options: {} }))) });
}

function legends(app: App): void {
  const { commands, store } = app, group = "Kinds";
  const toggle = (key: string) => (kind?: string) => {
    if (!kind) return;
    const { options } = store.state;
    store.set({ options: withList(options, key, toggled(listOption(options, key), kind)) }, { history: "push" });
  };
  commands.register({ id: "kind.focus", title: "Bring out a kind", hidden: true, group, run: toggle("focus") });
  commands.register({ id: "kind.hide", title: "Hide or show a kind", hidden: true, group, run: toggle("hide") });
  commands.register({ id: "kind.all", title: "All kinds in full strength", group, run: () => store.set({ options: withList(withList(store.state.options, "focus", []), "hide", []) }, { history: "push" }) });
}

function tasks(app: App, { selected, timeline }: Parts): void {
  const { commands, store } = app, group = "Tasks", any = () => store.state.selected !== null;
  // From the task that is selected now: its details may still be on their way.
  const go = async (keyOf: (t: TaskDetail) => string | null | undefined, what: string) => {
    const run = store.state.selected?.run, task = await selected.current();
    if (!run || !task) return;
    const key = keyOf(task);
    if (!key) return app.announce(`There is no ${what}`);
    store.set({ selected: { run, key } }, { history: "push" });
    void timeline.reveal(run, key);
  };
  commands.register({ id: "task.cause", title: "To the task it waited for last", group, keys: ["["], when: any, run: () => void go((t) => t.predecessors.find((e) => e.last)?.key ?? t.chain.links.find((l) => !l.transfer && l.key !== t.key)?.key, "dependency before it") });
  commands.register({ id: "task.released", title: "To the task that it released", group, keys: ["]"], when: any, run: () => void go((t) => t.released, "task that it released") });
  commands.register({ id: "task.next", title: "Next task on its worker", group, keys: [".", "Enter"], when: any, run: () => void go((t) => t.after?.key, "task after it on its worker") });
  commands.register({ id: "task.previous", title: "Previous task on its worker", group, keys: [",", "Shift+Enter"], when: any, run: () => void go((t) => t.before?.key, "task before it on its worker") });
  commands.register({ id: "task.fit", title: "Zoom to the selected task", group, keys: ["f"], when: any, run: () => void selected.current().then((t) => t && Number.isFinite(t.start) && fitTask(app, t)) });
  commands.register({ id: "task.more-levels", title: "One more level of dependencies", group, keys: ["Shift+}", "}"], when: any, run: () => store.set({ levels: store.state.levels < 0 ? -1 : store.state.levels + 1 }) });
  commands.register({ id: "task.fewer-levels", title: "One level of dependencies fewer", group, keys: ["Shift+{", "{"], when: any, run: () => store.set({ levels: store.state.levels < 0 ? 10 : Math.max(0, store.state.levels - 1) }) });
  commands.register({ id: "task.clear", title: "Clear the selected task", group, when: any, run: () => store.set({ selected: null }, { history: "push" }) });
}

/** Shows a step of the critical chain: from where the chain leaves the task before to the end of the step's own. */
export function frameStep(app: App, step: { label: string; t0: number; t1: number }): void {
  const margin = Math.max(1, step.t1 - step.t0) * 0.15;
  app.view.zoomTo(Math.round(step.t0 - margin), Math.round(step.t1 + margin));
  app.announce(`Critical chain: ${step.label}`);
}

export function fitTask(app: App, t: { start: number; end: number }): void {
  const margin = Math.max(1, t.end - t.start) * 0.6;
  app.view.zoomTo(Math.round(t.start - margin), Math.round(t.end + margin));
}
