// The columns of tables of tasks.
import type { App } from "../core/app";
import type { RunInfo, TaskRow } from "../api/types";
import { shortNames } from "../core/kinds";
import { h, type Child } from "../widgets/dom";
import type { Column } from "../widgets/table";
import { taskLink, timeLink } from "./common";
import { duration } from "./words";

const narrowest = 74, widest = 170, letter = 7; // px

/** Names of kinds, short where what is left out is what they have in common. */
export function kindNames(kinds: string[]): { name(kind: string): Child; width: number } {
  const short = shortNames(kinds), letters = Math.max(0, ...kinds.map((k) => (short.get(k) ?? k).length));
  const name = (kind: string): Child => (short.has(kind) ? h("span", { title: kind }, short.get(kind)!) : kind.length > 10 ? h("span", { title: kind }, kind) : kind);
  return { name, width: Math.round(Math.min(widest, Math.max(narrowest, 22 + letter * letters))) };
}

/** Columns of tasks; those that can be sorted have the server's names. */
export function taskColumns(app: App, run: RunInfo): Column<TaskRow>[] {
  const kinds = kindNames(run.kinds);
  return [
    { id: "kind", title: "kind", width: kinds.width, sort: true, cell: (r) => kinds.name(r.kind), value: (r) => r.kind },
    { id: "key", title: "task", width: 56, sort: true, doc: "Job id: the runtime's name of the task", cell: (r) => taskLink(app, run, r), value: (r) => r.key },
    { id: "worker", title: "worker", width: 78, sort: true, cell: (r) => r.worker || "–", value: (r) => r.worker },
    { id: "start", title: "start", width: 92, number: true, sort: true, doc: "Start; copied in ns", cell: (r) => timeLink(app, r.start), value: (r) => r.start },
    { id: "duration", title: "duration", width: 92, number: true, sort: true, doc: "Duration; copied in ns",
      cell: (r) => (r.outlier ? h("span", { class: "outlier", title: "outlier: much longer than its like" }, duration(r.duration_ns), " ●") : duration(r.duration_ns)), value: (r) => r.duration_ns },
    { id: "coordinates", title: "x, y", width: 55, cell: (r) => coordinates(r), value: (r) => coordinates(r) },
    { id: "iteration", title: "iteration", width: 65, number: true, cell: (r) => text(r.iteration), value: (r) => r.iteration },
    { id: "priority", title: "priority", width: 60, number: true, cell: (r) => text(r.priority), value: (r) => r.priority },
    { id: "tag", title: "tag", width: 80, cell: (r) => r.tag, value: (r) => r.tag },
  ];
}

function coordinates(r: TaskRow): string {
  return r.x === null ? "" : r.y === null ? String(r.x) : `${r.x}, ${r.y}`;
}

function text(n: number | null): string {
  return n === null ? "" : String(n);
}
