// What if: changes of the run, tried by simulation, and knobs whose simulation is
// shown under the run.
import { isAbort } from "../api/client";
import type { Comparison, Knob, RunInfo, WhatIf, WhatIfOutcome } from "../api/types";
import type { App, Pane } from "../core/app";
import { Cleanup, button, fill, h, uid, type Child } from "../widgets/dom";
import { copy, currentRun, failure, hint, runChoice, section } from "./common";
import { counted, duration, percent } from "./words";

export const pane: Pane = {
  id: "whatif",
  title: "What if",
  mount(root, app) {
    const view = new WhatIfView(root, app);
    return () => view.destroy();
  },
};

const channel = "whatif", turning = "whatif-turn";
const settle = 250; // ms that a knob rests before it is simulated
const least = 0.005; // of the makespan: gains below are folded

class WhatIfView {
  private end = new Cleanup();
  private run: RunInfo | undefined;
  private known: WhatIf | undefined;
  private values = new Map<string, number>(); // of knobs that are turned
  private turned: WhatIfOutcome | undefined;
  private words: string[] = []; // what differs between the run and the simulated one
  private wrong: unknown;
  private busy = false;
  private timer = 0;
  private following = 0; // which loop is the newest
  private awaited: { run: string; of: RunInfo } | undefined; // the session does not have it yet
  private all = false; // small gains are shown too
  private head = h("div");
  private knobs = h("div", { class: "knobs" });
  private result = h("div", { "aria-live": "polite" });
  private table = h("div");

  constructor(private root: HTMLElement, private app: App) {
    this.end.add(app.store.subscribe(["runs"], () => this.choose()), app.onSession(() => this.choose()));
    this.choose();
  }

  destroy(): void {
    this.following++;
    clearTimeout(this.timer);
    this.app.api.cancel(channel);
    this.end.run();
  }

  private choose(): void {
    this.show();
    const shown = this.app.runs().filter((r) => !r.simulated);
    const run = shown.find((r) => r.id === this.run?.id) ?? shown.find((r) => r.id === currentRun(this.app)?.id) ?? shown[0];
    if (!run) return fill(this.root, hint("No run is shown that could be simulated again."));
    if (run.id === this.run?.id && this.run.state === run.state) return;
    this.run = run;
    this.known = this.turned = this.wrong = undefined;
    this.values.clear();
    fill(this.root, runChoice(this.app, run, (r) => {
      this.run = undefined;
      this.app.store.set({ runs: [{ name: r.name, checksum: r.checksum }] }, { history: "push" });
    }), this.head, this.knobs, this.result, this.table);
    if (run.state !== "ready") return fill(this.head, hint(run.state === "loading" ? `${run.name} is being loaded…` : (run.error ?? "The run could not be loaded.")));
    fill(this.head, h("p", { class: "muted", role: "status" }, "simulating the run…"));
    fill(this.knobs);
    fill(this.result);
    fill(this.table);
    this.follow(0);
  }

  // follow asks for what is new until all changes are tried.
  private follow(step: number): void {
    const run = this.run!, mine = ++this.following;
    void (async () => {
      for (;;) {
        const now = await this.app.api.json<WhatIf>(`runs/${run.id}/whatif`, { after: step, v: run.stamp ?? run.checksum }, { channel });
        if (mine !== this.following) return;
        step = now.step;
        if (now.turned && now.turned.run === this.turned?.run) this.turned = now.turned;
        this.draw(run, now);
        if (now.finished) return;
      }
    })().catch((error: unknown) => {
      if (!isAbort(error) && mine === this.following) fill(this.head, failure(error));
    });
  }

  private draw(run: RunInfo, now: WhatIf): void {
    const before = this.known;
    this.known = now;
    const state = now.error ?? (now.finished ? "" : now.planned > 0 ? `trying changes: ${now.done} of ${now.planned}` : "");
    fill(this.head, replayWords(now), state ? h("p", { class: "muted proving", role: "status" }, state) : null);
    if (JSON.stringify(before?.knobs) !== JSON.stringify(now.knobs)) this.drawKnobs(now.knobs);
    this.drawResult();
    this.drawTable(run, now);
  }

  private drawKnobs(knobs: Knob[]): void {
    if (!this.app.session.features.whatif) return fill(this.knobs, hint("Knobs need a server that simulates: dagscope serve RUN."));
    if (knobs.length === 0) return fill(this.knobs);
    fill(this.knobs, section("Turn a knob",
      h("div", { class: "knob-grid" }, knobs.map((k) => this.knob(k))),
      h("div", { class: "row end" }, button("As it was", () => {
        this.values.clear();
        this.drawKnobs(knobs);
        this.hide();
      }))));
  }

  private knob(k: Knob): Child {
    const id = uid("knob"), now = this.values.get(k.id) ?? (k.choices?.length ? 0 : k.now);
    const set = (v: number): void => {
      if (v === (k.choices?.length ? 0 : k.now)) this.values.delete(k.id);
      else this.values.set(k.id, v);
      label.classList.toggle("changed", this.values.has(k.id));
      this.later();
    };
    const label = h("label", { for: id, class: this.values.has(k.id) ? "changed" : null }, k.title);
    if (k.choices?.length) {
      const el = h("select", { class: "select", id });
      for (const [i, c] of k.choices.entries()) el.append(h("option", { value: String(i) }, c));
      el.value = String(now);
      el.addEventListener("change", () => set(Number(el.value)));
      return [label, el];
    }
    const el = h("input", { class: "input", id, type: "number", min: k.min, max: k.max, step: k.whole ? 1 : "any", value: now });
    el.addEventListener("change", () => (el.value !== "" && el.validity.valid ? set(Number(el.value)) : el.reportValidity()));
    return [label, h("span", { class: "knob-number" }, el, k.unit ? ` ${k.unit}` : null)];
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.values.size > 0 ? void this.simulate({ values: Object.fromEntries(this.values) }) : this.hide()), settle);
  }

  private async simulate(body: { values?: Record<string, number>; key?: string }): Promise<void> {
    const run = this.run!;
    this.busy = true;
    this.wrong = undefined;
    this.drawResult();
    try {
      const o = await this.app.api.json<WhatIfOutcome>(`runs/${run.id}/whatif`, { v: run.stamp ?? run.checksum }, { channel: turning, body });
      this.turned = o;
      this.words = [];
      this.busy = false;
      if (o.run !== undefined) this.awaited = { run: o.run, of: run };
      this.app.api.refresh();
      this.follow(this.known?.step ?? 0);
    } catch (error) {
      if (isAbort(error)) return;
      this.busy = false;
      this.wrong = error;
    }
    this.drawResult();
  }

  // show puts the simulated run under the real one, once the session has it.
  private show(): void {
    const w = this.awaited, simulated = this.app.session.runs.find((r) => r.id === w?.run);
    if (!w || !simulated || simulated.state !== "ready") return;
    this.awaited = undefined;
    this.app.store.set({ runs: [w.of, simulated].map((r) => ({ name: r.name, checksum: r.checksum })), align: "start" }, { history: "push" });
    void this.app.api.json<Comparison>("compare", { a: w.of.id, b: simulated.id }, { channel: "whatif-compare" }).then((c) => {
      if (this.turned?.run !== simulated.id) return;
      this.words = c.words;
      this.drawResult();
    }, () => {}); // the pane Compare says why
  }

  private hide(): void {
    this.turned = undefined;
    this.drawResult();
    const run = this.run!;
    if (this.app.runs().some((r) => r.simulated)) this.app.store.set({ runs: [{ name: run.name, checksum: run.checksum }] }, { history: "push" });
  }

  private drawResult(): void {
    if (this.busy) return fill(this.result, h("p", { class: "muted proving", role: "status" }, "simulating…"));
    if (this.wrong) return fill(this.result, failure(this.wrong));
    const o = this.turned;
    if (!o) return fill(this.result);
    fill(this.result, section(o.title,
      h("p", { class: "verdict" }, gainWords(o)),
      this.words.slice(0, 4).map((w) => h("p", { class: "words" }, w)),
      h("div", { class: "row" },
        button("Compare", () => this.app.store.set({ pane: "compare" }, { history: "push" }), { title: "Explains the difference: kinds, waits, workers, phases" }),
        o.run === undefined ? null : button("Keep as a run", () => void this.keep(o.run!), { title: "Stores it as a run directory where dagscope serve was started" }),
        button("Hide", () => this.hide())),
      o.command ? h("details", null, h("summary", null, "Command"), h("p", { class: "command" }, h("code", null, o.command)), button("Copy", () => void copy(this.app, o.command!, "the command"))) : null));
  }

  private async keep(id: string): Promise<void> {
    try {
      const { path } = await this.app.api.json<{ path: string }>(`runs/${id}/keep`, {}, { body: {} });
      this.app.announce(`Kept as ${path}`);
    } catch (error) {
      this.app.announce(error instanceof Error ? error.message : String(error));
    }
  }

  private drawTable(run: RunInfo, now: WhatIf): void {
    const tried = now.outcomes.filter((o) => !o.failed), failed = now.outcomes.filter((o) => o.failed);
    if (tried.length === 0 && failed.length === 0) return fill(this.table, now.finished && !now.error ? hint(`No changes are stored with ${run.name}: dagscope whatif --keep stores them.`) : null);
    const most = Math.max(...tried.map((o) => Math.abs(o.gain_ns)), 1);
    const shown = this.all ? tried : tried.filter((o) => Math.abs(o.gain) >= least);
    const can = this.app.session.features.whatif === true;
    fill(this.table, section("What would change the makespan",
      h("table", { class: "plain-table gains" },
        h("thead", null, h("tr", null, h("th", null, "change"), h("th", { class: "right" }, "gain"), h("th", { class: "right" }, "10–90 %"), h("th", { "aria-hidden": "true" }))),
        h("tbody", null, shown.map((o) => h("tr", null,
          h("td", null, can ? h("button", { type: "button", class: "link", title: "Simulates it and shows it under the run", onclick: () => void this.simulate({ key: o.key }) }, o.title) : o.title),
          h("td", { class: "right" }, percent(o.gain)),
          h("td", { class: "right muted" }, o.pairs > 1 ? `${percent(o.gain_low_ns / base(o))} … ${percent(o.gain_high_ns / base(o))}` : ""),
          h("td", { class: "gain-bar" }, h("span", { class: o.gain_ns < 0 ? "loss" : "", style: { width: `${(100 * Math.abs(o.gain_ns)) / most}%` } })))))),
      tried.length > shown.length || this.all ? button(this.all ? "Only gains of 0.5 % and more" : `${counted(tried.length - shown.length, "change")} of less than 0.5 %`, () => {
        this.all = !this.all;
        this.drawTable(run, now);
      }, { class: "link" }) : null,
      failed.length > 0 ? h("details", null, h("summary", null, `${counted(failed.length, "change")} could not be tried`), h("ul", null, failed.map((o) => h("li", null, `${o.title}: ${o.failed ?? ""}`)))) : null));
  }
}

function base(o: WhatIfOutcome): number {
  return o.gain === 0 ? o.makespan_ns + o.gain_ns : o.gain_ns / o.gain;
}

function gainWords(o: WhatIfOutcome): string {
  const interval = o.pairs > 1 ? `, 10–90 % interval ${duration(o.gain_low_ns)} to ${duration(o.gain_high_ns)} (${counted(o.pairs, "pair")})` : "; its interval follows";
  if (o.pairs > 1 && o.gain_low_ns <= 0 && o.gain_high_ns >= 0) return `Makes no clear difference: the 10–90 % interval of the gain is ${duration(o.gain_low_ns)} to ${duration(o.gain_high_ns)} (${counted(o.pairs, "pair")}).`;
  const what = o.gain_ns === 0 ? "Makes no difference" : o.gain_ns > 0 ? `Saves ${duration(o.gain_ns)} (${percent(o.gain)})` : `Costs ${duration(-o.gain_ns)} (${percent(-o.gain)})`;
  return `${what}${interval}: makespan ${duration(o.makespan_ns)}.`;
}

function replayWords(now: WhatIf): Child {
  const r = now.replay;
  if (!r) return null;
  const off = (r.makespan_ns - r.recorded_ns) / Math.max(1, r.recorded_ns);
  const how = r.valid ? `Simulated again under ${r.scheduler}${r.known ? "" : ", the scheduler that repeats it best"}, the run takes ${Math.abs(off) < 5e-4 ? "as long as" : `${percent(Math.abs(off))} ${off < 0 ? "less" : "more"} than`} recorded.`
    : "No simulated scheduler repeats the run: only changes that leave decisions as they were are tried, on the recorded schedule.";
  return h("p", { class: "words" }, how);
}
