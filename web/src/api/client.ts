// Requests to the server: JSON below /api/v1/, with one request at a time per
// channel, and word of when the server is away and back.
import type { Failure } from "./types";

export type Param = string | number | boolean | string[] | null | undefined;
export type Params = Record<string, Param>;

/** An answer that is not 2xx, with the server's sentence. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

const CHANGED = 409; // stamp and run do not fit

/** The server cannot be reached. */
export class OfflineError extends Error {}

/** Where requests go: a server, or code in the page that answers as one. */
export interface Source {
  request(path: string, init?: { method?: string; body?: string; signal?: AbortSignal }): Promise<Response>;
  /** The address that a link or a download can use. */
  url(path: string): string;
  /** Answers a worker's requests, if they cannot go to url. */
  port?(): MessagePort;
}

export interface JsonOptions {
  channel?: string; // newest wins: an older request of the same channel is aborted
  body?: unknown; // makes it a POST
}

/** A server at base ("/api/v1/" below the page). */
export function httpSource(base: string): Source {
  const root = new URL(base, location.href).href;
  return {
    request: (path, init) =>
      fetch(root + path, {
        method: init?.method ?? "GET",
        ...(init?.body === undefined ? {} : { body: init.body, headers: { "Content-Type": "application/json" } }),
        ...(init?.signal ? { signal: init.signal } : {}),
      }),
    url: (path) => root + path,
  };
}

export class Api {
  readonly source: Source;
  #channels = new Map<string, AbortController>();
  #listeners = { offline: new Set<() => void>(), online: new Set<() => void>(), changed: new Set<() => void>() };
  #offline = false;

  constructor(source: Source) {
    this.source = source;
  }

  get offline(): boolean {
    return this.#offline;
  }

  /** The address of path with params; lists repeat their key, null and undefined are left out. */
  url(path: string, params: Params = {}): string {
    return this.source.url(withParams(path, params));
  }

  /** Fetches JSON; rejects with ApiError, OfflineError, or AbortError when a newer request took its place. */
  async json<T>(path: string, params: Params = {}, options: JsonOptions = {}): Promise<T> {
    const signal = this.#begin(options.channel);
    const response = await this.#request(withParams(path, params), options.body, signal);
    if (response.status === CHANGED) this.refresh();
    if (!response.ok) throw new ApiError(response.status, await failureOf(response));
    return (await response.json()) as T;
  }

  /** Ends the request of a channel that nobody waits for any more. */
  cancel(channel: string): void {
    this.#channels.get(channel)?.abort();
  }

  /** Says that the server's runs are others now. */
  refresh(): void {
    for (const f of this.#listeners.changed) f();
  }

  /** "changed": the server has another run than the one that was asked about. */
  on(event: "offline" | "online" | "changed", f: () => void): () => void {
    this.#listeners[event].add(f);
    return () => this.#listeners[event].delete(f);
  }

  /** Tells listeners that the server went away or is back; the paint worker reports here too. */
  report(offline: boolean): void {
    if (offline === this.#offline) return;
    this.#offline = offline;
    for (const f of this.#listeners[offline ? "offline" : "online"]) f();
  }

  async #request(path: string, body: unknown, signal: AbortSignal | undefined): Promise<Response> {
    try {
      const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
      const response = await this.source.request(path, { ...post, ...(signal ? { signal } : {}) });
      this.report(false);
      return response;
    } catch (err) {
      if (isAbort(err)) throw err;
      this.report(true);
      throw new OfflineError("the server cannot be reached", { cause: err });
    }
  }

  #begin(channel: string | undefined): AbortSignal | undefined {
    if (channel === undefined) return undefined;
    this.#channels.get(channel)?.abort();
    const controller = new AbortController();
    this.#channels.set(channel, controller);
    return controller.signal;
  }
}

export function isAbort(err: unknown): boolean {
  return err instanceof DOMException && err.name === "AbortError";
}

async function failureOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return (JSON.parse(text) as Failure).error || response.statusText;
  } catch {
    return text.slice(0, 200) || response.statusText;
  }
}

export function withParams(path: string, params: Params): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(params)) {
    if (value === null || value === undefined) continue;
    for (const v of Array.isArray(value) ? value : [value])
      parts.push(encodeURIComponent(key) + "=" + encodeURIComponent(typeof v === "boolean" ? (v ? "1" : "0") : String(v)));
  }
  return parts.length === 0 ? path : path + (path.includes("?") ? "&" : "?") + parts.join("&");
}
