import { expect, it } from "vitest";
import { random } from "../paint/testing";
import { duration, instant, niceTicks } from "./time";

it("lengths have the unit that reads best", () => {
  expect([0, 12, 1234, 12_300_000, 1.5e9, -2e6].map((n) => duration(n, 3))).toEqual(["0 s", "12 ns", "1.23 µs", "12.3 ms", "1.50 s", "−2.00 ms"]);
  expect(duration(NaN)).toBe("–");
});

it("instants have the digits that the picture can tell apart", () => {
  expect(instant(1_234_567_890, 1e6)).toBe("1.235 s");
  expect(instant(329_123_456, 1e6)).toBe("329 ms");
  expect(instant(1_234_567_890, 10)).toBe("1.23456789 s");
});

it("ticks are multiples of their step from the origin, with labels that differ, not too close", () => {
  const r = random(2);
  for (let i = 0; i < 500; i++) {
    const t0 = (r() - 0.3) * 1e10, length = 10 ** (2.5 + r() * 9), width = 300 + r() * 3000, origin = r() < 0.5 ? 0 : Math.round(t0 + r() * length);
    const k = niceTicks(t0, t0 + length, origin, width);
    expect(k.at.length * 60).toBeLessThan(width + 200);
    for (const t of k.at) expect(Math.abs((t - origin) / k.step - Math.round((t - origin) / k.step))).toBeLessThan(1e-6);
    expect(new Set(k.at.map(k.label)).size).toBe(k.at.length);
  }
});
