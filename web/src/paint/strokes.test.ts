import { expect, it } from "vitest";
import { css, fit } from "./strokes";

const g = { measureText: (s: string) => ({ width: 6 * s.length }) as TextMetrics };

it("texts are as long as their room lets them, or not there", () => {
  expect(fit(g, "dgemm_update", 72)).toBe("dgemm_update");
  expect(fit(g, "dgemm_update", 71)).toBe("dgemm_upda…");
  expect(fit(g, "dgemm_update", 30)).toBe("dgem…");
  expect(fit(g, "dgemm_update", 29)).toBe("");
  expect(fit(g, "GEMM", 23)).toBe("");
});

it("colours keep their opacity", () => expect(css(0x0072b280)).toBe("rgba(0,114,178,0.5020)"));
