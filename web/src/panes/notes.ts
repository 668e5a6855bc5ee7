import type { App, Pane } from "../core/app";
import { Cleanup, button, fill, h, type Child } from "../widgets/dom";
import { copy, goTo, hint, section, timeLink } from "./common";
import { duration, instant, parseInstant } from "./words";

/** Bookmarks and notes at instants, the ruler, and what the axis counts from. */
export const pane: Pane = {
  id: "notes",
  title: "Notes",
  mount(root, app) {
    const view = new NotesView(root, app);
    return () => view.destroy();
  },
};

class NotesView {
  private end = new Cleanup();
  private ruler = h("div");
  private origin = h("div");
  private list = h("ul", { class: "notes", "aria-label": "Notes" });
  private where: HTMLInputElement;
  private what: HTMLInputElement;

  constructor(root: HTMLElement, private app: App) {
    this.where = h("input", { type: "text", class: "input short", "aria-label": "Time of the note", value: this.here() });
    this.what = h("input", { type: "text", class: "input", placeholder: "note, or nothing for a bookmark", "aria-label": "Text of the note", maxlength: "500" });
    const form = h("form", { class: "row" }, this.where, this.what, h("button", { type: "submit", class: "btn" }, "Add"));
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      this.add();
    });
    fill(root, section("Notes and bookmarks", hint("They are kept in the link to this view. Times as on the axis: 12.5 ms, 1.2 s."), form, this.list),
      section("Ruler", this.ruler), section("Times from", this.origin));
    this.end.add(app.store.subscribe(["notes", "ruler", "origin", "window"], () => this.draw()));
    this.draw();
  }

  destroy(): void {
    this.end.run();
  }

  private here(): string {
    const { window: w, origin } = this.app.store.state;
    return instant((w.t0 + w.t1) / 2, origin);
  }

  private add(): void {
    const t = parseInstant(this.where.value);
    this.where.setCustomValidity(t === null ? "A time like 12.5 ms or 1.2 s" : "");
    if (t === null) return void this.where.reportValidity();
    addNote(this.app, t + this.app.store.state.origin, this.what.value.trim());
    this.what.value = "";
  }

  private draw(): void {
    const { notes, ruler, origin, window: w } = this.app.store.state;
    if (document.activeElement !== this.where) this.where.value = this.here();
    if (!this.list.contains(document.activeElement) || document.activeElement?.tagName !== "INPUT") {
      fill(this.list, notes.map((n, i) => this.note(n, i)));
    }
    fill(this.ruler, ruler ? this.measured(ruler) : hint("No ruler. Press R and drag between two instants, or measure the visible window: ",
      button("Measure", () => this.app.store.set({ ruler: { t0: w.t0, t1: w.t1 } }, { history: "push" }))));
    fill(this.origin, this.originRow(origin));
  }

  private note(n: { t: number; text: string }, i: number): HTMLElement {
    const app = this.app;
    const box = h("input", { type: "text", class: "input", value: n.text, placeholder: "bookmark", "aria-label": `Note at ${instant(n.t, app.store.state.origin)}`, maxlength: "500" });
    box.addEventListener("change", () => setNotes(app, app.store.state.notes.map((x, j) => (j === i ? { ...x, text: box.value.trim() } : x))));
    return h("li", null, timeLink(app, n.t), box,
      button("×", () => setNotes(app, app.store.state.notes.filter((_, j) => j !== i)), { class: "icon", "aria-label": `Remove the note at ${instant(n.t, app.store.state.origin)}` }));
  }

  private measured(r: { t0: number; t1: number }): Child {
    const app = this.app;
    const length = Math.abs(r.t1 - r.t0);
    return [
      h("p", { class: "facts" }, h("b", null, duration(length)), " from ", timeLink(app, Math.min(r.t0, r.t1)), " to ", timeLink(app, Math.max(r.t0, r.t1)),
        length > 0 ? h("span", { class: "muted" }, `, ${(1e9 / length).toPrecision(3)} per second`) : null),
      h("div", { class: "row" },
        button("Zoom to it", () => app.view.zoomTo(Math.min(r.t0, r.t1), Math.max(r.t0, r.t1))),
        button("Times from its start", () => setOrigin(app, Math.min(r.t0, r.t1))),
        button("Copy", () => void copy(app, `${duration(length)} (${Math.round(length)} ns)`, "the length")),
        button("Remove", () => app.store.set({ ruler: null }, { history: "push" }))),
    ];
  }

  private originRow(origin: number): Child {
    const app = this.app;
    return [
      h("p", { class: "facts" }, origin === 0 ? "The axis counts from the start of the run." : ["The axis counts from ", h("b", null, instant(origin)), " of the run."]),
      h("div", { class: "row" },
        button("From the left edge", () => setOrigin(app, Math.round(app.store.state.window.t0))),
        origin !== 0 ? button("From the start of the run", () => setOrigin(app, 0)) : null,
        origin !== 0 ? button("Show where it is", () => goTo(app, origin)) : null),
    ];
  }
}

function setOrigin(app: App, origin: number): void {
  app.store.set({ origin }, { history: "push" });
}

function setNotes(app: App, notes: { t: number; text: string }[]): void {
  app.store.set({ notes: [...notes].sort((a, b) => a.t - b.t) }, { history: "push" });
}

/** Adds a note (a bookmark if it has no text) at an instant of the axis. */
export function addNote(app: App, t: number, text = ""): void {
  setNotes(app, [...app.store.state.notes, { t: Math.round(t), text }]);
  app.announce(`Noted ${instant(t, app.store.state.origin)}`);
}
