// The bar at the top: what is looked at, and buttons of the commands used most.
import type { App } from "../core/app";
import type { Align, Theme } from "../core/store";
import { duration } from "../core/time";
import { counted } from "../panes/words";
import { h } from "../widgets/dom";
import { icon, iconButton } from "../widgets/icons";
import type { Mode } from "./gestures";
import { openMenu } from "./menu";
import { chainShown } from "./options";

export class Toolbar {
  readonly root: HTMLElement;
  readonly #app: App;
  readonly #runs = h("div", { class: "runs" });
  readonly #align = h("select", { "aria-label": "Align runs on", title: "Align runs on" });
  readonly #modes = new Map<Mode, HTMLButtonElement>();
  readonly #chain: HTMLButtonElement;
  readonly #steps: [string, HTMLButtonElement][];

  constructor(app: App) {
    this.#app = app;
    const run = (id: string) => () => app.commands.run(id);
    const undo = iconButton("undo", "Back to where the view was (z)", run("view.undo")), redo = iconButton("redo", "Forward again (Shift+Z)", run("view.redo"));
    this.#steps = [["view.undo", undo], ["view.redo", redo]];
    const add = h("button", { type: "button", class: "text-button", "aria-haspopup": "menu", onclick: () => this.#addMenu(add) }, icon("add"), "Add panel");
    const pane = iconButton("pane", "Side pane", run("pane.toggle"));
    for (const [m, name, label] of [["area", "area", "Select an area: drag over rows (Shift+S, or Alt+drag)"], ["ruler", "ruler", "Measure: drag between two instants (r)"]] as const) {
      const b = iconButton(name, label, () => app.commands.run(`mode.${m}`), { "aria-pressed": "false" });
      this.#modes.set(m, b);
    }
    this.#chain = h("button", { type: "button", class: "text-button chain-button", "aria-pressed": "false", "aria-label": "Critical chain", onclick: run("chain.toggle"), title: "Critical chain: what the makespan consisted of, on whatever rows it was (c)" }, icon("chain"), h("span", {}, "Critical chain"));
    this.#align.append(...(["none", "start", "end", "progress", "iteration"] as Align[]).map((a) => h("option", { value: a }, a === "none" ? "own time" : a)));
    this.#align.addEventListener("change", () => {
      app.store.set({ align: this.#align.value as Align }, { history: "push" });
      app.commands.run("view.fit");
    });
    const search = h("button", { type: "button", class: "text-button search-button", onclick: run("search.open"), title: "Search tasks (/)" }, icon("search"), "Search", h("kbd", {}, "/"));
    this.root = h("header", { class: "top" },
      h("strong", { class: "brand" }, "dagscope"), this.#runs, this.#align, h("span", { class: "spacer" }),
      h("button", { type: "button", class: "text-button", onclick: run("pane.findings"), title: "What to look at first: where the makespan went, how short it could be" }, "Findings"), search,
      group("Move", undo, redo, iconButton("minus", "Zoom out (−)", run("view.zoom-out")), iconButton("plus", "Zoom in (+)", run("view.zoom-in")), iconButton("fit", "Show the whole run (0)", run("view.fit"))),
      group("Modes", ...this.#modes.values()), this.#chain,
      add,
      group("More", iconButton("command", "All commands (Ctrl+K)", run("palette.open")), iconButton("theme", "Light or dark", () => this.#theme()), iconButton("help", "Help (?)", run("help.open")), pane),
    );
    app.store.subscribe(["window", "panels", "selected", "runs", "align"], () => this.update());
    app.onSession(() => this.update());
    this.update();
  }

  setMode(mode: Mode): void {
    for (const [m, b] of this.#modes) b.setAttribute("aria-pressed", String(m === mode));
  }

  update(): void {
    const runs = this.#app.runs();
    this.#runs.replaceChildren(...runs.slice(0, 4).map((r) => {
      const what = r.state === "ready" ? `${counted(r.tasks, "task")} on ${counted(r.workers, "worker")}, ${duration(r.makespan_ns)}` : r.state === "loading" ? "loading…" : "failed";
      return h("span", { class: "run", title: r.source ?? r.name }, h("b", {}, r.name), ` ${runs.length > 1 ? "" : what}`);
    }), runs.length > 4 ? ` and ${runs.length - 4} more` : "");
    this.#align.hidden = runs.length < 2;
    this.#align.value = this.#app.store.state.align;
    this.#chain.setAttribute("aria-pressed", String(chainShown(this.#app.store.state)));
    for (const [id, b] of this.#steps) b.disabled = this.#app.commands.get(id)?.when?.() === false;
  }

  #addMenu(at: Element): void {
    const shown = new Set(this.#app.store.state.panels.map((p) => p.id));
    const items = this.#app.session.panels.map((p) => {
      const none = p.missing.length > 0 && p.missing.every((m) => m !== null);
      return { label: p.title, checked: shown.has(p.id), ...(none ? { detail: p.missing[0] ?? "" } : { detail: p.id }), run: () => this.#app.commands.run(shown.has(p.id) ? "panel.remove" : "panel.add", p.id) };
    });
    openMenu(at, "Panels", items);
  }

  #theme(): void {
    const next: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
    const theme = next[this.#app.store.state.theme];
    this.#app.store.set({ theme });
    this.#app.announce(`Theme: ${theme === "auto" ? "as the system" : theme}`);
  }
}

function group(label: string, ...children: HTMLElement[]): HTMLElement {
  return h("div", { class: "button-group", role: "group", "aria-label": label }, ...children);
}
