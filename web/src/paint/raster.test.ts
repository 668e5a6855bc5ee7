import { describe, expect, it } from "vitest";
import { mergeLayers, mergeRects, type Piece } from "./merge";
import { boxesOf } from "./boxes";
import { newPixels, paintBoxes, straighten, type Boxes } from "./raster";
import { random } from "./testing";
import { Edges, type Layer, type RectGroup } from "./tile";

function boxes(list: [number, number, number, number, number][], edges: Edges, hatch = 0): Boxes {
  const col = (i: number) => Float64Array.from(list, (r) => r[i]!);
  return { n: list.length, x0: col(0), y0: col(1), x1: col(2), y1: col(3), color: Uint32Array.from(list, (r) => r[4]!), edges, hatch, scale: 1 };
}

const cover = (x: number, a: number, b: number) => Math.max(0, Math.min(b, x + 1) - Math.max(a, x));

/** Pixel by pixel, box by box: premultiplied sums, painted over nothing. */
function naive(list: [number, number, number, number, number][], w: number, h: number): number[] {
  const out: number[] = [];
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++) {
      const sum = [0, 0, 0, 0];
      for (const [x0, y0, x1, y1, c] of list) {
        const share = cover(x, x0, x1) * cover(y, y0, y1) * ((c & 255) / 255);
        [c >>> 24, (c >>> 16) & 255, (c >>> 8) & 255, 255].forEach((v, i) => (sum[i]! += v * share));
      }
      const scale = sum[3]! > 255 ? 255 / sum[3]! : 1;
      out.push(...sum.map((v) => v * scale));
    }
  return out;
}

describe("rectangles that abut", () => {
  it("are as the naive sum of coverage has them, in bands of any height", () => {
    const r = random(1);
    for (let round = 0; round < 40; round++) {
      const w = 1 + Math.floor(r() * 40), h = 1 + Math.floor(r() * 30);
      const list = Array.from({ length: 1 + Math.floor(r() * 30) }, (): [number, number, number, number, number] => {
        const x = r() * (w + 4) - 2, y = r() * (h + 4) - 2;
        return [x, y, x + r() * (r() < 0.5 ? 2 : w), y + r() * h, ((r() * 2 ** 32) | 255) >>> 0];
      });
      const p = newPixels(w, h);
      paintBoxes(p, boxes(list, Edges.Abut));
      naive(list, w, h).forEach((v, i) => expect(Math.abs(p.data[i]! - v)).toBeLessThan(1.01));
    }
  });

  it("leave no seam: shares of one pixel make a whole", () => {
    const cuts = [0, 0.13, 0.2, 0.9, 1.4, 1.41, 2.77, 4], p = newPixels(4, 1);
    const list = cuts.slice(1).map((x1, i): [number, number, number, number, number] => [cuts[i]!, 0, x1, 1, 0x3366ccff]);
    paintBoxes(p, boxes([[0, 0, 4, 1, 0xffffffff]], Edges.Abut));
    paintBoxes(p, boxes(list, Edges.Crisp));
    for (let i = 0; i < 16; i += 4) expect([...p.data.slice(i, i + 4)]).toEqual([0x33, 0x66, 0xcc, 255]);
  });

  it("keep the sum of their colour where they are narrow", () => {
    const p = newPixels(1, 1);
    paintBoxes(p, boxes([[0, 0, 0.25, 1, 0xff0000ff], [0.25, 0, 1, 1, 0x0000ffff]], Edges.Abut));
    expect([...p.data]).toEqual([64, 0, 191, 255]);
  });
});

it("other rectangles lie over each other", () => {
  const p = newPixels(2, 1);
  paintBoxes(p, boxes([[0, 0, 2, 1, 0xff0000ff], [0.5, 0, 2, 1, 0x0000ffff]], Edges.Blend));
  expect([...p.data]).toEqual([128, 0, 128, 255, 0, 0, 255, 255]);
});

it("hatching leaves the fill between its lines", () => {
  const p = newPixels(20, 20);
  paintBoxes(p, boxes([[0, 0, 20, 20, 0xffffffff]], Edges.Abut, 0x000000ff));
  const dark = p.data.filter((v, i) => i % 4 === 0 && v < 128).length;
  expect(dark).toBeGreaterThan(40);
  expect(dark).toBeLessThan(160);
});

it("alpha is straight again for the canvas", () => {
  const p = newPixels(1, 1);
  paintBoxes(p, boxes([[0, 0, 0.5, 1, 0xc86432ff]], Edges.Abut));
  straighten(p);
  expect(Math.abs(p.data[0]! - 0xc8)).toBeLessThan(3);
  expect(Math.abs(p.data[3]! - 128)).toBeLessThan(2);
});

// --- tiles beside each other

function group(list: [number, number][], edges: Edges, minWidth = 0): RectGroup {
  const n = list.length;
  return {
    colors: Uint32Array.of(0x3366ccff), hatch: 0, minWidth, edges, n, color: new Uint16Array(n),
    x0: Int32Array.from(list, (r) => r[0]), x1: Int32Array.from(list, (r) => r[1]), y0: new Int32Array(n), y1: new Int32Array(n).fill(16),
  };
}

function piece(at: number, scale: number, ...layers: [string, RectGroup[]][]): Piece {
  const made = layers.map(([name, rects]): Layer => ({ name, rects, areas: [], lines: [], arrows: [], texts: [] }));
  return { tile: { layers: made, bytes: 0 }, at, scale, yScale: 1 / 16, clip0: at, clip1: at + 256 * 64 * scale };
}

describe("tiles beside each other", () => {
  for (const edges of [Edges.Abut, Edges.Crisp, Edges.Blend])
    it(`leave no seam in a pixel that they share (edges ${edges})`, () => {
      const scale = 0.7131 / 64, at = -3.3, whole = group([[0, 256 * 64]], edges);
      const pieces = [piece(at, scale, ["a", [whole]]), piece(at + 256 * 64 * scale, scale, ["a", [whole]])];
      const p = newPixels(300, 1), layers = mergeLayers(pieces);
      expect(layers).toHaveLength(1);
      for (const g of mergeRects(layers[0]!)) paintBoxes(p, boxesOf(g, 1));
      for (let i = 0; i < 300 * 4; i += 4) expect([...p.data.slice(i, i + 4)]).toEqual([0x33, 0x66, 0xcc, 255]);
    });

  it("merge their layers in order, whichever is missing in one", () => {
    const g = () => [group([], Edges.Abut)];
    const merged = mergeLayers([piece(0, 1, ["b", g()], ["d", g()]), piece(1, 1, ["a", g()], ["b", g()], ["c", g()], ["d", g()])]);
    expect(merged.map((l) => l.name)).toEqual(["a", "b", "c", "d"]);
    expect(merged.map((l) => l.parts.length)).toEqual([1, 2, 1, 2]);
  });

  it("keep what is narrower than its least width visible", () => {
    const b = boxesOf([{ piece: piece(0, 1 / 64), item: group([[640, 641]], Edges.Abut, 1.5) }], 2);
    expect(b.x1[0]! - b.x0[0]!).toBeCloseTo(3);
    expect((b.x0[0]! + b.x1[0]!) / 2).toBeCloseTo(10, 1);
  });
});
