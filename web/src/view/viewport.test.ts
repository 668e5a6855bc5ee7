import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { random } from "../paint/testing";

vi.mock("../core/theme", () => ({ calm: () => false }));
const { Viewport } = await import("./viewport");

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function make() {
  const settled: { t0: number; t1: number }[] = [];
  const v = new Viewport({ t0: 0, t1: 1e9 }, () => {}, (s) => settled.push(s));
  v.limits = { t0: 0, t1: 1e9 };
  return { v, settled };
}

it("zooms at an instant, which stays where it is", () => {
  const { v } = make();
  v.zoom(0.25, 3e8, false);
  expect((3e8 - v.now.t0) / (v.now.t1 - v.now.t0)).toBeCloseTo(0.3, 6);
  expect(v.now.t1 - v.now.t0).toBe(2.5e8);
});

it("stays near what there is, in whole ns, however it is moved", () => {
  const { v } = make(), r = random(9);
  for (let i = 0; i < 3000; i++) {
    if (r() < 0.5) v.pan((r() - 0.5) * 1e9);
    else v.zoom(2 ** ((r() - 0.5) * 20), v.now.t0 + r() * (v.now.t1 - v.now.t0), false);
    const { t0, t1 } = v.now;
    expect(Number.isInteger(t0) && Number.isInteger(t1)).toBe(true);
    expect(t1 - t0).toBeGreaterThanOrEqual(v.shortest);
    expect(t1 - t0).toBeLessThanOrEqual(1.1e9 + 1);
    expect(t1).toBeGreaterThan(0);
    expect(t0).toBeLessThan(1e9);
  }
});

it("keeps its length to the ns while it is dragged", () => {
  const { v } = make();
  v.jump({ t0: 1e8, t1: 1e8 + 123457 });
  for (let i = 0; i < 500; i++) v.pan(0.37 * i);
  expect(v.now.t1 - v.now.t0).toBe(123457);
});

it("is one step of the history when a move has settled, where it was going", () => {
  const { v, settled } = make();
  v.glide({ t0: 1e8, t1: 2e8 });
  v.step(performance.now() + 60);
  expect(v.now.t0).toBeGreaterThan(0);
  expect(v.now.t0).toBeLessThan(1e8);
  vi.advanceTimersByTime(1000);
  expect(v.now).toEqual({ t0: 1e8, t1: 2e8 });
  expect(settled).toEqual([{ t0: 1e8, t1: 2e8 }]);
  expect(v.moving).toBe(false);
});

it("keeps its window while runs are being loaded, of which nothing is known", () => {
  const { v } = make();
  const before = { ...v.target };
  v.limits = { t0: 0, t1: 0 };
  v.glide(v.limits);
  v.jump(v.limits);
  expect(v.target).toEqual(before);
  v.jump({ t0: 1e8, t1: 2e8 });
  expect(v.target).toEqual({ t0: 1e8, t1: 2e8 });
});
