// What the server and the client say to each other, except tiles (tile.ts).
// Times are ns since a run's zero; JavaScript numbers hold them exactly up to
// 104 days. Every path is below /api/v1/. The Go side has the same structs:
// whoever changes one changes both.

/** Body of every answer that is not 2xx: one clear sentence. */
export interface Failure { error: string }

/** GET session */
export interface Session {
  version: string;
  boot: string; // changes when the server restarts
  runs: RunInfo[];
  window: Window; // holds all runs that are ready
  panels: PanelInfo[];
  defaults: { panels: string[] };
  options: OptionInfo[]; // keys for the whole view; those of a panel are in PanelInfo
  features: { sql: boolean; export: boolean; proofs?: boolean; whatif?: boolean };
}
export interface Window { t0: number; t1: number }
export interface RunInfo {
  id: string; // "0", "1", … in the order of the command line
  name: string;
  path: string; // what a command line calls it; quote it for a shell
  checksum: string;
  stamp?: string; // of the run and the program: as parameter v it makes answers immutable
  state: "loading" | "ready" | "failed";
  error?: string;
  window: Window; // of the run by itself
  makespan_ns: number;
  tasks: number;
  workers: number;
  kinds: string[];
  source?: string; // where it was imported from, in words
  decided?: boolean; // it has what its scheduler decided
  simulated?: boolean; // for a page, of another run: it is in memory only
}
export interface PanelInfo {
  id: string;
  title: string;
  doc: string;
  time: boolean; // on the common time axis; else it has an axis of its own
  rows: boolean; // has rows of resources that can be sorted, filtered, pinned, collapsed
  options: OptionInfo[];
  missing: (string | null)[]; // by run: why there is nothing to draw, null if there is
}
export interface OptionInfo {
  key: string; // as in configurations and `plot --set`
  doc: string;
  type: SettingType;
  default?: string;
}
/** What a setting takes. */
export interface SettingType {
  kind: "bool" | "number" | "word" | "text" | "color" | "task" | "kind" | "pattern" | "node" | "bound" | "panel";
  list?: boolean;
  words?: string[]; // the choices of a word; of a number, words that may stand for one
  unit?: string;
  min?: number;
  max?: number;
  above?: boolean; // min itself is not allowed
  whole?: boolean;
  text: string; // in words, to be shown and never read
}

/*
 * Parameters that panels share: o=KEY=VALUE, repeated (keys of configurations,
 * lists with commas); theme=light|dark; align=start|end|progress|iteration
 * with ref=RUN, the run whose time the axis shows (times in parameters and
 * answers are then of that axis); v=checksum of the run, which makes answers immutable.
 */

/** GET runs/{run}/panels/{panel}/frame?t0&t1&width&height&runs (shown beside it, with the same scale; none: all) : all of a panel but its body. */
export interface Frame {
  id: string;
  title: string;
  facts: string[];
  ylabel: string;
  height: number; // of the body, px: as asked, or natural
  missing: string; // why there is nothing; the rest is then empty
  top: number; // value at the upper edge, to be passed on to tiles; 0 for panels without values
  left: Margin; // x ≤ 0 from the body's left edge
  right: Margin; // x ≥ 0 from its right edge
  left_width: number; // px that the margins take
  right_width: number;
  marks: MarkInfo[];
  legend: Legend[];
  note: string;
  axis: { min: number; max: number; label: string; ticks: { at: number; label: string }[] } | null; // an axis of its own
  rows: Row[];
}
export interface Margin {
  texts: { x: number; y: number; s: string; size: number; color: string; bold?: boolean; anchor: "start" | "middle" | "end"; rotate?: number }[];
  lines: { x: number[]; y: number[]; color: string; width: number }[];
  rects: { x0: number; x1: number; y: number; h: number; color: string }[];
}
export interface MarkInfo { t: number; label: string; color: string; dash: number[] }
export interface Legend {
  label: string;
  detail: string;
  color: string;
  hatch?: string;
  swatch: "box" | "stroke";
  dash?: number[];
  kind?: string; // what `focus` and `hide` call it, if it can be focused
}
export interface Row {
  name: string; // as traced; of a collapsed row the name of its block
  label: string;
  group: string; // "node 0"
  block: string; // "node 0/cuda": what can be collapsed
  arch: string;
  node: number;
  y: number; // px from the top of the body
  h: number;
  tracks: number; // lanes of overlapping spans inside it
  collapsed: boolean;
  workers: string[]; // names behind it
}

/*
 * GET runs/{run}/panels/{panel}/tile?level&index&height&top : binary, see tile.ts.
 * The tile shows [index·256·2^level, (index+1)·256·2^level) ns in 256 columns.
 * GET runs/{run}/panels/{panel}/scene?t0&t1&width&height : the same encoding for
 * a panel with an axis of its own; x in 1/64 px from 0 to width.
 * GET runs/{run}/panels/{panel}/data?t0&t1&format=csv|json : as `dagscope data`.
 */

/** GET runs/{run}/hover?t&panels=st,ready */
export interface Hover { panels: Record<string, Reading[]> }
export interface Reading { label: string; value: string; unit: string; color?: string }

/** GET runs/{run}/panels/{panel}/pick?t&y&height&reach (ns either side) */
export interface Pick { hit: Hit | null }
export interface Hit {
  table: "task" | "state" | "transfer";
  index: number; // row of the table
  key: string; // job id of a task, "" for a state
  label: string; // its kind
  start: number;
  end: number;
  worker: string;
  row: string; // Row.name
  info: string; // one line for a tool tip
  step?: { label: string; t0: number; t1: number }; // of the critical chain, with the time to look at
}

export interface TaskRef {
  key: string;
  kind: string;
  worker: string;
  start: number; // NaN is written null: it never ran
  end: number;
}

/** GET runs/{run}/tasks/{key}?levels&budget */
export interface TaskDetail extends TaskRef {
  arch: string;
  node: number;
  duration_ns: number;
  outlier: boolean;
  attributes: { name: string; value: string; unit: string; doc: string }[];
  words: string[]; // what it waited for, in sentences
  delay: { ready: number | null; total_ns: number; causes: Reason[]; held_ns: number; release: Reason[] } | null; // the causes add up to the total, what held its release to held_ns
  before: TaskRef | null; // the task before it on its worker
  after: TaskRef | null;
  predecessors: Edge[];
  predecessors_total: number; // there may be more than are listed
  successors: Edge[];
  successors_total: number;
  released: string | null; // the first successor whose last dependency it was
  chain: Chain;
  distribution: Distribution;
}
/** Time of a class or mark of the critical chain, and what took it in words. */
export interface Reason { cause: string; ns: number; doc: string; of: string[]; more: number }

/** GET runs/{run}/tasks/{key}/decision: how a task was placed. Times are the run's own, lengths are ns. */
export interface Placing {
  task: { key: string; kind: string; priority: number; worker: string };
  steps: { kind: string; time: number; worker: string; by: string; queue: string; place: number; others: number }[];
  moment: Moment | null;
  happened: { start: number; end: number; start_error_ns: number | null; transfer_error_ns: number | null; duration_error_ns: number | null; end_error_ns: number | null; regret_ns: number | null } | null;
  wait: { since: number; start: number; delay_ns: number; ready: number; enabler: string; causes: Reason[]; release: Reason[]; blockers: { task: string; kind: string; priority: number; cause: string; ns: number; running: boolean; taken: boolean }[] } | null;
}
export interface Moment {
  time: number;
  best: number | null; // earliest predicted end; null without estimates
  alpha: number; // fitness = alpha (end − best) + beta transfer
  beta: number;
  workers: MindRow[];
  shared: { queue: string; waiting: HeldTask[] }[];
  complete: boolean; // queues are known from all their changes
}
export interface MindRow {
  worker: string; arch: string; chosen: boolean;
  estimate: { queue_ns: number; exposed_ns: number; duration_ns: number; end: number; transfer_ns: number; fitness_ns: number } | null;
  taken: HeldTask[]; // and not ended
  waiting: HeldTask[]; // in its queue, first first
}
export interface HeldTask { key: string; kind: string; priority: number; running: boolean }

export interface Edge extends TaskRef { how: string; last: boolean; slack_ns: number | null } // slack: from its end to the start of the later task
export interface Chain {
  links: ChainLink[]; // from the task backwards
  levels: number; // asked for; -1 to the source
  left_out: number; // links beyond levels and budget
}
export interface ChainLink extends TaskRef { transfer: boolean; from?: string; to?: string; release_ns: number | null } // from, to: of a transfer
export interface Distribution { // of the same kind on the same architecture
  kind: string; arch: string; count: number;
  edges: number[]; counts: number[]; // len(edges) = len(counts)+1, ns
  this_ns: number; rank: number; // share of tasks that are shorter
  q1_ns: number; median_ns: number; q3_ns: number; mean_ns: number; threshold_ns: number | null; // outlier threshold
}

/** GET runs/{run}/select?t0&t1&workers=a,b (none: all)&kinds&min&max (duration, ns): an area. */
export interface Selection {
  t0: number; t1: number; // cut to the run's extent (a note says so)
  workers: string[];
  wall_ns: number; // length × workers = kinds + input + idle
  tasks: number; // that touch the area
  kinds: { kind: string; arch: string; count: number; busy_ns: number; share: number; mean_ns: number }[]; // busy inside the area
  /** of the time that no task covers; classes and the rest add up to it. Before the run's zero, after the worker's last task, workers that ran nothing: */
  idle: { total_ns: number; share: number; classes: { class: string; ns: number }[]; before_first_ns: number; after_last_ns: number; unused_ns: number };
  input: { total_ns: number; share: number; kinds: string[] }; // workers ran tasks that prepare the input: neither work nor idle time
  breakdown: { work_ns: number; idleness_ns: number; overhead_ns: number } | null;
  states: { state: string; ns: number; share: number }[];
  histogram: Histogram;
  bound: { abe_ns: number; length_ns: number } | null; // area bound of the tasks that start inside
  notes: string[]; // what could not be said, and why
}
export interface Histogram { edges: number[]; kinds: string[]; counts: number[][] } // counts[kind][bin], whole durations of the tasks that start inside; log-spaced edges, ns

/** GET runs/{run}/select/tasks?(as select)&sort=start|end|duration|kind|worker|key|ready_delay&desc=1&offset&limit (≤ 1000)
 *  with format=csv: all of them, as a file. */
export interface TaskPage { total: number; offset: number; tasks: TaskRow[] }
export interface TaskRow extends TaskRef { duration_ns: number; outlier: boolean; priority: number | null; tag: string; x: number | null; y: number | null; iteration: number | null }

/** GET runs/{run}/search?q&after=KEY&back=1&limit : hits in order of start; with `after`, from that task on. */
export interface SearchResult {
  query: string; // as understood, in words
  total: number;
  before: number; // how many of them come before the first listed
  hits: TaskRow[];
}

/** GET compare?a=RUN&b=RUN */
export interface Comparison {
  a: CompareSide; b: CompareSide;
  makespan: Delta;
  parts: { of: "work" | "idle"; name: string; a_ns: number; b_ns: number }[]; // of the makespan, means over the workers: they add up to it
  kinds: { kind: string; arch: string; a_count: number; b_count: number; a_total_ns: number; b_total_ns: number; a_median_ns: number; b_median_ns: number }[];
  workers: { name: string; arch: string; a_busy_ns: number | null; b_busy_ns: number | null; a_tasks: number; b_tasks: number; a_idle_share: number | null; b_idle_share: number | null }[];
  bounds: (Delta & { name: string })[];
  bounds_shared: boolean;
  phases: { name: string; a_t0: number; a_t1: number; b_t0: number; b_t1: number; a_ns: number; b_ns: number }[]; // iterations, or shares of the work
  tasks: { a: TaskRef; b: TaskRef; how: string; a_ns: number; b_ns: number; moved: boolean }[]; // that changed most
  matched: { pairs: number; only_a: number; only_b: number; how: { name: string; pairs: number }[] };
  distributions: { kind: string; arch: string; a: CompareSpread; b: CompareSpread; distance: number; shift_share: number }[]; // of durations
  courses: { name: string; unit?: string; a_mean: number | null; b_mean: number | null; a_most: number | null; b_most: number | null;
    difference_share: number | null; correlation: number | null }[]; // of quantities, over 0 to 100 % of each run
  first?: { decision?: Parting; place?: Parting; same: number }; // where the schedules part
  words: string[]; // the findings, in sentences
  notes: string[];
  efficiency: { runs: EfficiencyOf[] }; // A, which is the reference, and B
}
export interface EfficiencyOf extends CompareSide {
  efficiency?: Efficiency; computation_scalability?: number; global_efficiency?: number; notes: string[];
  kinds: { kind: string; arch: string; tasks: number; useful_ns: number; computation_scalability?: number }[];
}
/** efficiency of a report: what is not known is absent */
export interface Efficiency extends Factors {
  makespan_ns: number; workers: number; useful_ns: number; longest_useful_ns: number; longest_worker?: string; abe_ns: number;
  most_work?: { node: number; ns: number }; most_load?: { node: number; arch?: string; ns: number };
  mpi?: Factors & { ranks: { node: number; thread: string; outside_mpi_ns: number }[] }; openmp?: Factors;
  nodes?: (Factors & { node: number; workers: number; useful_ns: number; abe_ns: number })[];
  types?: { node: number; arch: string; workers: number; useful_ns: number; longest_useful_ns: number; load_ns: number }[];
  missing: string[];
}
export interface Factors { parallel_efficiency?: number; distribution?: number; allocation?: number; load_balance?: number; communication_efficiency?: number }
export interface CompareSpread { count: number; mean_ns: number; p5_ns: number; q1_ns: number; median_ns: number; q3_ns: number; p95_ns: number }
export interface Parting { a: Choice | null; b: Choice | null; estimates?: { worker: string; a: Expected | null; b: Expected | null }[]; words: string[] }
export interface Choice { task: TaskRef; kind?: string; time: number | null; worker: string; queue?: string; priority: number; ready: number | null }
export interface Expected { available_ns: number; queued_ns: number; transfer_ns: number; exposed_ns: number; duration_ns: number; end_ns: number; fitness_ns: number }
export interface CompareSide { name: string; makespan_ns: number; tasks: number; workers: number; idle_share: number }
export interface Delta { a_ns: number | null; b_ns: number | null }

/** GET runs/{run}/align?align&ref : the run's own time ⇄ that of the axis, piecewise linear. */
export interface Alignment { knots: { own: number; axis: number }[]; words: string }

/** GET runs/{run}/report : the document of `dagscope report --json` (docs/report.md); what is used of it. Times are the run's own. */
export interface Report {
  run: string;
  makespan_ns: number;
  tasks: number;
  idle_share: number;
  bounds?: {
    abe_ns: number; cpe_ns?: number; head_tail_ns?: number; mixed_ns?: number; best: Named; gap_share: number;
    lower: Named & { conditional: boolean; scope: "any" | "distribution"; gap_share: number };
    unknown_pairs?: { kind: string; arch: string }[];
    with_models?: { host?: string; best: Named };
    distribution?: { best: Named; cost_ns: number };
  };
  efficiency?: Efficiency;
  findings?: Finding[];
  problems?: string[];
  verdict?: { rule: string; text: string };
  screen?: Block[]; // the first screen
  rest?: Block[]; // all other tables
  rows?: string[][]; // of each finding, the workers that it is about
}
/** A part of a report for people: sentences, a table, sentences. */
export interface Block {
  id: string;
  title: string;
  lines?: string[];
  head?: string[];
  right?: boolean[]; // columns of numbers
  rows?: string[][];
  after?: string[];
}
// Named is a bound with its name.
export interface Named {
  name: string;
  ns: number;
}
export interface Finding {
  id: string;
  severity: "high" | "medium" | "low" | "note";
  title: string;
  gain_ns: number; // of the makespan: simulated, else at most
  gain_low_ns?: number;
  gain_high_ns?: number;
  basis?: "simulated" | "bound" | "unpriced";
  evidence: Record<string, unknown>;
  panel: string; // where to see it
  advice: string;
  where?: { nodes?: number[]; workers?: string[]; links?: [string, string][]; memories?: string[]; kinds?: string[]; archs?: string[]; window_ns?: [number, number] };
  command?: string; // repeats the simulation
  unproven?: string; // why there is none
}

/** GET runs/{run}/proofs?after : what simulations say of the findings, once there is more than step after. Times are the run's own. */
export interface Proofs {
  step: number;
  done: number; // simulations
  planned: number;
  finished: boolean;
  error?: string;
  findings: Finding[] | null;
  screen: Block[] | null;
  rows: string[][] | null;
}

/** Something of a run that can be turned: a choice (the first value is the run as it was), or a number. */
export interface Knob { id: string; title: string; choices?: string[]; now: number; min: number; max: number; whole: boolean; unit?: string }

/** What a change makes of the run; the gain is the median of pairs of simulations. */
export interface WhatIfOutcome {
  key: string;
  experiment: string;
  title: string;
  makespan_ns: number;
  gain_ns: number;
  gain_low_ns: number; // 10 % quantile
  gain_high_ns: number;
  gain: number; // of the makespan
  pairs: number;
  pinned: boolean;
  failed?: string;
  command?: string;
  run?: string; // id of the run that was simulated
}

/** GET runs/{run}/whatif?after : changes as they are tried; POST {values} or {key} simulates one and answers a WhatIfOutcome. */
export interface WhatIf {
  step: number;
  done: number;
  planned: number;
  finished: boolean;
  error?: string;
  replay: { scheduler: string; known: boolean; recorded_ns: number; makespan_ns: number; placement: number; valid: boolean; pinned: boolean } | null;
  knobs: Knob[];
  outcomes: WhatIfOutcome[];
  turned: WhatIfOutcome | null;
}

/** POST sql {run, sql, limit} */
export interface SqlResult { columns: string[]; rows: (string | number | boolean | null)[][]; truncated: boolean; elapsed_ms: number }

/*
 * GET export?format=svg|pdf|png&runs=0,1&t0&t1&width&theme&panels=st:400,ready (heights in px)&align&ref&o=… : the figure, as a file;
 *   aligned runs: ref must be the first of runs (else 422)
 * GET export/command?(the same) : the command line that makes it
 */
export interface ExportCommand { command: string }
