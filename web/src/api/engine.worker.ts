/// <reference lib="webworker" />
// The worker that holds the server of an archive, compiled to WebAssembly.

declare const self: DedicatedWorkerGlobalScope & {
  Go: new () => { importObject: WebAssembly.Imports; run(instance: WebAssembly.Instance): Promise<void> };
  dagscopeVersion: string;
  dagscopeRuns: EngineStart["runs"];
  dagscopeReady: (failure: string) => void;
  dagscopeHandle: (method: string, path: string, body: string) => Promise<Omit<EngineAnswer, "id">>;
};

export interface EngineStart {
  version: string;
  wasm: Uint8Array<ArrayBuffer>; // gzip
  exec: Uint8Array<ArrayBuffer>;
  runs: { name: string; files: Record<string, Uint8Array<ArrayBuffer>> }[];
}
export interface EngineRequest { id: number; method: string; path: string; body: string }
export interface EngineAnswer { id: number; status: number; type: string; disposition: string; body: Uint8Array<ArrayBuffer> }

self.onmessage = async (e: MessageEvent<EngineStart | EngineRequest>) => {
  const m = e.data;
  if ("wasm" in m) {
    start(m).catch((err: unknown) => self.postMessage({ ready: String(err) }));
    return;
  }
  const a = await self.dagscopeHandle(m.method, m.path, m.body);
  self.postMessage({ id: m.id, status: a.status, type: a.type, disposition: a.disposition, body: a.body } satisfies EngineAnswer, [a.body.buffer]);
};

async function start(m: EngineStart): Promise<void> {
  const script = URL.createObjectURL(new Blob([m.exec], { type: "text/javascript" }));
  self.importScripts(script);
  URL.revokeObjectURL(script);
  self.dagscopeVersion = m.version;
  self.dagscopeRuns = m.runs;
  self.dagscopeReady = (failure) => self.postMessage({ ready: failure });
  const go = new self.Go();
  const plain = new Response(new Blob([m.wasm]).stream().pipeThrough(new DecompressionStream("gzip")));
  const { instance } = await WebAssembly.instantiate(await plain.arrayBuffer(), go.importObject);
  await go.run(instance);
}
