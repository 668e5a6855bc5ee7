// Axes of histograms: places of edges in pixels and back.

export interface Scale {
  x(value: number): number;
  value(x: number): number;
  lo: number;
  hi: number;
}

/** The axis over edges (sorted, ns) on width px. A logarithmic axis of bins
 *  that start at zero starts at half of the first edge above it. */
export function scale(edges: number[], width: number, log: boolean): Scale {
  const hi = edges[edges.length - 1] ?? 1;
  let lo = edges[0] ?? 0;
  if (!log) return linear(lo, hi > lo ? hi : lo + 1, width);
  if (lo <= 0) lo = (edges.find((e) => e > 0) ?? 1) / 2;
  return logarithmic(lo, hi > lo ? hi : lo * 2, width);
}

function linear(lo: number, hi: number, width: number): Scale {
  return {
    lo, hi,
    x: (v) => ((v - lo) / (hi - lo)) * width,
    value: (x) => lo + (x / width) * (hi - lo),
  };
}

function logarithmic(lo: number, hi: number, width: number): Scale {
  const span = Math.log(hi / lo);
  return {
    lo, hi,
    x: (v) => (Math.log(Math.max(v, lo) / lo) / span) * width,
    value: (x) => lo * Math.exp((x / width) * span),
  };
}

/** The bin that holds the value: edges[i] ≤ value < edges[i+1], the last bin
 *  closed; values outside go to the nearest. */
export function binOf(edges: number[], value: number): number {
  let lo = 0;
  let hi = edges.length - 2;
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1;
    if (edges[mid]! <= value) lo = mid;
    else hi = mid - 1;
  }
  return Math.max(0, lo);
}

/** The durations that a drag from x0 to x1 selects: whole bins. Upper ends are
 *  inclusive, as in questions to the server, so the next edge itself is out,
 *  except the last, which its bin holds. */
export function brush(edges: number[], s: Scale, x0: number, x1: number): { min: number; max: number } {
  const first = binOf(edges, s.value(Math.min(x0, x1)));
  const last = binOf(edges, s.value(Math.max(x0, x1)));
  const top = edges[last + 1]!;
  const max = last + 2 < edges.length ? Math.ceil(top) - 1 : Math.ceil(top);
  return { min: Math.ceil(edges[first]!), max };
}

/** Sums per bin of counts[kind][bin]. */
export function totals(counts: number[][], bins: number): number[] {
  const sums = new Array<number>(bins).fill(0);
  for (const row of counts) for (let i = 0; i < bins; i++) sums[i]! += row[i] ?? 0;
  return sums;
}

/** Ticks at round numbers: 1, 2, 5 by decade, at most `most`; on a logarithmic
 *  axis of many decades 1 of each (or of each second, third…). */
export function ticks(s: Scale, log: boolean, most: number): number[] {
  if (!log) return linearTicks(s.lo, s.hi, most);
  for (const mantissas of [[1, 2, 5], [1, 3], [1]]) {
    const at = decades(s.lo, s.hi, mantissas);
    if (at.length <= most && at.length >= 2) return at;
  }
  const at = decades(s.lo, s.hi, [1]);
  if (at.length < 2) return linearTicks(s.lo, s.hi, most);
  const step = Math.ceil(at.length / most);
  return at.filter((_, i) => i % step === 0);
}

function decades(lo: number, hi: number, mantissas: number[]): number[] {
  const at: number[] = [];
  for (let e = Math.floor(Math.log10(lo)); e <= Math.ceil(Math.log10(hi)); e++) {
    for (const m of mantissas) {
      const v = m * 10 ** e;
      if (v >= lo * 0.999999 && v <= hi * 1.000001) at.push(v);
    }
  }
  return at;
}

function linearTicks(lo: number, hi: number, most: number): number[] {
  const raw = (hi - lo) / Math.max(1, most - 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((v) => v >= raw * 0.999999) ?? 10 * power;
  const at: number[] = [];
  for (let v = Math.ceil(lo / step) * step; v <= hi * 1.000001; v += step) at.push(v);
  return at;
}
