// The URL and the steps of navigation: settled moves are steps that the
// browser's buttons and undo/redo return to.
import type { State, Store } from "./store";
import { readHash, writeHash } from "./url";

// What a step of navigation holds; notes, theme and the like stay as they are.
const PLACES = ["window", "panels", "options", "runs", "align", "selected", "area", "origin"] as const;
type PlaceState = Pick<State, (typeof PLACES)[number]>;

const MOST = 200; // steps that undo remembers
const URL_MS = 150; // browsers refuse many changes of the URL in a row

export class History {
  readonly #store: Store;
  readonly #base: () => State;
  readonly #onMessage: (message: string) => void;
  #undo: PlaceState[] = [];
  #redo: PlaceState[] = [];
  #present: PlaceState;
  /** What of a state does not fit what is served, in words. */
  check: (s: Readonly<State>) => string[] = () => [];
  #timer = 0;
  #pending: "push" | "replace" = "replace";

  /** base: the state of a bare URL; onMessage hears what of a URL was not understood. */
  constructor(store: Store, base: () => State, onMessage: (message: string) => void) {
    this.#store = store;
    this.#base = base;
    this.#onMessage = onMessage;
    this.#present = places(store.state);
    store.record = (how) => this.#record(how);
    window.addEventListener("popstate", () => this.#arrive());
  }

  get canUndo(): boolean {
    return this.#undo.length > 0;
  }

  get canRedo(): boolean {
    return this.#redo.length > 0;
  }

  undo(): void {
    this.#move(this.#undo, this.#redo);
  }

  redo(): void {
    this.#move(this.#redo, this.#undo);
  }

  /** The address of the present state. */
  hash(): string {
    return "#" + writeHash(this.#store.state, this.#base());
  }

  #move(from: PlaceState[], to: PlaceState[]): void {
    const target = from.pop();
    if (!target) return;
    to.push(this.#present);
    this.#present = target;
    this.#store.set(target, { history: "replace" });
  }

  #record(how: "push" | "replace" | "none"): void {
    if (how === "none") return;
    const now = places(this.#store.state);
    if (how === "push" && JSON.stringify(now) !== JSON.stringify(this.#present)) {
      this.#undo.push(this.#present);
      if (this.#undo.length > MOST) this.#undo.shift();
      this.#redo = [];
    }
    this.#present = now;
    this.#later(how);
  }

  #later(how: "push" | "replace"): void {
    if (how === "push") this.#pending = "push";
    if (this.#timer) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      this.#write();
    }, URL_MS);
  }

  #write(): void {
    const hash = this.hash(), push = this.#pending === "push";
    this.#pending = "replace";
    if (hash === location.hash) return;
    try {
      if (push) history.pushState(null, "", hash);
      else history.replaceState(null, "", hash);
    } catch {
      // from file:// some browsers refuse; the view works without
    }
  }

  // The back button, or an address that was typed or pasted.
  #arrive(): void {
    const { state, message } = readHash(location.hash);
    this.#store.set({ ...this.#base(), ...state }, { history: "none" });
    for (const text of [message, ...this.check(this.#store.state)]) if (text) this.#onMessage(text);
    this.#present = places(this.#store.state);
  }
}

function places(s: State): PlaceState {
  return Object.fromEntries(PLACES.map((k) => [k, s[k]])) as unknown as PlaceState;
}
