import { describe, expect, it } from "vitest";
import { parseCSV, toCSV, toTSV } from "./csv";

describe("CSV", () => {
  it("quotes what needs it", () => {
    expect(toCSV(["a", 'b "c"'], [[1, "x,y"], [null, "l\nm"]])).toBe('a,"b ""c"""\r\n1,"x,y"\r\n,"l\nm"\r\n');
  });
  it("lets spreadsheets calculate nothing", () => {
    const cells = ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "-", "a=b", "-2", "+1.5e3", "−2"];
    const safe = ["'=1+1", "'+1+1", "'-2+3", "'@SUM(A1)", "'\t=1", "'-", "a=b", "-2", "+1.5e3", "−2"];
    expect(toCSV(["=n"], cells.map((c) => [c]))).toBe(["'=n", ...safe].join("\r\n") + "\r\n");
    expect(toTSV([["=1+1", -2, "-2+3"]])).toBe("'=1+1\t-2\t'-2+3");
  });
  it("is read back as it was written", () => {
    const rows = [["", "a", ""], ['q"', "x,y", "z"], ["l\r\nm", "", ""]];
    expect(parseCSV(toCSV(["c", "d", "e"], rows))).toEqual([["c", "d", "e"], ...rows]);
  });
  it("keeps tabs and line ends out of pasted cells", () => {
    expect(toTSV([["a\tb", "c\nd"], [null, 1]])).toBe("a b\tc d\n\t1");
  });
});
