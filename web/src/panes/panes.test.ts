import { describe, expect, it } from "vitest";
import type { OptionInfo } from "../api/types";
import { columnTitle, inTitlesUnit, instantMS } from "./data";
import { controlOf, items, optionTitle, ruleOf, withOption, wrongValue } from "./option";
import { segments } from "./segments";
import { brief, change, count, duration, instant, parseInstant, percent, relative } from "./words";

const info = (want: string, more: Partial<OptionInfo> = {}): OptionInfo => ({ key: "k", doc: "", want, list: want.startsWith("a list"), ...more });

describe("options", () => {
  it("get the control that suits them", () => {
    expect(controlOf(info("true or false", { choices: ["true", "false"] })).type).toBe("bool");
    expect(controlOf(info("one of node, arch", { choices: ["node", "arch"] })).type).toBe("choice");
    expect(controlOf(info("a list of abe, abe-node, cpe, best"))).toEqual({ type: "several", choices: ["abe", "abe-node", "cpe", "best"] });
    expect(controlOf(info("a list of kinds")).type).toBe("kinds");
    expect(controlOf(info("a list of patterns")).type).toBe("text");
    expect(controlOf(info("ms above 0")).type).toBe("number");
    expect(controlOf(info("a text")).type).toBe("text");
  });

  it("reads rules in words", () => {
    expect(ruleOf("a number above 0, at most 1")).toMatchObject({ min: 0, open: true, max: 1, whole: false });
    expect(ruleOf("a whole number from 1 on, or source")).toMatchObject({ min: 1, open: false, max: Infinity, whole: true, words: ["source"] });
    expect(ruleOf("a number from 1e-09 to 3.4028234663852886e+38")).toMatchObject({ min: 1e-9, max: 3.4028234663852886e38 });
    expect(ruleOf("a text")).toBeNull();
  });

  it("tells values from others", () => {
    const wrong = (want: string, text: string): boolean => wrongValue(info(want), text) !== null;
    for (const [want, good, bad] of [
      ["ms above 0", ["1", "0.5", "1e3", ""], ["0", "-1", "x", "Infinity"]],
      ["a number above 0, at most 1", ["1", "0.4"], ["0", "1.1"]],
      ["a whole number from 1 on, or source", ["1", "source"], ["0", "1.5", "sources"]],
      ["a text", ["anything"], []],
    ] as [string, string[], string[]][]) {
      for (const t of good) expect(wrong(want, t), `${want}: ${t}`).toBe(false);
      for (const t of bad) expect(wrong(want, t), `${want}: ${t}`).toBe(true);
    }
  });

  it("leaves defaults out of the state", () => {
    const i = info("a text", { key: "a", default: "x" });
    expect(withOption({ b: "1" }, i, "y")).toEqual({ b: "1", a: "y" });
    expect(withOption({ b: "1", a: "y" }, i, "x")).toEqual({ b: "1" });
    expect(items(" a, b,,c ")).toEqual(["a", "b", "c"]);
    expect(items("f<int\\,4>,g")).toEqual(["f<int,4>", "g"]);
    expect(optionTitle("st.abe.active", "st")).toBe("abe active");
  });
});

describe("segments", () => {
  const kinds = ["GEMM", "TRSM", "my kind (2)"];
  const keysOf = (s: string, known: string[] = []): string[] => segments(s, kinds, new Set(known)).flatMap((x) => ("key" in x ? [x.key] : []));

  it("finds tasks after their kind", () => {
    expect(keysOf("Started 1 ms after its last input (GEMM 0_5051 on CUDA0_0) had arrived.")).toEqual(["0_5051"]);
    expect(keysOf("ran 2 tasks (GEMM 1, TRSM 2) and my kind (2) 17.")).toEqual(["1", "2", "17"]);
    expect(keysOf("It was the last dependency of TRSM 34, or of task 7.")).toEqual(["34", "7"]);
  });
  it("takes counts and other words for what they are", () => {
    expect(keysOf("longer than 5.0 % of the 220 GEMM tasks on cuda")).toEqual([]);
    expect(keysOf("3 tasks depend on it; DGEMM 4 is no kind of this run")).toEqual([]);
    expect(keysOf("the GEMM abc", ["abc"])).toEqual(["abc"]);
  });
  it("finds instants", () => {
    const times = (s: string): number[] => segments(s, kinds).flatMap((x) => ("time" in x ? [x.time] : []));
    expect(times("Its last input arrived at 12.5 ms.")).toEqual([12_500_000]);
    expect(times("at 1.2 s and at −3 µs, after 4 ms")).toEqual([1.2e9, -3000]);
  });
  it("loses no letter", () => {
    const hostile = 'GEMM 1<img src=x onerror="alert(1)"> at 3 ms, GEMM 2.';
    expect(segments(hostile, kinds).map((s) => s.text).join("")).toBe(hostile);
  });
});

describe("words", () => {
  it("write durations in their unit", () => {
    const texts: [number, string][] = [[0, "0 ns"], [812, "812 ns"], [1234, "1.23 µs"], [999_600, "1.00 ms"], [12_340_000, "12.3 ms"], [448_183_000, "448.2 ms"], [1.2e9, "1.200 s"], [3_700e9, "1 h 1 min 40 s"], [-5e6, "−5.00 ms"]];
    for (const [ns, text] of texts) expect(duration(ns)).toBe(text);
    expect(duration(null)).toBe("–");
    expect([0, 100, 5e6, 12.5e6, 1e9, 1e8].map(brief)).toEqual(["0 ns", "100 ns", "5 ms", "12.5 ms", "1 s", "100 ms"]);
  });
  it("read instants back", () => {
    for (const t of [0, 12_345_000, -3_000, 1_234_567_000]) expect(parseInstant(instant(t))).toBe(t);
    expect(parseInstant("2")).toBe(2e6);
    expect(parseInstant("1.5 s")).toBe(1.5e9);
    for (const bad of ["", "x", "1 h", "1 2"]) expect(parseInstant(bad)).toBeNull();
  });
  it("write shares, counts and changes", () => {
    expect([percent(0), percent(0.0001), percent(0.123), percent(null)]).toEqual(["0.0 %", "< 0.1 %", "12.3 %", "–"]);
    expect(count(1234567)).toBe("1\u202f234\u202f567");
    expect([change(1e6), change(-1e6), change(null)]).toEqual(["+1.00 ms", "−1.00 ms", "–"]);
    expect([relative(100, 90), relative(0, 1), relative(null, 1)]).toEqual(["−10.0 %", "", ""]);
  });
});


describe("numbers of a panel", () => {
  it("are in the unit that the column's title names", () => {
    expect(["start_ns", "end_ns", "duration_ns", "kind", "time_ns", "from"].map(columnTitle)).toEqual(["start (ms)", "end (ms)", "duration_ns", "kind", "time (ms)", "from"]);
    expect(instantMS(1_234_567_890, 0)).toBe("1234.568");
    expect(instantMS(2_500_000, 1_000_000)).toBe("1.500");
    expect([inTitlesUnit("start_ns", 1_234_567_891), inTitlesUnit("duration_ns", 12), inTitlesUnit("start_ns", null)]).toEqual([1234.567891, 12, null]);
  });
});
