// What several panes need: links to tasks and instants, errors, sections.
import type { App } from "../core/app";
import type { Params } from "../api/client";
import { isAbort } from "../api/client";
import type { RunInfo, TaskDetail, TaskRef } from "../api/types";
import { copyText } from "../widgets/clipboard";
import { h, type Child } from "../widgets/dom";
import { counted, duration, instant } from "./words";
import { segments } from "./segments";

/** The run a pane speaks of by default: that of the area or task, else the first shown. */
export function currentRun(app: App): RunInfo | undefined {
  const s = app.store.state;
  const named = s.selected?.run ?? s.area?.run;
  return (named !== undefined ? app.run(named) : undefined) ?? app.runs()[0];
}

/** Selects a task and opens its pane. */
export function selectTask(app: App, run: RunInfo, key: string, o: { zoom?: boolean; pane?: boolean } = {}): void {
  app.store.set({ selected: { run: app.ref(run), key }, ...(o.pane === false ? {} : { pane: "task" }) }, { history: "push" });
  if (o.zoom) void zoomToTask(app, run, key);
}

/** Makes a task a good part of the window, with its row on the screen. */
export async function zoomToTask(app: App, run: RunInfo, key: string): Promise<void> {
  const path = `runs/${run.id}/tasks/${encodeURIComponent(key)}`;
  await load(() => app.api.json<TaskDetail>(path, { levels: 0, ...app.params(run) }, { channel: "zoom" }), (t) => {
    if (typeof t.start !== "number") return app.announce(`Task ${key} never ran`);
    const around = 2 * Math.max(1, t.end - t.start);
    app.view.zoomTo(t.start - around, t.end + around);
    app.view.reveal(app.ref(run), key);
  }, (error) => app.announce(error instanceof Error ? error.message : String(error)));
}

/** A mention of a task: a click selects it, with Ctrl zooms to it too. */
export function taskLink(app: App, run: RunInfo, ref: Pick<TaskRef, "key"> & Partial<TaskRef>, text?: Child): HTMLElement {
  const where = ref.worker ? ` on ${ref.worker}` : "";
  const when = typeof ref.start === "number" ? `, ${instant(ref.start, app.store.state.origin)}, ${duration((ref.end ?? ref.start) - ref.start)}` : "";
  return h("button", {
    type: "button", class: "link task-link", tabindex: "0",
    title: `${ref.kind ?? "task"} ${ref.key}${where}${when}. Click selects, Ctrl+click zooms to it`,
    onclick: (e: MouseEvent) => {
      e.stopPropagation();
      selectTask(app, run, ref.key, { zoom: e.ctrlKey || e.metaKey });
    },
  }, text ?? ref.key);
}

/** An instant: a click brings it into the middle of the window, with Ctrl closer. */
export function timeLink(app: App, t: number | null, text?: Child): Node {
  if (t === null || !Number.isFinite(t)) return document.createTextNode("–");
  return h("button", {
    type: "button", class: "link time-link", title: "Click shows this instant, Ctrl+click zooms in on it",
    onclick: (e: MouseEvent) => {
      e.stopPropagation();
      goTo(app, t, e.ctrlKey || e.metaKey ? 0.1 : 1);
    },
  }, text ?? instant(t, app.store.state.origin));
}

let flagged = 0;
/** Brings an instant into the middle of the window, whose length is multiplied, and flags it for a while. */
export function goTo(app: App, t: number, times = 1): void {
  const { t0, t1 } = app.store.state.window;
  const half = ((t1 - t0) / 2) * times;
  app.view.zoomTo(t - half, t + half);
  app.view.overlay("instant", (g, plot) => {
    const x = Math.round(plot.x(t)) + 0.5;
    if (x < plot.left || x > plot.left + plot.width) return;
    g.strokeStyle = plot.color("--accent");
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(x, 0);
    g.lineTo(x, plot.height);
    g.stroke();
  });
  clearTimeout(flagged);
  flagged = window.setTimeout(() => app.view.overlay("instant", null), 4000);
}

/** A sentence whose tasks and instants are links; axis maps the run's own time to the axis. */
export function linkedText(app: App, run: RunInfo, sentence: string, refs: Map<string, TaskRef>, axis: (own: number) => number = (t) => t): Node[] {
  return segments(sentence, run.kinds, new Set(refs.keys())).map((s) => {
    if ("key" in s) return taskLink(app, run, refs.get(s.key) ?? { key: s.key }, s.text);
    if ("time" in s) {
      const t = axis(s.time); // sentences have the run's own time
      return timeLink(app, t, t === s.time && app.store.state.origin === 0 ? s.text : undefined);
    }
    return document.createTextNode(s.text);
  });
}

/** What went wrong, as the server says it. */
export function failure(error: unknown): HTMLElement {
  return h("p", { class: "error", role: "alert" }, error instanceof Error ? error.message : String(error));
}

export function hint(...text: Child[]): HTMLElement {
  return h("p", { class: "hint" }, text);
}

export function section(title: string, ...content: Child[]): HTMLElement {
  return h("section", { class: "sec" }, h("h3", null, title), content);
}

/** Copies and says so. */
export async function copy(app: App, text: string, what: string): Promise<void> {
  app.announce((await copyText(text)) ? `Copied ${what}` : "The browser did not allow copying");
}

/** The link that a colleague with the same server opens. */
export function permalink(): string {
  return location.href;
}

/** Fetches and shows what only the newest request brings: errors in place of the result. */
export async function load<T>(fetch: () => Promise<T>, show: (value: T) => void, failed: (error: unknown) => void): Promise<void> {
  try {
    show(await fetch());
  } catch (error) {
    if (!isAbort(error)) failed(error);
  }
}

/** Calls f at most once in ms, the last call always. */
export function throttle(ms: number, f: () => void): (() => void) & { cancel(): void } {
  let timer = 0;
  let last = 0;
  const run = (): void => {
    timer = 0;
    last = performance.now();
    f();
  };
  const call = (): void => {
    if (timer) return;
    const wait = last + ms - performance.now();
    if (wait <= 0) run();
    else timer = window.setTimeout(run, wait);
  };
  return Object.assign(call, { cancel: () => clearTimeout(timer) });
}

/** The choice of a run, where there are several. */
export function runChoice(app: App, now: RunInfo | undefined, change: (run: RunInfo) => void, label = "Run"): HTMLElement | null {
  const runs = app.runs();
  if (runs.length < 2) return null;
  const el = h("select", { class: "select", "aria-label": label });
  for (const r of runs) el.append(h("option", { value: r.id }, r.name));
  if (now) el.value = now.id;
  el.addEventListener("change", () => change(runs.find((r) => r.id === el.value) ?? runs[0]!));
  return h("label", { class: "field" }, h("span", null, label), el);
}

/** A link that downloads what a path answers. */
export function downloadLink(app: App, text: string, path: string, params: () => Params, name: string): HTMLElement {
  const a = h("a", { class: "btn", download: name, href: "#" }, text);
  const set = (): string => (a.href = app.api.url(path, params()));
  for (const type of ["pointerdown", "focus", "keydown", "click"]) a.addEventListener(type, set);
  return a;
}

export interface Colors { of(kind: string): string }
const colorsOf = new Map<string, Promise<Map<string, string>>>();

/** The colours of a run's kinds: those of the legend of its space-time panel. */
export async function kindColors(app: App, run: RunInfo): Promise<Colors> {
  const params = app.params(run, "st");
  const key = JSON.stringify([run.checksum, params]);
  let colors = colorsOf.get(key);
  if (!colors) colorsOf.set(key, (colors = fetchColors(app, run, params)));
  const known = await colors.catch(() => {
    colorsOf.delete(key);
    return new Map<string, string>();
  });
  return { of: (kind) => known.get(kind) ?? "var(--other-kind)" };
}

async function fetchColors(app: App, run: RunInfo, params: Params): Promise<Map<string, string>> {
  const { legend } = await app.api.json<{ legend: { kind?: string; label: string; color: string }[] }>(
    `runs/${run.id}/panels/st/frame`, { ...params, ...run.window, width: 1000, height: 100 });
  return new Map(legend.map((l) => [l.kind ?? l.label, l.color]));
}

export function tasks(n: number): string {
  return counted(n, "task");
}
