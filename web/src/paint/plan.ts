// Which tiles a paint job needs, and what can stand in for those not there yet.
import { levelOf, tileRange, tileSpan, MAX_LEVEL } from "./level";
import type { PaintJob } from "./protocol";

export interface Need { level: number; index: number; path: string; t0: number; t1: number }

export function tilePath(job: Pick<PaintJob, "path" | "query" | "height" | "top">, level: number, index: number): string {
  const q = job.query ? "&" + job.query : "";
  return `${job.path}/tile?level=${level}&index=${index}&height=${job.height}&top=${job.top}${q}`;
}

export function needs(job: PaintJob, level: number, t0: number, t1: number): Need[] {
  const { first, last } = tileRange(level, t0, t1), span = tileSpan(level);
  const out: Need[] = [];
  for (let index = first; index <= last; index++)
    out.push({ level, index, path: tilePath(job, level, index), t0: index * span, t1: (index + 1) * span });
  return out;
}

export interface Plan { level: number; visible: Need[]; around: Need[]; next: Need[] }

/** Tiles that are seen, those beside them (nearest first), and those of the levels that zooming leads to. */
export function planOf(job: PaintJob): Plan {
  const level = levelOf(job.nsPerPx);
  const visible = needs(job, level, job.view.t0, job.view.t1);
  const seen = new Set(visible.map((n) => n.path));
  const mid = (job.view.t0 + job.view.t1) / 2;
  const far = (n: Need) => Math.abs((n.t0 + n.t1) / 2 - mid);
  const around = needs(job, level, job.pad.t0, job.pad.t1).filter((n) => !seen.has(n.path)).sort((a, b) => far(a) - far(b));
  return { level, visible, around, next: job.prefetch ? nextLevels(job, level, mid) : [] };
}

function nextLevels(job: PaintJob, level: number, mid: number): Need[] {
  const half = (job.view.t1 - job.view.t0) / 4;
  const finer = level > 0 ? needs(job, level - 1, mid - half, mid + half) : [];
  const coarser = level < MAX_LEVEL ? needs(job, level + 1, job.view.t0 - 2 * half, job.view.t1 + 2 * half) : [];
  return [...coarser, ...finer];
}
