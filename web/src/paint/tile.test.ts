import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decodeTile } from "./tile";
import { Writer } from "./testing";

const fixtures = fileURLToPath(new URL("../../../show/serve/testdata/tiles/", import.meta.url));
const tiles = readdirSync(fixtures).filter((f) => f.endsWith(".tile"));

interface ExpectedRects { colors: number[][]; minWidth: number; edges: number; x0: number[]; x1: number[]; y: number[]; h: number[]; color: number[] }
interface Expected { layers: { name: string; rects: ExpectedRects[]; lines: unknown[]; texts: unknown[] }[] }

describe("tiles of the server", () => {
  it("are there", () => expect(tiles.length).toBeGreaterThan(0));
  for (const name of tiles) {
    it(`${name} is read`, () => {
      const tile = decodeTile(readFileSync(fixtures + name));
      const want = JSON.parse(readFileSync(fixtures + name.replace(".tile", ".json"), "utf8")) as Expected;
      expect(tile.layers.map((l) => l.name)).toEqual(want.layers.map((l) => l.name));
      tile.layers.forEach((l, k) => {
        const w = want.layers[k]!;
        expect([l.rects.length, l.lines.length, l.texts.length]).toEqual([w.rects.length, w.lines.length, w.texts.length]);
        l.rects.forEach((g, j) => {
          const r = w.rects[j]!;
          expect([[...g.x0], [...g.x1], [...g.y0], [...g.color], g.edges]).toEqual([r.x0, r.x1, r.y, r.color, r.edges]);
          expect([...g.y1].map((y1, i) => y1 - g.y0[i]!)).toEqual(r.h);
          expect([...g.colors]).toEqual(r.colors.map(([cr, cg, cb, ca]) => ((cr! << 24) | (cg! << 16) | (cb! << 8) | ca!) >>> 0));
        });
      });
    });
    it(`${name} cut anywhere is an error, not a hang or a wrong tile`, () => {
      const data = new Uint8Array(readFileSync(fixtures + name));
      for (let n = 0; n < data.length; n += Math.max(1, data.length >> 9)) expect(() => decodeTile(data.subarray(0, n))).toThrow(/tile/);
    });
  }
});

describe("a tile written by hand", () => {
  const write = () => {
    const w = new Writer().raw("DST1").u(1).string("st").u(1).u(0);
    w.u(1).u(2).color(0x112233ff).color(0x445566ff).color(0).u(64).u(1).u(2); // palette, hatch, width, edges, n
    w.s(10).s(20).u(5).u(0).s(48).s(-8).u(16).u(8).u(1).u(0); // x0, width, y+h, h, colour
    return w.u(0).u(0).u(0).u(0); // areas, lines, arrows, texts
  };

  it("has the rectangles that were written", () => {
    const g = decodeTile(write().bytes()).layers[0]!.rects[0]!;
    expect([...g.x0]).toEqual([10, 30]);
    expect([...g.x1]).toEqual([15, 30]);
    expect([...g.y0]).toEqual([32, 16]); // the second ends 8 above where the first begins
    expect([...g.y1]).toEqual([48, 24]);
    expect([...g.color]).toEqual([1, 0]);
    expect(g.minWidth).toBe(1);
  });

  it("with bytes after its end is an error", () => expect(() => decodeTile(write().u(0).bytes())).toThrow(/after its end/));
  it("of another format is an error", () => expect(() => decodeTile(new Uint8Array([60, 104, 116, 109]))).toThrow(/DST1/));
  it("with a count beyond its bytes is an error", () => expect(() => decodeTile(new Writer().raw("DST1").u(2 ** 40).bytes())).toThrow(/cannot be in/));
  it("with a number that never ends is an error", () => expect(() => decodeTile(new Writer().raw("DST1").raw("\xff".repeat(12)).bytes())).toThrow(/53 bits/));
});

it("hostile bytes are an error or a tile, never more memory than they can fill", () => {
  let seed = 7;
  const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
  const good = tiles.map((t) => new Uint8Array(readFileSync(fixtures + t)));
  for (let round = 0; round < 300; round++) {
    const data = good[round % good.length]!.slice();
    for (let k = 0; k < 4; k++) data[4 + Math.floor(random() * (data.length - 4))] = Math.floor(random() * 256);
    try {
      expect(decodeTile(data).bytes).toBeLessThan(data.length * 40 + 1024);
    } catch (err) {
      expect((err as Error).message).toMatch(/tile/);
    }
  }
});
