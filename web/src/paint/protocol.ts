// What the page and the paint worker say to each other.

export type ToWorker =
  | { type: "init"; base: string; port?: MessagePort } // port: who answers requests instead of the network
  | ({ type: "paint" } & PaintJob)
  | ({ type: "scene" } & SceneJob)
  | { type: "drop"; slot: string }
  | { type: "resume" }; // the server is back

interface JobBase {
  slot: string;
  seq: number;
  path: string; // "runs/0/panels/st"
  query: string; // options, theme, checksum; no leading "&"
  height: number; // of the body, CSS px
  dpr: number;
  font: string;
  paper: string; // colour of the ground
}

/** A panel on the common axis, painted from tiles. */
export interface PaintJob extends JobBase {
  top: number;
  view: { t0: number; t1: number }; // visible
  pad: { t0: number; t1: number }; // wanted around it when there is time
  nsPerPx: number; // CSS px
  urgent: boolean; // what is on screen does not show this span: paint what there is at once
  prefetch: boolean;
}

/** A panel with an axis of its own, fetched whole. */
export interface SceneJob extends JobBase {
  t0: number;
  t1: number;
  width: number; // CSS px
}

export type FromWorker =
  | { type: "bitmap"; slot: string; seq: number; bitmap: ImageBitmap; t0: number; t1: number; height: number; complete: boolean; paint_ms: number }
  | { type: "error"; slot: string; seq: number; message: string }
  | { type: "net"; offline: boolean };

/** Requests by port: the worker asks, whoever holds the other end answers. */
export type PortRequest = { id: number; path: string } | { id: number; abort: true };
export interface PortAnswer { id: number; status: number; body: ArrayBuffer }
