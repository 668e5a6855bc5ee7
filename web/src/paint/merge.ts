// Tiles side by side are painted as one picture: their layers and groups of
// rectangles are matched, so that a pixel that two tiles share is summed up once.
import type { Layer, RectGroup, Tile } from "./tile";

/** A tile and where it lies: x device px = at + X·scale, shown from clip0 to clip1. */
export interface Piece {
  tile: Tile;
  at: number; // device px of the tile's left edge
  scale: number; // device px per 1/64 px of the tile
  yScale: number; // device px per 1/16 px
  clip0: number; // device px
  clip1: number;
}

export interface Part<T> { piece: Piece; item: T }
export interface MergedLayer { name: string; parts: Part<Layer>[] }

export function mergeLayers(pieces: Piece[]): MergedLayer[] {
  const merged = mergeBy(pieces.map((piece) => piece.tile.layers.map((item) => ({ piece, item }))), (l) => l.name);
  return merged.map((parts) => ({ name: parts[0]!.item.name, parts }));
}

export function mergeRects(layer: MergedLayer): Part<RectGroup>[][] {
  const lists = layer.parts.map(({ piece, item }) => item.rects.map((g) => ({ piece, item: g })));
  return mergeBy(lists, (g) => `${g.edges}/${g.minWidth}/${g.hatch}`);
}

/** Matches the items of several lists by key (and by how often it came before), keeping the order of each list where they agree. */
function mergeBy<T>(lists: Part<T>[][], keyOf: (item: T) => string): Part<T>[][] {
  const order: string[] = [];
  const groups = new Map<string, Part<T>[]>();
  for (const list of lists) {
    const seen = new Map<string, number>();
    let after = -1;
    for (const part of list) {
      const k = keyOf(part.item), nth = seen.get(k) ?? 0;
      seen.set(k, nth + 1);
      const key = `${k}#${nth}`;
      const group = groups.get(key);
      if (group) {
        group.push(part);
        after = order.indexOf(key);
      } else {
        groups.set(key, [part]);
        order.splice(++after, 0, key);
      }
    }
  }
  return order.map((key) => groups.get(key)!);
}
