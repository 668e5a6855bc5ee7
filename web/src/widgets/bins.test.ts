import { describe, expect, it } from "vitest";
import { binOf, brush, scale, ticks, totals } from "./bins";

const edges = [100, 200, 400, 800, 1600];

describe("scale", () => {
  for (const log of [true, false]) {
    it(`maps there and back, ${log ? "logarithmic" : "linear"}`, () => {
      const s = scale(edges, 300, log);
      expect(s.x(100)).toBeCloseTo(0);
      expect(s.x(1600)).toBeCloseTo(300);
      for (const v of [100, 123, 400, 1599]) expect(s.value(s.x(v))).toBeCloseTo(v);
    });
  }
  it("spaces doubling edges evenly on a logarithmic axis", () => {
    const s = scale(edges, 400, true);
    edges.forEach((e, i) => expect(s.x(e)).toBeCloseTo(100 * i));
  });
  it("has room for zero on a logarithmic axis, and for equal edges", () => {
    expect(scale([0, 10, 100], 100, true).x(0)).toBe(0);
    expect(Number.isFinite(scale([5, 5], 100, true).x(5))).toBe(true);
    expect(Number.isFinite(scale([0, 0], 100, false).x(0))).toBe(true);
  });
});

describe("binOf", () => {
  it("agrees with a loop", () => {
    for (let v = 0; v < 2000; v += 7) {
      let want = 0;
      for (let i = 0; i < edges.length - 1; i++) if (edges[i]! <= v) want = i;
      expect(binOf(edges, v)).toBe(want);
    }
  });
});

describe("brush", () => {
  const s = scale(edges, 400, true);
  it("takes whole bins, either way round", () => {
    expect(brush(edges, s, 110, 190)).toEqual({ min: 200, max: 399 });
    expect(brush(edges, s, 290, 110)).toEqual({ min: 200, max: 799 });
  });
  it("includes the last edge only with the last bin", () => {
    expect(brush(edges, s, 350, 380)).toEqual({ min: 800, max: 1600 });
    expect(brush(edges, s, -50, 900)).toEqual({ min: 100, max: 1600 });
  });
  it("parts all durations among the bins: each belongs to exactly one", () => {
    const uneven = [0.5, 3.2, 10, 31.6, 100];
    const t = scale(uneven, 400, false);
    const ranges = [0, 1, 2, 3].map((i) => brush(uneven, t, t.x(uneven[i]!) + 0.01, t.x(uneven[i + 1]!) - 0.01));
    for (let v = 1; v <= 100; v++) expect(ranges.filter((r) => v >= r.min && v <= r.max)).toHaveLength(1);
  });
});

describe("totals and ticks", () => {
  it("sums kinds per bin", () => {
    expect(totals([[1, 2], [3, 4, 5]], 2)).toEqual([4, 6]);
  });
  it("stays within the axis and the number asked for", () => {
    for (const [lo, hi] of [[1, 10], [3, 2e9], [950, 1100], [1e3, 9e3]] as const) {
      for (const log of [true, false]) {
        const s = scale([lo, hi], 300, log);
        const at = ticks(s, log, 6);
        expect(at.length, `${lo} to ${hi}`).toBeGreaterThan(0);
        expect(at.length).toBeLessThanOrEqual(7);
        for (const t of at) expect(t >= lo * 0.99 && t <= hi * 1.01).toBe(true);
      }
    }
  });
});
