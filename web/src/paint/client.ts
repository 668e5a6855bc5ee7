// The page's side of the paint worker.
import PaintWorker from "./worker?worker&inline";
import type { FromWorker, PaintJob, SceneJob } from "./protocol";

export type Picture = Extract<FromWorker, { type: "bitmap" }>;

export interface PaintEvents {
  bitmap(p: Picture): void;
  error(slot: string, seq: number, message: string): void;
  net(offline: boolean): void;
}

export class Painter {
  readonly #worker: Worker;

  constructor(base: string, events: PaintEvents, port?: MessagePort) {
    this.#worker = new PaintWorker();
    this.#worker.onmessage = (e: MessageEvent<FromWorker>) => {
      const m = e.data;
      if (m.type === "bitmap") events.bitmap(m);
      else if (m.type === "error") events.error(m.slot, m.seq, m.message);
      else events.net(m.offline);
    };
    this.#worker.postMessage({ type: "init", base, ...(port ? { port } : {}) }, port ? [port] : []);
  }

  paint(job: PaintJob): void {
    this.#worker.postMessage({ type: "paint", ...job });
  }

  scene(job: SceneJob): void {
    this.#worker.postMessage({ type: "scene", ...job });
  }

  drop(slot: string): void {
    this.#worker.postMessage({ type: "drop", slot });
  }

  resume(): void {
    this.#worker.postMessage({ type: "resume" });
  }
}
