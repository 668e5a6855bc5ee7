// Which tiles show a span of time.
import { TILE_WIDTH } from "./tile";

export const MAX_LEVEL = 44; // a tile of 2^52 ns: 52 days

/** The level whose columns are no wider than a pixel: 2^level ≤ ns/px < 2^(level+1), from 0 up. */
export function levelOf(nsPerPx: number): number {
  return Math.max(0, Math.min(MAX_LEVEL, Math.floor(Math.log2(nsPerPx) + 1e-9)));
}

/** The length of a tile of a level, ns. */
export function tileSpan(level: number): number {
  return TILE_WIDTH * 2 ** level;
}

/** First and last index of the tiles that touch [t0, t1). */
export function tileRange(level: number, t0: number, t1: number): { first: number; last: number } {
  const span = tileSpan(level);
  const first = Math.floor(t0 / span);
  return { first, last: Math.max(first, Math.ceil(t1 / span) - 1) };
}
