import { describe, expect, it } from "vitest";
import type { OptionInfo, SettingType } from "../api/types";
import { columnTitle, inTitlesUnit, instantMS } from "./data";
import { controlOf, items, optionTitle, withOption, wrongValue } from "./option";
import { segments } from "./segments";
import { brief, change, count, duration, instant, parseInstant, percent, relative } from "./words";

const info = (type: Partial<SettingType>, more: Partial<OptionInfo> = {}): OptionInfo => ({ key: "k", doc: "", type: { kind: "text", text: "a value", ...type }, ...more });

describe("options", () => {
  it("get the control that suits them", () => {
    expect(controlOf(info({ kind: "bool" }))).toBe("bool");
    expect(controlOf(info({ kind: "word", words: ["node", "arch"] }))).toBe("choice");
    expect(controlOf(info({ kind: "word", words: ["abe", "cpe"], list: true }))).toBe("several");
    expect(controlOf(info({ kind: "kind", list: true }))).toBe("kinds");
    expect(controlOf(info({ kind: "pattern", list: true }))).toBe("text");
    expect(controlOf(info({ kind: "number", unit: "ms" }))).toBe("text");
    expect(controlOf(info({}))).toBe("text");
  });

  it("tells values from others", () => {
    const wrong = (type: Partial<SettingType>, text: string): boolean => wrongValue(info(type), text) !== null;
    for (const [type, good, bad] of [
      [{ kind: "number", unit: "ms", min: 0, above: true }, ["1", "0.5", "1e3", ""], ["0", "-1", "x", "Infinity"]],
      [{ kind: "number", min: 0, above: true, max: 1 }, ["1", "0.4"], ["0", "1.1"]],
      [{ kind: "number", min: 1, whole: true, words: ["source"] }, ["1", "source"], ["0", "1.5", "sources"]],
      [{ kind: "number", list: true, min: 0, max: 1 }, ["0.1,0.2"], []], // the server has the last word
      [{}, ["anything"], []],
    ] as [Partial<SettingType>, string[], string[]][]) {
      for (const t of good) expect(wrong(type, t), `${JSON.stringify(type)}: ${t}`).toBe(false);
      for (const t of bad) expect(wrong(type, t), `${JSON.stringify(type)}: ${t}`).toBe(true);
    }
    expect(wrongValue(info({ kind: "number", min: 1, text: "a number from 1 on" }), "0")).toBe('found "0", want a number from 1 on');
  });

  it("leaves defaults out of the state", () => {
    const i = info({}, { key: "a", default: "x" });
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
