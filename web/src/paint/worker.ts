/// <reference lib="webworker" />
// The worker that fetches, decodes and paints tiles.
import { Fetcher, type Get } from "./fetcher";
import type { FromWorker, PortAnswer, PortRequest, ToWorker } from "./protocol";
import { Slots } from "./slots";

declare const self: DedicatedWorkerGlobalScope;

const TILE_BYTES = 24 << 20; // decoded tiles kept

let base = "";
let get: Get = async (path, signal) => {
  const response = await fetch(base + path, { signal });
  return { status: response.status, body: await response.arrayBuffer() };
};

let offline = false;
const send = (message: FromWorker, transfer: Transferable[] = []) => self.postMessage(message, transfer);
const fetcher = new Fetcher((path, signal) => get(path, signal), {
  arrived: (at) => slots.arrived(at),
  failed: (at, path, message) => slots.failed(at, path, message),
  net: (now) => {
    if (now === offline) return;
    offline = now;
    send({ type: "net", offline });
  },
}, TILE_BYTES);
const slots = new Slots(fetcher, send);

self.onmessage = (e: MessageEvent<ToWorker>) => {
  const m = e.data;
  switch (m.type) {
    case "init":
      base = m.base;
      if (m.port) get = byPort(m.port);
      break;
    case "paint":
      slots.paint(m);
      break;
    case "scene":
      slots.scene(m);
      break;
    case "drop":
      slots.drop(m.slot);
      break;
    case "resume":
      offline = false; // the page knows better: it must hear of the next failure
      fetcher.resume();
      break;
  }
};

function byPort(port: MessagePort): Get {
  const open = new Map<number, (answer: PortAnswer) => void>();
  let last = 0;
  port.onmessage = (e: MessageEvent<PortAnswer>) => {
    open.get(e.data.id)?.(e.data);
    open.delete(e.data.id);
  };
  return (path, signal) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      open.set(id, resolve);
      port.postMessage({ id, path } satisfies PortRequest);
      signal.addEventListener("abort", () => {
        open.delete(id);
        port.postMessage({ id, abort: true } satisfies PortRequest);
        reject(new DOMException("aborted", "AbortError"));
      });
    });
}
