// How the scheduler placed the selected task: what it expected of each worker,
// what its queue held, what happened, and why the task did not begin earlier.
import type { App } from "../core/app";
import type { HeldTask, MindRow, Moment, Placing, RunInfo, TaskDetail } from "../api/types";
import { button, fill, h, type Child } from "../widgets/dom";
import { failure, hint, load, section, taskLink, timeLink } from "./common";
import { counted, duration } from "./words";

const mostHeld = 8, mostRows = 8;

/** A section that runs with decisions fill at once, others when asked: theirs has queues and causes only. */
export function placing(app: App, run: RunInfo, task: TaskDetail, axis: (own: number) => number): HTMLElement | null {
  if (task.start === null) return null;
  const body = h("div", { class: "placing" });
  const ask = (): void => {
    fill(body, hint("asking the scheduler…"));
    const path = `runs/${run.id}/tasks/${encodeURIComponent(task.key)}/decision`;
    void load(() => app.api.json<Placing>(path, app.params(run), { channel: "placing" }),
      (p) => fill(body, content(app, run, p, axis)), (error) => fill(body, failure(error)));
  };
  if (run.decided) ask();
  else fill(body, button("Show its queue", ask, { title: "What workers had when it was pushed, and why it did not begin earlier" }));
  return section("The scheduler's mind", body);
}

function content(app: App, run: RunInfo, p: Placing, axis: (own: number) => number): Child[] {
  return [
    p.moment ? h("p", { class: "words" }, ["placed at ", timeLink(app, axis(p.moment.time)), p.moment.best === null ? "" : " on the worker of the smallest fitness:"]) : null,
    p.moment ? mindTable(app, run, p.moment) : hint("This run does not say when it was placed."),
    p.moment && !p.moment.complete ? hint("Queues are inferred from which worker took a task later.") : null,
    p.moment?.shared.map((q) => h("p", { class: "words" }, `queue ${q.queue}: `, held(app, run, q.waiting))) ?? null,
    steps(p),
    errors(p),
    why(app, run, p),
    p.moment ? h("div", { class: "row" }, button("Draw it", () => draw(app, p.task.key), { title: "In the panel decision" })) : null,
  ];
}

/** Each row adds up to its end, a length since the placing; the fitness follows from it. */
function mindTable(app: App, run: RunInfo, m: Moment): HTMLElement {
  const estimated = m.best !== null;
  const busy = m.workers.filter((w) => w.chosen || w.estimate || w.taken.length + w.waiting.length > 0);
  const shown = busy.filter((w, i) => w.chosen || i < mostRows);
  const head = ["worker", ...(estimated ? ["queued", "+ transfer", "+ duration", "= end", "fitness"] : [])];
  const ns = (n: number, more = ""): Child => h("td", { class: "num" }, ms(n) + more);
  const cells = (e: NonNullable<MindRow["estimate"]>): Child[] => [ns(e.queue_ns), ns(e.exposed_ns, e.exposed_ns === e.transfer_ns ? "" : ` of ${ms(e.transfer_ns)}`),
    ns(e.duration_ns), ns(e.end - m.time), ns(e.fitness_ns)];
  const rows = shown.map((w) => [h("tr", w.chosen ? { class: "last" } : null,
    h("td", null, w.chosen ? h("b", null, `→ ${w.worker}`) : w.worker),
    estimated ? (w.estimate ? cells(w.estimate) : [0, 1, 2, 3, 4].map(() => h("td", { class: "num" }, "–"))) : null,
    ), has(app, run, w, head.length)]);
  return h("div", null, h("div", { class: "scroll-x" }, h("table", { class: "plain-table mind" },
    h("thead", null, h("tr", null, head.map((s, i) => h("th", { scope: "col", class: estimated && i > 0 ? "num" : null }, s)))),
    h("tbody", null, rows))),
    estimated ? hint(formula(m)) : null,
    busy.length > shown.length ? hint(`${counted(busy.length - shown.length, "worker")} more not listed.`) : null);
}

/** All in one unit, so that sums can be checked by eye. */
const ms = (n: number): string => (n / 1e6).toFixed(3);

/** How a fitness follows from the table. */
function formula(m: Moment): string {
  const late = `end − ${ms((m.best ?? m.time) - m.time)}`;
  const sum = m.beta === 0 ? late : m.alpha === 1 && m.beta === 1 ? `${late} + all transfers` : `${m.alpha} (${late}) + ${m.beta} all transfers`;
  return `In ms since it was placed. Fitness = ${sum}; the smallest wins.`;
}

/** What a worker has, in a row of its own. */
function has(app: App, run: RunInfo, w: MindRow, columns: number): HTMLElement | null {
  if (w.taken.length + w.waiting.length === 0) return null;
  return h("tr", { class: "held" }, h("td", { colspan: columns },
    w.taken.length > 0 ? ["taken ", held(app, run, w.taken)] : null,
    w.waiting.length > 0 ? [w.taken.length > 0 ? "; " : "", "in its queue ", held(app, run, w.waiting)] : null));
}

/** Tasks with their priorities; those that run are bold. */
function held(app: App, run: RunInfo, all: HeldTask[]): Child[] {
  const out: Child[] = all.slice(0, mostHeld).map((t, i) => [i > 0 ? ", " : "",
    taskLink(app, run, t, t.running ? h("b", null, t.key) : t.key), h("span", { class: "muted", title: `${t.kind}, priority ${t.priority}` }, ` (${t.priority})`)]);
  if (all.length > mostHeld) out.push(h("span", { class: "muted" }, ` … ${all.length - mostHeld} more`));
  return out;
}

function steps(p: Placing): Child {
  if (p.steps.length === 0) return null;
  const words: Record<string, string> = { push: "into", take: "out of", pop: "popped from", steal: "stolen from", plan: "planned" };
  return h("p", { class: "words" }, p.steps.map((s) => `${words[s.kind] ?? s.kind} ${s.queue || s.worker}${s.place < 0 ? "" : ` (place ${s.place + 1} of ${s.others + 1})`}`).join(", then "));
}

function errors(p: Placing): Child {
  const e = p.happened;
  if (!e || e.end_error_ns === null) return null;
  const signed = (n: number | null): string => (n === null ? "–" : `${n < 0 ? "−" : "+"}${duration(Math.abs(n))}`);
  return h("p", { class: "words" }, `What was against what was expected: start ${signed(e.start_error_ns)}, transfers ${signed(e.transfer_error_ns)}, duration ${signed(e.duration_error_ns)}, end ${signed(e.end_error_ns)}`,
    e.regret_ns ? `; it ended ${duration(e.regret_ns)} later than was expected of the best of the others` : "");
}

/** What it waited for is above; here are the tasks in the way, with their priorities. */
function why(app: App, run: RunInfo, p: Placing): Child {
  const w = p.wait;
  if (!w || w.delay_ns <= 0) return null;
  const inTheWay = new Map(w.blockers.map((x) => [x.task, x]));
  return h("p", { class: "words" }, `It began ${duration(w.delay_ns)} after it could`,
    inTheWay.size > 0 ? ["; in the way: ", held(app, run, [...inTheWay.values()].map((x) => ({ key: x.task, kind: x.kind, priority: x.priority, running: x.running })))] : ".");
}

/** Shows the panel of the decision. */
function draw(app: App, key: string): void {
  const id = "decision", options = { "decision.task": key }, panels = app.store.state.panels;
  const there = panels.some((p) => p.id === id);
  app.store.set({ panels: there ? panels.map((p) => (p.id === id ? { ...p, options: { ...p.options, ...options } } : p)) : [...panels, { id, height: null, options }] }, { history: "push" });
  requestAnimationFrame(() => document.querySelector(`[data-panel="${id}"]`)?.scrollIntoView({ block: "nearest" }));
}
