// How panes write quantities.
import { grouped } from "../widgets/number";

/** A length of time in the unit that suits it: "812 ns", "12.0 ms", "1.204 s". */
export function duration(ns: number | null | undefined): string {
  return ns === Infinity ? "any" : length(ns).replace("-", "−");
}

/** The same without zeros at the end, for axes: "12 ms". */
export function brief(ns: number): string {
  return duration(ns).replace(/(\.\d*?)0+(?= )/, "$1").replace(/\.(?= )/, "");
}

function length(ns: number | null | undefined): string {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return "–";
  const a = Math.abs(ns);
  if (a < 1e3) return `${Number(ns.toPrecision(3))} ns`;
  if (a < 0.9995e6) return `${(ns / 1e3).toPrecision(3)} µs`;
  if (a < 0.9995e9) return `${(ns / 1e6).toPrecision(a < 1e8 ? 3 : 4)} ms`;
  if (a < 600e9) return `${(ns / 1e9).toPrecision(4)} s`;
  const s = Math.round(a / 1e9);
  const parts = [Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60];
  return (ns < 0 ? "-" : "") + (parts[0] ? `${parts[0]} h ` : "") + `${parts[1]} min ${parts[2]} s`;
}

/** An instant, seen from the origin of the axis, to the µs. */
export function instant(t: number | null | undefined, origin = 0): string {
  if (t === null || t === undefined || !Number.isFinite(t)) return "–";
  const d = t - origin;
  return Math.abs(d) < 1e9 ? `${minus((d / 1e6).toFixed(3))} ms` : `${minus((d / 1e9).toFixed(6))} s`;
}

/** Reads an instant as people write it, ns: "12.5" and "12.5 ms" are ms; ns, us, µs, s, min are known. */
export function parseInstant(text: string): number | null {
  const m = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(ns|us|µs|ms|s|min)?\s*$/i.exec(text.replace("−", "-"));
  if (!m) return null;
  const unit: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, min: 60e9 };
  return Math.round(Number(m[1]) * unit[(m[2] ?? "ms").toLowerCase()]!);
}

export const count = grouped;

/** "1 task", "2 tasks". */
export function counted(n: number, one: string, many = one + "s"): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** A share from 0 to 1. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return "–";
  const p = 100 * share;
  return p !== 0 && Math.abs(p) < 0.05 ? (p < 0 ? "> −0.1 %" : "< 0.1 %") : `${p.toFixed(1)} %`;
}

/** A change, with its sign: "+12.3 ms". */
export function change(ns: number | null): string {
  if (ns === null) return "–";
  return ns > 0 ? "+" + duration(ns) : duration(ns);
}

/** A change against a base: "+3.1 %". */
export function relative(a: number | null, b: number | null): string {
  if (a === null || b === null || a === 0) return "";
  const p = (100 * (b - a)) / a;
  return `${p > 0 ? "+" : p < 0 ? "−" : ""}${Math.abs(p).toFixed(1)} %`;
}

function minus(s: string): string {
  return s.replace("-", "−");
}
