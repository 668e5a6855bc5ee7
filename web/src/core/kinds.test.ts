import { expect, it } from "vitest";
import { shortNames } from "./kinds";

const short = (...kinds: string[]) => kinds.map((k) => shortNames(kinds).get(k) ?? k);

it("what kinds have in common is left out", () => {
  expect(short("starpu_lu_model_gemm_openblas", "starpu_lu_model_getrf_openblas", "starpu_lu_model_trsm_ll_openblas", "GEMM"))
    .toEqual(["…gemm…", "…getrf…", "…trsm_ll…", "GEMM"]);
  expect(short("dgemm", "dgemm_update", "a_single_very_long_kernel")).toEqual(["dgemm", "dgemm_update", "a_single_very_long_kernel"]);
});

it("short names tell kinds apart", () => {
  const same = "x".repeat(40), a = `lib::f<${same}A${same}>`, b = `lib::f<${same}B${same}>`;
  const names = short(a, b, `lib::f<${same}`);
  expect(new Set(names).size).toBe(3);
  const kinds = ["solve_block_1_of_many", "solve_block_11_of_many", "solve_block_1_of_many_", "solve_block_"];
  expect(new Set(short(...kinds)).size).toBe(4);
});
