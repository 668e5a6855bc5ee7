// The state of the live view: all that a permalink holds. Whoever wants to
// know of changes subscribes to the keys it reads.

export type Align = "none" | "start" | "end" | "progress" | "iteration";
export type Theme = "auto" | "light" | "dark";

export interface Span { t0: number; t1: number } // ns on the axis

export interface PanelState {
  id: string;
  height: number | null; // px of the body, null: natural
  options: Record<string, string>; // keys of configurations
}

/** A part of the picture: a span of time × workers, possibly of some kinds or durations only. */
export interface AreaState extends Span {
  run: string; // RunInfo name, or its id if names are not unique (App.ref)
  workers: string[] | null; // names, null: all
  kinds?: string[];
  min?: number; // of the duration, ns
  max?: number;
  dim?: boolean; // what is not in it is faint
}

export interface State {
  runs: { name: string; checksum: string }[]; // shown, in order; empty: all
  window: Span;
  origin: number; // what the axis counts from, ns
  panels: PanelState[];
  options: Record<string, string>; // for all panels: rows.*, focus, hide, …
  align: Align;
  selected: { run: string; key: string } | null; // a task, by job id; run as in AreaState
  area: AreaState | null;
  pane: string | null; // which tab of the side pane is open
  levels: number; // of the dependency chain, -1 to the source
  ruler: Span | null;
  notes: { t: number; text: string }[];
  theme: Theme;
  search: string;
  marks: { label: string; times: number[] } | null; // of a SQL result
}

/**
 * How a change enters the history of navigation: "push" makes a step that the
 * back button and undo return from, "replace" changes the present step, "none"
 * leaves the URL alone (while a gesture is under way).
 */
export type How = { history?: "push" | "replace" | "none" };

export type Listener = (state: State, changed: ReadonlySet<keyof State>) => void;

export function emptyState(): State {
  return {
    runs: [], window: { t0: 0, t1: 1 }, origin: 0, panels: [], options: {}, align: "none",
    selected: null, area: null, pane: null, levels: 3, ruler: null, notes: [], theme: "auto", search: "", marks: null,
  };
}

export class Store {
  #state: State;
  #listeners: { keys: (keyof State)[]; f: Listener }[] = [];
  /** What brings a change to the URL and to undo: set by History. */
  record: (how: "push" | "replace" | "none") => void = () => {};

  constructor(state: State = emptyState()) {
    this.#state = state;
  }

  get state(): Readonly<State> {
    return this.#state;
  }

  /** Changes the keys in patch and tells their subscribers; the default history is "replace". */
  set(patch: Partial<State>, how: How = {}): void {
    const changed = new Set<keyof State>();
    for (const key of Object.keys(patch) as (keyof State)[])
      if (!same(this.#state[key], patch[key])) changed.add(key);
    const mode = how.history ?? "replace";
    if (changed.size > 0) this.#state = { ...this.#state, ...patch };
    if (changed.size > 0 || mode === "push") this.record(mode);
    if (changed.size > 0) this.#tell(changed);
  }

  /** Calls f after every change of one of keys; returns how to end that. */
  subscribe(keys: (keyof State)[], f: Listener): () => void {
    const listener = { keys, f };
    this.#listeners.push(listener);
    return () => {
      this.#listeners = this.#listeners.filter((l) => l !== listener);
    };
  }

  #tell(changed: ReadonlySet<keyof State>): void {
    for (const l of this.#listeners) if (l.keys.some((k) => changed.has(k))) l.f(this.#state, changed);
  }
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
