// The source of an archive: the server runs inside the page, compiled to
// WebAssembly, over run directories that came as scripts, which is all that a
// page opened from a disk may load.
import type { PortAnswer, PortRequest } from "../paint/protocol";
import type { Source } from "./client";
import type { EngineAnswer, EngineRequest, EngineStart } from "./engine.worker";
import EngineWorker from "./engine.worker?worker&inline";

/** What data/index.js says: files in parts, and which of them make a run. */
export interface ArchiveIndex {
  version: string;
  engine: [wasm: string, exec: string];
  runs: { name: string; files: Record<string, string> }[];
  parts: { script: string; file: string; at: number; bytes: number }[];
  take?: (part: number, base64: string) => void;
}

declare global {
  interface Window { dagscopeArchive?: ArchiveIndex }
}

/** The prefix of addresses that only the page itself can answer. */
const SCHEME = "engine:";

/** Loads the parts, starts the engine and answers as a server would. told: shares of the work done. */
export async function openArchive(index: ArchiveIndex, told: (share: number, what: string) => void): Promise<Source> {
  const files = await loadParts(index, told);
  told(1, "starting");
  const engine = new Engine();
  await engine.start({
    version: index.version,
    wasm: taken(files, index.engine[0]),
    exec: taken(files, index.engine[1]),
    runs: index.runs.map((r) => ({
      name: r.name,
      files: Object.fromEntries(Object.entries(r.files).map(([name, file]) => [name, taken(files, file)])),
    })),
  });
  answerLinks(engine);
  return {
    request: (path, init) => engine.request(init?.method ?? "GET", path, init?.body ?? "", init?.signal),
    url: (path) => SCHEME + path,
    port: () => engine.port(),
  };
}

function taken(files: Map<string, Uint8Array<ArrayBuffer>>, name: string): Uint8Array<ArrayBuffer> {
  const bytes = files.get(name);
  if (!bytes) throw new Error(`the archive lacks ${name}`);
  return bytes;
}

async function loadParts(index: ArchiveIndex, told: (share: number, what: string) => void): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const p of index.parts) files.set(p.file, new Uint8Array(Math.max(files.get(p.file)?.length ?? 0, p.at + p.bytes)));
  const seen = new Set<number>();
  index.take = (n, base64) => {
    const p = index.parts[n];
    if (!p) return;
    decodeInto(files.get(p.file)!, p.at, base64);
    seen.add(n);
  };
  for (const [n, p] of index.parts.entries()) {
    told(n / index.parts.length, "loading");
    await loadScript(p.script);
    if (!seen.has(n)) throw new Error(`${p.script} of the archive is damaged`);
  }
  return files;
}

function decodeInto(to: Uint8Array, at: number, base64: string): void {
  const text = atob(base64);
  for (let i = 0; i < text.length; i++) to[at + i] = text.charCodeAt(i);
}

function loadScript(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => { script.remove(); resolve(); };
    script.onerror = () => reject(new Error(`${address} of the archive cannot be loaded`));
    document.head.append(script);
  });
}

/** The worker that the server runs in, with the requests that it has not answered. */
class Engine {
  #worker = new EngineWorker();
  #open = new Map<number, { resolve: (a: EngineAnswer) => void; reject: (e: unknown) => void }>();
  #last = 0;

  start(what: EngineStart): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.onerror = (e) => reject(new Error(e.message || "the engine cannot be started"));
      this.#worker.onmessage = (e: MessageEvent<{ ready: string } | EngineAnswer>) => {
        if ("ready" in e.data) {
          if (e.data.ready === "") resolve();
          else reject(new Error(e.data.ready));
          return;
        }
        this.#open.get(e.data.id)?.resolve(e.data);
        this.#open.delete(e.data.id);
      };
      this.#worker.postMessage(what);
    });
  }

  async request(method: string, path: string, body: string, signal?: AbortSignal): Promise<Response> {
    const a = await this.#ask(method, path, body, signal);
    const headers = { "Content-Type": a.type, "Content-Disposition": a.disposition };
    return new Response([204, 304].includes(a.status) ? null : a.body, { status: a.status, headers });
  }

  #ask(method: string, path: string, body: string, signal?: AbortSignal): Promise<EngineAnswer> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        this.#open.delete(id);
        reject(new DOMException("aborted", "AbortError"));
      });
      this.#worker.postMessage({ id, method, path: "/api/v1/" + path, body } satisfies EngineRequest);
    });
  }

  port(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = async (e: MessageEvent<PortRequest>) => {
      const m = e.data;
      if ("abort" in m) return;
      const a = await this.#ask("GET", m.path, "");
      port1.postMessage({ id: m.id, status: a.status, body: a.body.buffer } satisfies PortAnswer, [a.body.buffer]);
    };
    return port2;
  }
}

/** Links to addresses of the engine become downloads. */
function answerLinks(engine: Engine): void {
  document.addEventListener("click", (e) => {
    const link = e.target instanceof Element ? e.target.closest("a") : null;
    const address = link?.getAttribute("href") ?? "";
    if (!address.startsWith(SCHEME)) return;
    e.preventDefault();
    void engine.request("GET", address.slice(SCHEME.length), "").then(async (response) => {
      const name = /filename="?([^";]+)/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? link?.download ?? "";
      save(await response.blob(), name || "dagscope");
    });
  });
}

function save(blob: Blob, name: string): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}
