// A panel: its header with title, legend and menu, its runs below each other,
// and the edge that resizes it.
import type { Frame, Legend, PanelInfo } from "../api/types";
import { shortNames } from "../core/kinds";
import { grouped } from "../widgets/number";
import { h } from "../widgets/dom";
import { icon, iconButton } from "../widgets/icons";

const WIDE = 40; // letters of a label that has the legend to itself
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
  readonly #facts = h("span", { class: "facts" });
  readonly #legend = h("div", { class: "legend", role: "group" });
  readonly #note = h("div", { class: "panel-note", hidden: true });
  readonly #actions: PanelActions;
  #legendKey = "";

  constructor(info: PanelInfo, slots: Slot[], actions: PanelActions, controls: HTMLElement | null = null) {
    this.id = info.id;
    this.slots = slots;
    this.#actions = actions;
    this.#title = h("h2", { title: info.doc, id: `panel-${info.id}` }, info.title);
    this.#legend.setAttribute("aria-label", `Legend of ${info.title}`);
    const grip = h("button", { type: "button", class: "panel-grip", "aria-label": `Move panel ${info.title}`, title: "Drag to move; Shift+arrows move it", onkeydown: (e: KeyboardEvent) => this.#moveKey(e) }, icon("grip"));
    const menu = iconButton("menu", `Menu of panel ${info.title}`, () => actions.menu(this.id, menu), { "aria-haspopup": "menu" });
    this.header = h("header", { class: "panel-header" }, grip, this.#title, this.#facts, controls, slots.length === 1 ? slots[0]!.readout : null, this.#legend, menu);
    const edge = this.#edge(info.title);
    this.root = h("section", { class: "panel", "data-panel": info.id, "aria-labelledby": `panel-${info.id}` }, this.header, ...slots.map((s) => s.root), this.#note, edge);
    this.header.addEventListener("pointerdown", (e) => this.#draggable(e));
  }

  /** Title, facts, legend and note, of the first run that has the panel. */
  update(state: LegendState): void {
    const f = this.slots.map((s) => s.frame).find((x): x is Frame => x !== null && !x.missing) ?? this.slots[0]?.frame;
    if (!f) return;
    const runs = this.slots.length > 1;
    this.#title.textContent = f.title;
    this.#facts.textContent = runs ? "" : f.facts.join(" · ");
    const note = notesOf(this.slots);
    this.#note.textContent = note;
    this.#note.hidden = note === "";
    const entries = unite(this.slots.flatMap((s) => s.frame?.legend ?? []));
    const key = JSON.stringify([entries, state]);
    if (key === this.#legendKey) return;
    this.#legendKey = key;
    const had = document.activeElement instanceof HTMLElement && this.#legend.contains(document.activeElement) ? document.activeElement.dataset.kind : undefined;
    const wide = entries.map((e) => e.label).filter((l) => l.length > WIDE);
    const short = wide.length > 0 ? shortNames(entries.map((e) => e.label)) : new Map<string, string>();
    this.#legend.replaceChildren(...entries.map((e) => this.#entry(e, state, e.label.length > WIDE ? (short.get(e.label) ?? e.label) : e.label)));
    if (had !== undefined) this.#legend.querySelector<HTMLElement>(`[data-kind="${CSS.escape(had)}"]`)?.focus({ preventScroll: true });
  }

  #entry(e: Legend, state: LegendState, name: string): HTMLElement {
    const content = [swatch(e), h("span", { class: "legend-name" }, name), e.detail ? h("span", { class: "legend-detail" }, e.detail) : null];
    if (!e.kind) return h("span", { class: "legend-entry", title: name === e.label ? null : e.label }, ...content);
    const kind = e.kind, hidden = state.hide.includes(kind), focused = state.focus.includes(kind);
    const dim = hidden || (state.focus.length > 0 && !focused);
    const toggle = (ev: MouseEvent) => this.#actions.legend(kind, ev.shiftKey);
    return h("button", {
      type: "button", class: `legend-entry${dim ? " dim" : ""}${hidden ? " off" : ""}`, "data-kind": kind, "aria-pressed": String(focused), onclick: toggle,
      title: `${e.label}: click to bring it out, Shift+click to ${hidden ? "show" : "hide"} it`,
    }, ...content);
  }

  #edge(title: string): HTMLElement {
    const edge = h("div", { class: "panel-edge", role: "separator", tabindex: 0, "aria-orientation": "horizontal", "aria-label": `Height of ${title}`, title: "Drag to resize; double-click for the natural height" });
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

  // By its header a panel is dragged to before the one that it is let go on, or to the end.
  #draggable(e: PointerEvent): void {
    if (e.button !== 0 || (e.target as Element).closest(".legend, .icon-button")) return;
    let over: HTMLElement | null = null, far = false;
    const show = (panel: HTMLElement | null) => {
      over?.classList.remove("drop");
      over = panel;
      over?.classList.add("drop");
    };
    const move = (m: PointerEvent) => {
      far ||= Math.abs(m.clientY - e.clientY) > 6;
      if (far) show(document.elementFromPoint(m.clientX, m.clientY)?.closest<HTMLElement>(".panel") ?? null);
      this.root.classList.toggle("dragged", far);
    };
    const up = (m: PointerEvent) => {
      this.header.removeEventListener("pointermove", move);
      this.root.classList.remove("dragged");
      const target = over?.dataset.panel, last = over !== null && over.nextElementSibling === null && below(over, m.clientY);
      show(null);
      if (far && target !== undefined && target !== this.id) this.#actions.move(this.id, last ? null : target);
    };
    this.header.setPointerCapture(e.pointerId);
    this.header.addEventListener("pointermove", move);
    this.header.addEventListener("pointerup", up, { once: true });
    this.header.addEventListener("pointercancel", () => this.header.removeEventListener("pointermove", move), { once: true });
  }
}

// Of several runs each has its own.
function notesOf(slots: Slot[]): string {
  if (slots.length === 1) return slots[0]!.frame?.note ?? "";
  return slots.filter((s) => s.frame?.note).map((s) => `${s.run.name}: ${s.frame!.note}`).join(" · ");
}

function below(e: Element, y: number): boolean {
  const r = e.getBoundingClientRect();
  return y > (r.top + r.bottom) / 2;
}

// Runs have entries in common; details are of one run only.
function unite(entries: Legend[]): Legend[] {
  const seen = new Map<string, Legend>();
  for (const e of entries) {
    const before = seen.get(e.label);
    if (!before) seen.set(e.label, e);
    else seen.set(e.label, { ...before, detail: together(before.detail, e.detail) });
  }
  return [...seen.values()];
}

// Numbers of tasks add up.
function together(a: string, b: string): string {
  const n = [a, b].map((s) => (/^\d[\d\s]*$/.test(s) ? Number(s.replace(/\s/g, "")) : NaN));
  return a === b && Number.isNaN(n[0]!) ? a : Number.isNaN(n[0]! + n[1]!) ? "" : grouped(n[0]! + n[1]!);
}

function swatch(e: Legend): HTMLElement {
  const style: Record<string, string> = e.swatch === "stroke"
    ? { "border-top": `2px ${e.dash?.length ? "dashed" : "solid"} ${e.color}` }
    : { "background-color": e.color };
  if (e.swatch !== "stroke" && e.hatch) style["background-image"] = `repeating-linear-gradient(45deg, ${e.hatch} 0 1px, transparent 1px 4px)`;
  return h("span", { class: `swatch ${e.swatch}`, style, "aria-hidden": "true" });
}
