// The session: what the server has. Asked for again while runs are being
// loaded and while the server is away.
import type { Api } from "../api/client";
import type { RunInfo, Session } from "../api/types";

const LOADING_MS = 700;
const BACKOFF_MS = [500, 1000, 2000, 4000, 8000];

export interface SessionEvents {
  changed(session: Session, before: Session): void;
  /** The server is back (perhaps another one): what of the runs on screen is not the same any more. */
  back(session: Session, strangers: string[]): void;
}

export class SessionWatch {
  session: Session;
  readonly #api: Api;
  readonly #events: SessionEvents;
  #timer = 0;
  #tries = 0;

  constructor(api: Api, session: Session, events: SessionEvents) {
    this.#api = api;
    this.session = session;
    this.#events = events;
    api.on("offline", () => this.#later(0));
    api.on("changed", () => this.#later(0));
    this.#whileLoading();
  }

  retryNow(): void {
    this.#tries = 0;
    this.#later(0);
  }

  #whileLoading(): void {
    if (this.session.runs.some((r) => r.state === "loading")) this.#later(LOADING_MS);
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#ask(), ms);
  }

  async #ask(): Promise<void> {
    const away = this.#api.offline;
    try {
      const session = await this.#api.json<Session>("session", {}, { channel: "session" });
      const before = this.session;
      this.session = session;
      this.#tries = 0;
      if (away || before.boot !== session.boot) this.#events.back(session, strangers(before.runs, session.runs));
      if (JSON.stringify(before) !== JSON.stringify(session)) this.#events.changed(session, before);
      this.#whileLoading();
    } catch {
      this.#later(BACKOFF_MS[Math.min(this.#tries++, BACKOFF_MS.length - 1)]!);
    }
  }
}

/** Runs that are gone or hold something else than before, in words. */
export function strangers(before: RunInfo[], now: RunInfo[]): string[] {
  return before.flatMap((b) => {
    const same = now.find((r) => r.id === b.id && r.name === b.name);
    if (!same) return [`${b.name} is not served any more`];
    return same.checksum === b.checksum ? [] : [`${b.name} is another run now (its checksum differs)`];
  });
}
