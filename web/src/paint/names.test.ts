import { expect, it } from "vitest";
import type { Part, Piece } from "./merge";
import { namesOf } from "./names";
import { TILE_WIDTH, X_UNIT, type Layer, type Text } from "./tile";

const tile = TILE_WIDTH * X_UNIT;

// Tile i, a device px for each of its columns, with names in the middle of spans (columns of the tile).
function part(i: number, ...spans: [s: string, from: number, to: number][]): Part<Layer> {
  const piece = { at: i * TILE_WIDTH, scale: 1 / X_UNIT, yScale: 1 } as Piece;
  const texts = spans.map(([s, from, to]) => ({ s, x: ((from + to) / 2) * X_UNIT, y: 8, room: (to - from) * X_UNIT, anchor: 1, rotate: 0 }) as Text);
  return { piece, item: { texts } as Layer };
}

const view = { x0: 0, x1: 4 * TILE_WIDTH };
const places = (parts: Part<Layer>[], v = view) => namesOf(parts, v).map((n) => [n.text.s, n.x, n.room]);

it("a box over several tiles has one name, in the middle of what is seen", () => {
  expect(tile).toBe(16384);
  const box = [part(0, ["TRSM", 56, 260]), part(1, ["TRSM", -4, 260]), part(2, ["TRSM", -4, 100])];
  expect(places(box)).toEqual([["TRSM", (56 + 612) / 2, 556]]);
  expect(places(box, { x0: 0, x1: 300 })).toEqual([["TRSM", 178, 244], ["TRSM", 450, 300], ["TRSM", 606, 12]]);
});

it("boxes that end inside tiles, other kinds and boxes apart keep their names", () => {
  expect(places([part(0, ["A", 10, 50], ["A", 60, 260]), part(1, ["A", -196, 4], ["A", 4, 300]), part(2, ["A", -252, 44], ["B", -9, 90])])).toEqual([
    ["A", 30, 40], ["A", 160, 200], ["A", 408, 296], ["B", 553, 99]]);
});
