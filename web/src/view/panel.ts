// A panel: its header with title, legend and menu, its runs below each other,
// and the edge that resizes it.
import type { Frame, Legend, PanelInfo } from "../api/types";
import { el, icon, iconButton } from "./dom";
import type { Slot } from "./slot";

export interface PanelActions {
  menu(panel: string, at: Element): void;
  legend(kind: string, hide: boolean): void;
  resize(panel: string, height: number, done: boolean): void;
  move(panel: string, before: string | null): void;
}

export interface LegendState { focus: string[]; hide: string[] }

export class PanelBox {
  readonly id: string;
  readonly root: HTMLElement;
  readonly header: HTMLElement;
  readonly slots: Slot[];
  readonly #title: HTMLElement;
  readonly #facts = el("span", { class: "facts" });
  readonly #legend = el("div", { class: "legend", role: "group" });
  readonly #note = el("div", { class: "panel-note", hidden: true });
  readonly #actions: PanelActions;
  #legendKey = "";

  constructor(info: PanelInfo, slots: Slot[], actions: PanelActions) {
    this.id = info.id;
    this.slots = slots;
    this.#actions = actions;
    this.#title = el("h2", { title: info.doc, id: `panel-${info.id}` }, info.title);
    this.#legend.setAttribute("aria-label", `Legend of ${info.title}`);
    const grip = el("button", { type: "button", class: "panel-grip", "aria-label": `Move panel ${info.title}`, title: "Drag to move; Shift+arrows move it", onkeydown: (e: KeyboardEvent) => this.#moveKey(e) }, icon("grip"));
    grip.draggable = true;
    grip.addEventListener("dragstart", (e) => e.dataTransfer?.setData("text/x-dagscope-panel", this.id));
    const menu = iconButton("menu", `Menu of panel ${info.title}`, () => actions.menu(this.id, menu), { "aria-haspopup": "menu" });
    this.header = el("header", { class: "panel-header" }, grip, this.#title, this.#facts, slots.length === 1 ? slots[0]!.readout : null, this.#legend, menu);
    const edge = this.#edge(info.title);
    this.root = el("section", { class: "panel", "data-panel": info.id, "aria-labelledby": `panel-${info.id}` }, this.header, ...slots.map((s) => s.root), this.#note, edge);
    this.#accept();
  }

  /** Title, facts, legend and note, of the first run that has the panel. */
  update(state: LegendState): void {
    const f = this.slots.map((s) => s.frame).find((x): x is Frame => x !== null && !x.missing) ?? this.slots[0]?.frame;
    if (!f) return;
    const runs = this.slots.length > 1;
    this.#title.textContent = f.title;
    this.#facts.textContent = runs ? "" : f.facts.join(" · ");
    this.#note.textContent = f.note;
    this.#note.hidden = f.note === "";
    const entries = unite(this.slots.flatMap((s) => s.frame?.legend ?? []));
    const key = JSON.stringify([entries, state]);
    if (key === this.#legendKey) return;
    this.#legendKey = key;
    const had = document.activeElement instanceof HTMLElement && this.#legend.contains(document.activeElement) ? document.activeElement.dataset.kind : undefined;
    this.#legend.replaceChildren(...entries.map((e) => this.#entry(e, state)));
    if (had !== undefined) this.#legend.querySelector<HTMLElement>(`[data-kind="${CSS.escape(had)}"]`)?.focus({ preventScroll: true });
  }

  #entry(e: Legend, state: LegendState): HTMLElement {
    const content = [swatch(e), el("span", {}, e.label), e.detail ? el("span", { class: "legend-detail" }, e.detail) : null];
    if (!e.kind) return el("span", { class: "legend-entry" }, ...content);
    const kind = e.kind, hidden = state.hide.includes(kind), focused = state.focus.includes(kind);
    const dim = hidden || (state.focus.length > 0 && !focused);
    const toggle = (ev: MouseEvent) => this.#actions.legend(kind, ev.shiftKey);
    return el("button", {
      type: "button", class: `legend-entry${dim ? " dim" : ""}${hidden ? " off" : ""}`, "data-kind": kind, "aria-pressed": String(focused), onclick: toggle,
      title: `${e.label}: click to bring it out, Shift+click to ${hidden ? "show" : "hide"} it`,
    }, ...content);
  }

  #edge(title: string): HTMLElement {
    const edge = el("div", { class: "panel-edge", role: "separator", tabindex: 0, "aria-orientation": "horizontal", "aria-label": `Height of ${title}`, title: "Drag to resize; double-click for the natural height" });
    const height = () => this.slots.find((s) => !s.frame?.missing)?.height ?? 100;
    edge.addEventListener("pointerdown", (e) => {
      const from = e.clientY, before = height();
      edge.setPointerCapture(e.pointerId);
      const move = (m: PointerEvent) => this.#actions.resize(this.id, before + (m.clientY - from) / Math.max(1, this.slots.length), false);
      const up = (m: PointerEvent) => {
        edge.removeEventListener("pointermove", move);
        if (m.clientY !== from) this.#actions.resize(this.id, before + (m.clientY - from) / Math.max(1, this.slots.length), true);
      };
      edge.addEventListener("pointermove", move);
      edge.addEventListener("pointerup", up, { once: true });
    });
    edge.addEventListener("dblclick", () => this.#actions.resize(this.id, NaN, true));
    edge.addEventListener("keydown", (e) => {
      const by = { ArrowDown: 10, ArrowUp: -10 }[e.key];
      if (by === undefined) return;
      e.preventDefault();
      e.stopPropagation();
      this.#actions.resize(this.id, height() + by, true);
    });
    return edge;
  }

  #moveKey(e: KeyboardEvent): void {
    const down = e.key === "ArrowDown";
    if (!e.shiftKey || (!down && e.key !== "ArrowUp")) return;
    e.preventDefault();
    e.stopPropagation();
    const next = down ? this.root.nextElementSibling?.nextElementSibling : this.root.previousElementSibling;
    if (!down && !next) return;
    this.#actions.move(this.id, next instanceof HTMLElement ? (next.dataset.panel ?? null) : null);
  }

  #accept(): void {
    const ours = (e: DragEvent) => e.dataTransfer?.types.includes("text/x-dagscope-panel") === true;
    this.root.addEventListener("dragover", (e) => {
      if (!ours(e)) return;
      e.preventDefault();
      this.root.classList.add("drop");
    });
    this.root.addEventListener("dragleave", () => this.root.classList.remove("drop"));
    this.root.addEventListener("drop", (e) => {
      this.root.classList.remove("drop");
      const id = e.dataTransfer?.getData("text/x-dagscope-panel");
      if (!id || id === this.id) return;
      e.preventDefault();
      this.#actions.move(id, this.id);
    });
  }
}

// Runs have entries in common; details are of one run only.
function unite(entries: Legend[]): Legend[] {
  const seen = new Map<string, Legend>();
  for (const e of entries) {
    const before = seen.get(e.label);
    if (!before) seen.set(e.label, e);
    else if (before.detail !== e.detail) seen.set(e.label, { ...before, detail: "" });
  }
  return [...seen.values()];
}

function swatch(e: Legend): HTMLElement {
  const hatch = e.hatch ? `background-image: repeating-linear-gradient(45deg, ${e.hatch} 0 1px, transparent 1px 4px);` : "";
  const style = e.swatch === "stroke" ? `border-top: 2px ${e.dash?.length ? "dashed" : "solid"} ${e.color}` : `background-color: ${e.color};${hatch}`;
  return el("span", { class: `swatch ${e.swatch}`, style, "aria-hidden": "true" });
}
