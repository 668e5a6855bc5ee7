// What panes and the timeline know of each other.
import type { Api, Params } from "../api/client";
import type { RunInfo, Session } from "../api/types";
import type { Commands } from "./commands";
import type { Store } from "./store";

/** Where a panel of a run lies on the plot, for overlays. */
export interface Place {
  panel: string;
  run: RunInfo;
  y: number; // px from the top of the plot
  height: number;
  /** Where a row lies, by Row.name or the name of a worker behind it; null if it is not shown. */
  row(name: string): { y: number; h: number } | null;
}

/** The plot that overlays draw on; in CSS px. */
export interface Plot {
  left: number; // of the bodies
  width: number;
  height: number;
  x(t: number): number; // of an instant on the axis, ns
  t(x: number): number;
  places: Place[];
  color(name: string): string; // CSS variable of the theme, such as "--accent"
}

export type Overlay = (g: CanvasRenderingContext2D, plot: Plot) => void;

export interface View {
  /** Moves the window (animated) and makes a step in the history. */
  zoomTo(t0: number, t1: number): void;
  /** Brings a task into view: its span into the window, its row onto the screen. run as in State.selected. */
  reveal(run: string, key: string): void;
  /** Draws over the panels in every frame, until draw is null. */
  overlay(name: string, draw: Overlay | null): void;
  /** The instant of the axis at a place of the page, ns. */
  timeAt(clientX: number): number;
  /** Ends when all pictures of the present window are on screen. */
  ready(): Promise<void>;
  /** Asks for a frame. */
  redraw(): void;
}

export interface App {
  readonly store: Store;
  readonly commands: Commands;
  readonly api: Api;
  readonly session: Session; // the newest; see onSession
  readonly view: View;
  /** Says it to screen readers and in the status line. */
  announce(text: string): void;
  onSession(f: (session: Session) => void): () => void;
  /** The runs that are shown, in order. */
  runs(): RunInfo[];
  /** A run by its name or id, as State.selected and State.area have it. */
  run(ref: string): RunInfo | undefined;
  /** What names a run in State: its name, or its id if names are not unique. */
  ref(run: RunInfo): string;
  /** Parameters that requests about a run share: o=…, theme, align, ref, v; with those of a panel. */
  params(run: RunInfo, panel?: string): Params;
}

/** A tab of the side pane. */
export interface Pane {
  id: string;
  title: string;
  /** Fills root; returns what ends it. */
  mount(root: HTMLElement, app: App): () => void;
}
