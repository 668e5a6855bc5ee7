// What the application is before it is drawn: the session, its state and the
// parameters that requests share.
import type { Api, Params } from "../api/client";
import type { RunInfo, Session } from "../api/types";
import { emptyState, type Span, type State, type Store } from "./store";
import { shadeOf } from "./theme";

/** The state that a bare URL opens. */
export function baseState(session: Session): State {
  return { ...emptyState(), window: session.window, panels: session.defaults.panels.map((id) => ({ id, height: null, options: {} })) };
}

/** What can be looked at: all runs, as they lie on the axis. */
export function wholeWindow(session: Session, state: Readonly<State>): Span {
  const runs = shownRuns(session, state).filter((r) => r.state === "ready"), ref = runs[0];
  if (!ref) return session.window;
  const longest = Math.max(...runs.map((r) => r.window.t1 - r.window.t0));
  switch (state.align) {
    case "none":
      return { t0: Math.min(...runs.map((r) => r.window.t0)), t1: Math.max(...runs.map((r) => r.window.t1)) };
    case "start":
      return { t0: ref.window.t0, t1: ref.window.t0 + longest };
    case "end":
      return { t0: ref.window.t1 - longest, t1: ref.window.t1 };
    default:
      return ref.window;
  }
}

/** Runs that are shown: those that the state names, or all. */
export function shownRuns(session: Session, state: Readonly<State>): RunInfo[] {
  if (state.runs.length === 0) return session.runs;
  const found = state.runs.map((r) => session.runs.find((x) => x.name === r.name && x.checksum === r.checksum) ?? session.runs.find((x) => x.name === r.name));
  const runs = found.filter((r): r is RunInfo => r !== undefined);
  return runs.length > 0 ? runs : session.runs;
}

/** What of a permalink does not fit the runs that are served, in words. */
export function misfits(session: Session, state: Readonly<State>): string[] {
  const panels = state.panels.filter((p) => !session.panels.some((x) => x.id === p.id)).map((p) => p.id);
  const strange = panels.length === 0 ? [] : [`The address names ${panels.length === 1 ? "a panel" : "panels"} that this dagscope does not have: ${panels.join(", ").slice(0, 200)}.`];
  return strange.concat(elsewhere(session, state), state.runs.flatMap((r) => {
    const named = session.runs.filter((x) => x.name === r.name);
    if (named.length === 0) return [`The address names run ${r.name}, which is not served here.`];
    return r.checksum === "" || named.some((x) => x.checksum === r.checksum) ? [] : [`Run ${r.name} is not the one that the address was made with (its checksum differs).`];
  }));
}

function elsewhere(session: Session, state: Readonly<State>): string[] {
  const { window: w } = state, all = wholeWindow(session, state);
  const loading = shownRuns(session, state).some((r) => r.state !== "ready");
  return loading || (w.t1 > all.t0 && w.t0 < all.t1) ? [] : ["The window of the address holds nothing of these runs: key 0 shows all of them."];
}

export function findRun(session: Session, ref: string): RunInfo | undefined {
  return session.runs.find((r) => r.name === ref) ?? session.runs.find((r) => r.id === ref);
}

export function refOf(session: Session, run: RunInfo): string {
  return session.runs.filter((r) => r.name === run.name).length > 1 ? run.id : run.name;
}

/** Parameters that all requests about a run share. */
export function sharedParams(session: Session, state: Readonly<State>, run: RunInfo, panel?: string): Params {
  const own = panel === undefined ? {} : (state.panels.find((p) => p.id === panel)?.options ?? {});
  const options = { ...state.options, ...own };
  const o = Object.keys(options).sort().map((k) => `${k}=${options[k]}`);
  const ref = shownRuns(session, state)[0];
  const align = state.align !== "none" && ref ? { align: state.align, ref: ref.id } : {};
  return { ...(o.length > 0 ? { o } : {}), theme: shadeOf(state.theme), ...align, v: run.stamp ?? run.checksum };
}

/** Asks for the session until the server answers. */
export async function firstSession(api: Api, say: (text: string) => void): Promise<Session> {
  for (let wait = 300; ; wait = Math.min(4000, wait * 2)) {
    try {
      return await api.json<Session>("session");
    } catch (err) {
      say((err as Error).message);
      await new Promise((r) => setTimeout(r, wait));
    }
  }
}

/** Before runs were loaded their window was not known: a view of all of it grows with it. */
export function followWindow(store: Store, before: Session, now: Session): void {
  const { window } = store.state;
  if (window.t0 === before.window.t0 && window.t1 === before.window.t1) store.set({ window: now.window }, { history: "replace" });
}
