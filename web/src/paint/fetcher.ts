// Fetches what slots want, the most urgent first, a few at a time; what nobody
// wants any more is aborted.
import { decodeTile, type Tile } from "./tile";
import { Lru } from "./lru";

export type Get = (path: string, signal: AbortSignal) => Promise<{ status: number; body: ArrayBuffer }>;

export interface Wish { path: string; priority: number } // smaller is sooner

export interface Events {
  arrived(slots: string[], path: string): void;
  failed(slots: string[], path: string, message: string): void;
  net(offline: boolean): void;
}

const AT_ONCE = 5; // a browser has six connections to a server; one is left for the page

export class Fetcher {
  readonly tiles: Lru<Tile>;
  readonly #get: Get;
  readonly #events: Events;
  #wishes = new Map<string, Map<string, number>>(); // slot → path → priority
  #flying = new Map<string, AbortController>();
  #offline = false;

  constructor(get: Get, events: Events, limit: number) {
    this.#get = get;
    this.#events = events;
    this.tiles = new Lru(limit);
  }

  /** Replaces what a slot wants. */
  want(slot: string, wishes: Wish[]): void {
    if (wishes.length === 0) this.#wishes.delete(slot);
    else this.#wishes.set(slot, new Map(wishes.map((w) => [w.path, w.priority])));
    for (const [path, controller] of this.#flying) if (this.#wanters(path).length === 0) controller.abort();
    this.#pump();
  }

  /** Tries again after the server was away. */
  resume(): void {
    this.#offline = false;
    this.#pump();
  }

  #wanters(path: string): string[] {
    return [...this.#wishes].filter(([, wants]) => wants.has(path)).map(([slot]) => slot);
  }

  #next(): string | undefined {
    let best: string | undefined, least = Infinity;
    for (const wants of this.#wishes.values())
      for (const [path, priority] of wants)
        if (priority < least && !this.#flying.has(path)) {
          best = path;
          least = priority;
        }
    return best;
  }

  #pump(): void {
    while (!this.#offline && this.#flying.size < AT_ONCE) {
      const path = this.#next();
      if (path === undefined) return;
      const controller = new AbortController();
      this.#flying.set(path, controller);
      void this.#fetch(path, controller);
    }
  }

  async #fetch(path: string, controller: AbortController): Promise<void> {
    let failure = "";
    try {
      const answer = await this.#get(path, controller.signal);
      this.#events.net(false);
      if (answer.status !== 200) failure = sentence(answer);
      else {
        const tile = decodeTile(new Uint8Array(answer.body));
        this.tiles.set(path, tile, tile.bytes);
      }
    } catch (err) {
      this.#flying.delete(path);
      if (controller.signal.aborted) return this.#pump();
      if (err instanceof TypeError) return this.#away();
      failure = err instanceof Error ? err.message : String(err);
    }
    this.#flying.delete(path);
    this.#done(path, failure);
  }

  #away(): void {
    this.#offline = true;
    this.#events.net(true);
  }

  #done(path: string, failure: string): void {
    const slots = this.#wanters(path);
    for (const slot of slots) this.#wishes.get(slot)?.delete(path);
    if (failure) this.#events.failed(slots, path, failure);
    else this.#events.arrived(slots, path);
    this.#pump();
  }
}

function sentence(answer: { status: number; body: ArrayBuffer }): string {
  const text = new TextDecoder().decode(answer.body.slice(0, 2000));
  try {
    const error: unknown = (JSON.parse(text) as { error?: unknown }).error;
    if (typeof error === "string") return error;
  } catch {
    // not ours: a proxy's page perhaps
  }
  return `the server answered with status ${answer.status}`;
}
