import { expect, test } from "vitest";
import { evidenceWords } from "./evidence";

test("no two rows of evidence have one name", () => {
  const rows = evidenceWords({ bound: "head_tail", bound_ns: 2_500_000, worst_ns: 10, cost: "memory-wait", cost_ns: 300 });
  expect(rows.map(([name]) => name)).toEqual(["best bound is the", "bound, time", "longest wait", "cost", "cost, time"]);
  expect(rows[0]![1]).toBe("head–tail bound");
  expect(rows[1]![1]).toContain("ms");
});
