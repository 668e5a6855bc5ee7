import { describe, expect, it } from "vitest";
import { fuzzy, rank } from "./fuzzy";

// Oracle: whether the letters come in order.
function subsequence(q: string, t: string): boolean {
  let i = 0;
  for (const c of t) if (c === q[i]) i++;
  return i === q.length;
}

describe("fuzzy", () => {
  it("matches exactly where the letters come in order, and says where", () => {
    const letters = "ab .C";
    let seed = 7;
    const random = (n: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    const word = (n: number): string => Array.from({ length: random(n) }, () => letters[random(letters.length)]!).join("");
    for (let i = 0; i < 3000; i++) {
      const q = word(4).replace(/\s/g, "");
      const t = word(9);
      const m = fuzzy(q, t);
      expect(m !== null, `${q} in ${t}`).toBe(subsequence(q.toLowerCase(), t.toLowerCase()));
      if (!m) continue;
      expect(m.at.map((j) => t[j]!.toLowerCase()).join("")).toBe(q.toLowerCase());
      for (let k = 1; k < m.at.length; k++) expect(m.at[k]!).toBeGreaterThan(m.at[k - 1]!);
    }
  });

  it("prefers starts of words and runs", () => {
    const best = (q: string, ...texts: string[]): string => rank(q, texts, (t) => t)[0]!.item;
    expect(best("zi", "Measure with ruler: zoning", "Zoom in", "Resize panel")).toBe("Zoom in");
    expect(best("fit", "Follow its task", "Fit the whole run")).toBe("Fit the whole run");
    expect(best("search", "Open tab Search", "Search for tasks")).toBe("Search for tasks");
    expect(best("help", "Change the palette", "Help")).toBe("Help");
    expect(fuzzy("tl", "openTaskList")!.at).toEqual([4, 8]);
  });

  it("lists everything for an empty query, in order", () => {
    expect(rank(" ", ["b", "a"], (t) => t).map((r) => r.item)).toEqual(["b", "a"]);
  });
});
