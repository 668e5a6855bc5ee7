// The page and the program write the same quantities in the same words: the
// table is what the program writes (internal/words, go test -update).
import { expect, test } from "vitest";
import { counted, count, percent } from "../panes/words";
import { duration } from "./time";
import { readFileSync } from "node:fs";

type Case<T> = { in: T; out: string };
const cases = JSON.parse(readFileSync(new URL("../../../internal/words/testdata/cases.json", import.meta.url), "utf8")) as Record<string, Case<never>[]>;

function table<T>(name: string): Case<T>[] {
  const all = cases[name] as Case<T>[] | undefined;
  expect(all?.length).toBeGreaterThan(3);
  return all!;
}

// Spaces of the page do not break, and all its signs are typography's.
const asPage = (s: string): string => s.replace(/\u2009/g, "\u202f").replace(/^-/, "−");
const safe = (n: number): boolean => Number.isSafeInteger(n);

test("counts", () => {
  for (const c of table<number>("CountThin").filter((c) => safe(c.in))) expect(asPage(count(c.in))).toBe(asPage(c.out));
  for (const c of table<number>("Plurals").filter((c) => safe(c.in))) {
    expect(asPage(counted(c.in, "copy", "copies"))).toBe(asPage(c.out.replace(/(\d) (?=\d)/g, "$1\u202f")));
  }
});

test("shares", () => {
  for (const c of table<number | string>("Percent")) {
    const v = typeof c.in === "number" ? c.in : NaN;
    // The page does not round something to nothing.
    if (v !== 0 && Math.abs(v) < 0.0005) expect(percent(v)).toMatch(/^[<>] −?0\.1 %$/);
    else expect(asPage(percent(v))).toBe(asPage(c.out));
  }
});

test("durations", () => {
  for (const c of table<number>("Duration")) {
    expect(duration(c.in)).toBe(c.in === 0 ? "0 s" : asPage(c.out)); // the page's origin of time
  }
});
