import { describe, expect, it } from "vitest";
import { Pages, Scroll, maxHeight } from "./paging";

const settle = (): Promise<void> => new Promise((r) => setTimeout(r, 0));

function source(total: number): { calls: [number, number][]; fetch: (o: number, l: number) => Promise<{ total: number; rows: number[] }> } {
  const calls: [number, number][] = [];
  return {
    calls,
    fetch: async (o, l) => {
      calls.push([o, l]);
      return { total, rows: Array.from({ length: Math.max(0, Math.min(l, total - o)) }, (_, i) => o + i) };
    },
  };
}

describe("Pages", () => {
  it("fetches what is wanted, once", async () => {
    const s = source(1000);
    const pages = new Pages<number>(s.fetch, () => {}, 100);
    pages.want(0, 0);
    pages.want(0, 0);
    await settle();
    expect(s.calls).toEqual([[0, 100]]);
    expect(pages.total).toBe(1000);
    pages.want(250, 420);
    await settle();
    expect(s.calls.slice(1)).toEqual([[200, 100], [300, 100], [400, 100]]);
    expect(pages.get(399)).toBe(399);
    expect(pages.get(999)).toBeUndefined();
  });

  it("knows which rows are here", async () => {
    const pages = new Pages<number>(source(250).fetch, () => {}, 100);
    expect(pages.has(0, 10)).toBe(true); // as long as the total is not known there are none
    pages.want(0, 0);
    await settle();
    expect([pages.has(0, 99), pages.has(50, 100), pages.has(200, 900)]).toEqual([true, false, false]);
    pages.want(200, 900);
    await settle();
    expect(pages.has(200, 900)).toBe(true);
  });

  it("does not ask beyond the end", async () => {
    const s = source(150);
    const pages = new Pages<number>(s.fetch, () => {}, 100);
    pages.want(0, 0);
    await settle();
    pages.want(100, 5000);
    await settle();
    expect(s.calls).toEqual([[0, 100], [100, 100]]);
    expect(pages.get(149)).toBe(149);
    expect(pages.get(150)).toBeUndefined();
  });

  it("drops the least recently used page", async () => {
    const s = source(1000);
    const pages = new Pages<number>(s.fetch, () => {}, 100, 2);
    for (const row of [0, 100, 0, 200]) {
      pages.want(row, row);
      await settle();
    }
    expect(pages.get(0)).toBe(0);
    expect(pages.get(100)).toBeUndefined();
  });

  it("forgets answers to a question that has changed", async () => {
    let changed = 0;
    const pages = new Pages<number>(async () => ({ total: 5, rows: [1, 1, 1, 1, 1] }), () => changed++);
    pages.want(0, 4);
    pages.reset(async () => ({ total: 3, rows: [2, 2, 2] }));
    pages.want(0, 4);
    await settle();
    expect(pages.total).toBe(3);
    expect(pages.get(0)).toBe(2);
    expect(changed).toBe(1);
  });

  it("reports failures and can ask again", async () => {
    let fail = true;
    const errors: (Error | undefined)[] = [];
    const pages = new Pages<number>(async () => {
      if (fail) throw new Error("gone");
      return { total: 1, rows: [7] };
    }, (e) => errors.push(e));
    pages.want(0, 0);
    await settle();
    fail = false;
    pages.want(0, 0);
    await settle();
    expect(errors.map((e) => e?.message)).toEqual(["gone", undefined]);
    expect(pages.get(0)).toBe(7);
  });

  it("gathers a range over pages, no more than asked for", async () => {
    const s = source(1000);
    const pages = new Pages<number>(s.fetch, () => {}, 100);
    expect(await pages.range(95, 104, 1000)).toEqual([95, 96, 97, 98, 99, 100, 101, 102, 103, 104]);
    expect(await pages.range(0, 999, 3)).toEqual([0, 1, 2]);
  });
});

describe("Scroll", () => {
  it("is one to one while the table fits a browser", () => {
    const s = new Scroll(1000, 22, 300);
    expect(s.height).toBe(22_000);
    expect(s.row(220)).toBe(10);
    expect(s.top(10)).toBe(220);
  });
  it("reaches the first and the last row of ten million", () => {
    const s = new Scroll(1e7, 22, 300);
    expect(s.height).toBe(maxHeight);
    expect(s.row(0)).toBe(0);
    expect(s.row(maxHeight - 300) + 300 / 22).toBeCloseTo(1e7);
    for (const row of [0, 17, 123_456, 9_000_000]) expect(s.row(s.top(row))).toBeCloseTo(row, 3);
  });
  it("scrolls no more than is needed to see a row", () => {
    const s = new Scroll(100, 20, 200);
    expect(s.reveal(5, 0)).toBeNull();
    expect(s.reveal(10, 0)).toBe(20);
    expect(s.reveal(2, 100)).toBe(40);
  });
});
