import { expect, it } from "vitest";
import { css, fit } from "./strokes";

const g = { measureText: (s: string) => ({ width: 6 * s.length }) as TextMetrics };

it("texts are whole or not there", () => {
  expect(fit(g, "dgemm_update", 72)).toBe("dgemm_update");
  expect(fit(g, "dgemm_update", 71)).toBe("");
  expect(fit(g, "GEMM", 23)).toBe("");
});

it("colours keep their opacity", () => expect(css(0x0072b280)).toBe("rgba(0,114,178,0.5020)"));
