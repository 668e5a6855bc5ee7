import { describe, expect, it } from "vitest";
import { parseCSV, toCSV, toTSV } from "./csv";

describe("CSV", () => {
  it("quotes what needs it", () => {
    expect(toCSV(["a", 'b "c"'], [[1, "x,y"], [null, "l\nm"]])).toBe('a,"b ""c"""\r\n1,"x,y"\r\n,"l\nm"\r\n');
  });
  it("is read back as it was written", () => {
    const rows = [["", "a", ""], ['q"', "x,y", "z"], ["l\r\nm", "", ""]];
    expect(parseCSV(toCSV(["c", "d", "e"], rows))).toEqual([["c", "d", "e"], ...rows]);
  });
  it("keeps tabs and line ends out of pasted cells", () => {
    expect(toTSV([["a\tb", "c\nd"], [null, 1]])).toBe("a b\tc d\n\t1");
  });
});
