// Times in words: ns as people read them.

const UNITS: { ns: number; name: string }[] = [
  { ns: 1e9, name: "s" }, { ns: 1e6, name: "ms" }, { ns: 1e3, name: "µs" }, { ns: 1, name: "ns" },
];

/** The unit in which a length reads best. */
export function unitOf(ns: number): { ns: number; name: string } {
  const a = Math.abs(ns);
  return UNITS.find((u) => a >= u.ns) ?? UNITS[UNITS.length - 1]!;
}

/** A length with unit and about `digits` significant digits: "12.3 ms". */
export function duration(ns: number, digits = 4): string {
  if (!Number.isFinite(ns)) return "–";
  if (ns === 0) return "0 s";
  const rounded = Math.abs(ns) / (1 - 0.5 * 10 ** -digits); // 999.96 µs are 1.000 ms
  const u = unitOf(rounded);
  const decimals = u.ns === 1 ? 0 : Math.max(0, digits - Math.floor(Math.log10(rounded / u.ns)) - 1);
  return minus((ns / u.ns).toFixed(Math.min(9, decimals))) + " " + u.name;
}

/** An instant, to the resolution of the picture: decimals of a second or of a smaller unit. */
export function instant(ns: number, resolution: number): string {
  const u = Math.abs(ns) >= 1e9 || ns === 0 ? UNITS[0]! : unitOf(ns);
  const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(Math.max(resolution, 1) / u.ns))));
  return minus((ns / u.ns).toFixed(u.ns === 1 ? 0 : decimals)) + " " + u.name;
}

function minus(s: string): string {
  return s.startsWith("-") ? "−" + s.slice(1) : s;
}

export interface Ticks { step: number; at: number[]; label(t: number): string }

/** Ticks at 1, 2 or 5 times a power of ten from origin on, at most one every `gap` px. */
export function niceTicks(t0: number, t1: number, origin: number, width: number, gap = 96): Ticks {
  const raw = ((t1 - t0) / Math.max(1, width)) * gap;
  const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-9)));
  const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999) ?? 10 * power);
  const at: number[] = [];
  for (let i = Math.ceil((t0 - origin) / step - 1e-9); origin + i * step <= t1; i++) at.push(origin + i * step);
  const reach = Math.max(Math.abs(t0 - origin), Math.abs(t1 - origin));
  const unit = unitOf(Math.max(step * 10, Math.min(reach, step * 1e6)));
  const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / unit.ns) + 1e-9)));
  return { step, at, label: (t) => (t === origin ? "0" : minus(((t - origin) / unit.ns).toFixed(decimals))) + " " + unit.name };
}
