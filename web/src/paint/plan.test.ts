import { describe, expect, it } from "vitest";
import { levelOf, tileRange, tileSpan } from "./level";
import { Lru } from "./lru";
import { planOf } from "./plan";
import type { PaintJob } from "./protocol";
import { Series } from "./series";
import { random } from "./testing";
import type { Tile } from "./tile";

const job = (o: Partial<PaintJob>): PaintJob => ({
  slot: "0/st", seq: 1, path: "runs/0/panels/st", query: "theme=light", height: 100, dpr: 1, font: "", paper: "#fff", top: 0,
  view: { t0: 0, t1: 1000 }, pad: { t0: 0, t1: 1000 }, nsPerPx: 1, urgent: false, prefetch: false, ...o,
});

it("levels have one to two columns for a pixel", () => {
  const r = random(3);
  for (let i = 0; i < 2000; i++) {
    const nsPerPx = 2 ** (r() * 40), level = levelOf(nsPerPx);
    expect(2 ** level).toBeLessThanOrEqual(nsPerPx * (1 + 1e-6));
    expect(2 ** (level + 1)).toBeGreaterThan(nsPerPx * (1 - 1e-6));
  }
  expect(levelOf(0.01)).toBe(0);
});

it("tiles cover a span, and none more than needed", () => {
  const r = random(4);
  for (let i = 0; i < 2000; i++) {
    const level = Math.floor(r() * 30), t0 = Math.round((r() - 0.5) * 1e12), t1 = t0 + 1 + Math.round(r() * 1e9), span = tileSpan(level);
    const { first, last } = tileRange(level, t0, t1);
    expect(first * span).toBeLessThanOrEqual(t0);
    expect((first + 1) * span).toBeGreaterThan(t0);
    expect((last + 1) * span).toBeGreaterThanOrEqual(t1);
    expect(last * span).toBeLessThan(t1);
  }
});

describe("a plan", () => {
  it("has what is seen, what lies around nearest first, and what zooming leads to", () => {
    const plan = planOf(job({ view: { t0: 2560, t1: 5120 }, pad: { t0: 0, t1: 7680 }, nsPerPx: 2.56, prefetch: true }));
    expect(plan.level).toBe(1);
    expect(plan.visible.map((n) => n.index)).toEqual([5, 6, 7, 8, 9]);
    const around = plan.around.map((n) => n.index);
    expect([...around].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 10, 11, 12, 13, 14]);
    expect(around.slice(0, 2).sort((a, b) => a - b)).toEqual([4, 10]);
    expect(new Set(plan.next.map((n) => n.level))).toEqual(new Set([0, 2]));
  });
});

describe("stand-ins", () => {
  const tile = (): Tile => ({ layers: [], bytes: 1 });
  const need = (level: number, index: number) => ({ level, index, path: `${level}/${index}`, t0: index * tileSpan(level), t1: (index + 1) * tileSpan(level) });
  const setup = (...at: [number, number][]) => {
    const tiles = new Lru<Tile>(1e6), series = new Series();
    for (const [level, index] of at) {
      tiles.set(`${level}/${index}`, tile(), 1);
      series.note(need(level, index), 80);
    }
    return { tiles, series };
  };

  it("are coarser tiles of the same place, negative ones too", () => {
    const { tiles, series } = setup([7, -1], [6, 0]);
    expect(series.standIns(tiles, need(4, -3))).toMatchObject([{ level: 7, t0: -tileSpan(7), height: 80 }]);
    expect(series.standIns(tiles, need(4, 3))).toMatchObject([{ level: 6, t0: 0 }]);
    expect(series.standIns(tiles, need(4, 4))).toEqual([]);
  });

  it("else finer ones", () => {
    const { tiles, series } = setup([3, 4], [3, 5]);
    expect(series.standIns(tiles, need(4, 2)).map((s) => s.t0)).toEqual([4 * tileSpan(3), 5 * tileSpan(3)]);
  });
});

it("the cache forgets what was used least recently, by bytes", () => {
  const lru = new Lru<string>(10);
  lru.set("a", "A", 4);
  lru.set("b", "B", 4);
  lru.get("a");
  lru.set("c", "C", 4);
  expect([lru.has("a"), lru.has("b"), lru.has("c"), lru.bytes]).toEqual([true, false, true, 8]);
  lru.set("d", "D", 100);
  expect([lru.has("d"), lru.has("a"), lru.bytes]).toEqual([true, false, 100]);
});
