// The figures behind a finding, in words.
import { count, duration } from "./words";

const names: Record<string, string> = {
  abe: "area bound", cpe: "critical path", bound: "best bound is the", of: "out of", path_length: "tasks on the path", worst: "longest wait",
  worst_task: "task that waited longest", release_delay: "waiting along the path", slowest_ns: "its duration", excess: "beyond their threshold",
  tasks_actual: "tasks there", tasks_ideal: "tasks there by the bound", arch: "architecture",
};

/** Names and values of evidence: keys that end in _ns are times. */
export function evidenceWords(evidence: Record<string, unknown>): [string, string][] {
  return Object.entries(evidence).map(([key, v]) => {
    const bare = key.replace(/_ns$/, "");
    if (bare !== key && bare in evidence) return [`${bare.replaceAll("_", " ")}, time`, valueWords(key, v)]; // no two rows have one name
    return [names[key] ?? names[bare] ?? bare.replaceAll("_", " "), valueWords(key, v)];
  });
}

function valueWords(key: string, v: unknown): string {
  if (typeof v === "number") return key.endsWith("_ns") ? duration(v) : Number.isInteger(v) ? count(v) : String(Number(v.toPrecision(4)));
  if (Array.isArray(v)) return v.slice(0, 24).join(", ") + (v.length > 24 ? ` and ${v.length - 24} more` : "");
  if (typeof v === "string") return v.replace(/^head_tail$/, "head–tail bound");
  return v === null || v === undefined ? "–" : JSON.stringify(v);
}
