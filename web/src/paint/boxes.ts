// Groups of rectangles of several tiles as boxes in device pixels.
import type { Part, Piece } from "./merge";
import type { Boxes } from "./raster";
import { Edges, TILE_WIDTH, X_UNIT, type RectGroup } from "./tile";

const RIGHT = TILE_WIDTH * X_UNIT;

/** own: the drawing has an axis of its own and is not cut into tiles. */
export function boxesOf(group: Part<RectGroup>[], dpr: number, own = false): Boxes {
  let room = 0;
  for (const { item } of group) room += item.n;
  const first = group[0]!.item;
  const b: Boxes = {
    n: 0, x0: new Float64Array(room), y0: new Float64Array(room), x1: new Float64Array(room), y1: new Float64Array(room),
    color: new Uint32Array(room), edges: first.edges, hatch: first.hatch, scale: dpr,
  };
  for (const { piece, item } of group) append(b, piece, item, first.minWidth * dpr, own);
  return b;
}

function append(b: Boxes, p: Piece, g: RectGroup, minWidth: number, own: boolean): void {
  const snap = g.edges === Edges.Blend && !own; // no seam where a tile cuts a rectangle
  const clip0 = snap ? Math.round(p.clip0) : p.clip0, clip1 = snap ? Math.round(p.clip1) : p.clip1;
  for (let i = 0; i < g.n; i++) {
    const left = g.x0[i]!, right = g.x1[i]!;
    let x0 = p.at + left * p.scale, x1 = p.at + right * p.scale;
    if (snap && left <= 0) x0 = Math.round(p.at);
    if (snap && right >= RIGHT) x1 = Math.round(p.at + RIGHT * p.scale);
    x0 = Math.max(clip0, x0);
    x1 = Math.min(clip1, x1);
    if (x1 < x0) continue;
    if (x1 - x0 < minWidth) {
      const mid = (x0 + x1) / 2;
      x0 = mid - minWidth / 2;
      x1 = mid + minWidth / 2;
    }
    const n = b.n++;
    b.x0[n] = x0;
    b.x1[n] = x1;
    b.y0[n] = g.y0[i]! * p.yScale;
    b.y1[n] = g.y1[i]! * p.yScale;
    b.color[n] = g.colors[g.color[i]!]!;
  }
}
