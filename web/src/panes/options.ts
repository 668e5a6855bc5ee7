// Dialogs for the options of a panel and of all panels, and the choice of panels.
import type { App } from "../core/app";
import type { PanelState } from "../core/store";
import type { OptionInfo, PanelInfo } from "../api/types";
import { openDialog } from "../widgets/dialog";
import { append, button, fill, h, select, uid, type Child } from "../widgets/dom";
import { hint } from "./common";
import { controlOf, items, optionTitle, withOption, wrongValue } from "./option";
import { count } from "./words";

interface Target {
  get(): Record<string, string>;
  set(options: Record<string, string>): void;
}

/** Options of a panel, by its id. */
export function openPanelOptions(app: App, id: string): void {
  const info = app.session.panels.find((p) => p.id === id);
  if (!info || !panelState(app, id)) return app.announce(`There is no panel ${id} in the view`);
  const target: Target = {
    get: () => panelState(app, id)?.options ?? {},
    set: (options) => app.store.set({ panels: app.store.state.panels.map((p) => (p.id === id ? { ...p, options } : p)) }, { history: "push" }),
  };
  openOptions(app, `Options of ${info.title}`, info.options, target, info.id, hint(info.doc));
}

function panelState(app: App, id: string): PanelState | undefined {
  return app.store.state.panels.find((p) => p.id === id);
}

/** Options of all panels; with a prefix only those ("rows."). */
export function openSharedOptions(app: App, prefix = ""): void {
  const infos = app.session.options.filter((o) => o.key.startsWith(prefix));
  const target: Target = {
    get: () => app.store.state.options,
    set: (options) => app.store.set({ options }, { history: "push" }),
  };
  openOptions(app, prefix === "rows." ? "Rows: which, in which order, how grouped" : "Options of all panels", infos, target, prefix.replace(".", "") || undefined);
}

function openOptions(app: App, title: string, infos: OptionInfo[], target: Target, panel?: string, intro?: Child): void {
  const list = h("div", { class: "options" });
  const filter = h("input", { type: "search", class: "input", placeholder: "filter options", "aria-label": "Filter options", autofocus: true });
  const draw = (): void => {
    const words = filter.value.trim().toLowerCase();
    fill(list, infos.filter((i) => `${i.key} ${i.doc}`.toLowerCase().includes(words)).map((i) => row(app, i, target, panel)));
    if (infos.length === 0) append(list, [hint("There is nothing to set.")]);
  };
  filter.addEventListener("input", draw);
  draw();
  openDialog(title, [intro, infos.length > 6 ? filter : null, list, h("div", { class: "row end" },
    button("Reset all", () => {
      const rest = { ...target.get() };
      for (const i of infos) delete rest[i.key];
      target.set(rest);
      draw();
    }))], { class: "wide" });
}

function row(app: App, info: OptionInfo, target: Target, panel: string | undefined): HTMLElement {
  const id = uid("option");
  const root = h("div", { class: "option" });
  const error = h("div", { class: "error", role: "alert" });
  const value = (): string => target.get()[info.key] ?? info.default ?? "";
  const reset = button("reset", () => set(info.default ?? ""), { class: "link", "aria-label": `Reset ${info.key}` });
  const holder = h("div", { class: "option-control" });
  const set = (text: string): void => {
    const wrong = wrongValue(info, text);
    fill(error, wrong);
    if (wrong) return;
    target.set(withOption(target.get(), info, text.trim()));
    mark();
  };
  const mark = (): void => {
    const changed = info.key in target.get();
    root.classList.toggle("changed", changed);
    reset.hidden = !changed;
    fill(holder, control(app, info, id, value(), set));
  };
  root.append(
    h("label", { for: id, class: "option-name", title: info.key }, optionTitle(info.key, panel)),
    holder, reset,
    h("div", { class: "option-doc muted", id: `${id}-doc` }, info.doc.replaceAll("`", ""), info.default ? ` (default: ${info.default})` : ""),
    error);
  mark();
  return root;
}

function control(app: App, info: OptionInfo, id: string, value: string, set: (text: string) => void): HTMLElement {
  const described = { id, "aria-describedby": `${id}-doc` };
  const choices = info.type.words ?? [];
  switch (controlOf(info)) {
    case "bool": {
      const box = h("input", { type: "checkbox", ...described, checked: value === "true" });
      box.indeterminate = value === ""; // the panel decides
      box.addEventListener("change", () => set(String(box.checked)));
      return box;
    }
    case "choice": {
      const el = select(info.key, choices.map((v) => ({ value: v, text: v })), value, set);
      el.id = id;
      return el;
    }
    case "several":
      return checks(info.key, choices, items(value), set);
    case "kinds": {
      const kinds = [...new Set(app.session.runs.flatMap((r) => r.kinds))];
      if (kinds.length <= 30) return checks(info.key, kinds, items(value), set);
      return textInput(info, described, value, set);
    }
    default:
      return textInput(info, described, value, set);
  }
}

function checks(label: string, choices: string[], now: string[], set: (text: string) => void): HTMLElement {
  return h("div", { class: "checks", role: "group", "aria-label": label }, choices.map((c) => {
    const box = h("input", { type: "checkbox", checked: now.includes(c) });
    box.addEventListener("change", () => set(choices.filter((x) => (x === c ? box.checked : now.includes(x))).map((x) => x.replaceAll(",", "\\,")).join(",")));
    return h("label", { class: "check" }, box, c);
  }));
}

function textInput(info: OptionInfo, props: Record<string, unknown>, value: string, set: (text: string) => void): HTMLElement {
  const box = h("input", { type: "text", class: "input", ...props, value, placeholder: info.type.list ? `${info.type.text}, commas between` : info.type.text, spellcheck: "false" });
  box.addEventListener("change", () => set(box.value));
  return box;
}

/** Which panels are shown, in which order. */
export function openPanelChooser(app: App): void {
  const body = h("div", { class: "chooser" });
  const draw = (): void => {
    const shown = app.store.state.panels;
    const others = app.session.panels.filter((p) => !shown.some((s) => s.id === p.id));
    fill(body,
      h("h3", null, "In the view, from top to bottom"),
      shown.length === 0 ? hint("None. Add some from below.") : null,
      h("ol", { class: "panel-list" }, shown.map((s, i) => shownPanel(app, s, i, draw))),
      others.length > 0 ? [h("h3", null, "To be added"), h("ul", { class: "panel-list" }, others.map((p) => otherPanel(app, p, draw)))] : null);
  };
  draw();
  openDialog("Panels", [body, h("div", { class: "row end" }, button("Default panels", () => {
    set(app, app.session.defaults.panels.map((id) => app.store.state.panels.find((p) => p.id === id) ?? { id, height: null, options: {} }));
    draw();
  }))], { class: "wide" });
}

function set(app: App, panels: PanelState[]): void {
  app.store.set({ panels }, { history: "push" });
}

function shownPanel(app: App, s: PanelState, i: number, draw: () => void): HTMLElement {
  const info = app.session.panels.find((p) => p.id === s.id);
  const panels = [...app.store.state.panels];
  const move = (by: number): void => {
    panels.splice(i, 1);
    panels.splice(i + by, 0, s);
    set(app, panels);
    draw();
  };
  const title = info?.title ?? s.id;
  return h("li", null,
    h("div", { class: "panel-entry" }, h("b", null, title), ...missing(app, info)),
    h("div", { class: "row" },
      button("↑", () => move(-1), { class: "icon", disabled: i === 0, "aria-label": `Move ${title} up` }),
      button("↓", () => move(1), { class: "icon", disabled: i === panels.length - 1, "aria-label": `Move ${title} down` }),
      info?.options.length ? button("Options", () => openPanelOptions(app, s.id)) : null,
      button("Remove", () => {
        set(app, panels.filter((_, j) => j !== i));
        draw();
      }, { "aria-label": `Remove ${title}` })));
}

function otherPanel(app: App, p: PanelInfo, draw: () => void): HTMLElement {
  return h("li", null,
    h("div", { class: "panel-entry" }, h("b", null, p.title), " ", h("span", { class: "muted" }, p.doc), ...missing(app, p)),
    button("Add", () => {
      set(app, [...app.store.state.panels, { id: p.id, height: null, options: {} }]);
      draw();
    }, { "aria-label": `Add ${p.title}` }));
}

// Why a panel has nothing to draw of some of the runs.
function missing(app: App, p: PanelInfo | undefined): Child[] {
  const why = app.session.runs.map((run, i) => ({ run, why: p?.missing[i] })).filter((m) => m.why);
  if (why.length === 0) return [];
  const all = why.length === app.session.runs.length;
  if (all && new Set(why.map((m) => m.why)).size === 1) return [h("div", { class: "missing" }, `nothing to draw: ${why[0]!.why}`)];
  return why.slice(0, 3).map((m) => h("div", { class: "missing" }, `nothing of ${m.run.name}: ${m.why}`))
    .concat(why.length > 3 ? [h("div", { class: "missing" }, `and ${count(why.length - 3)} more`)] : []);
}
