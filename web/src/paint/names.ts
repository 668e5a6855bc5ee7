// Names inside boxes. A box that reaches over several tiles has its name in each
// of them, in the middle of what the tile shows: here it gets one again.
import type { Part, Piece } from "./merge";
import { TILE_WIDTH, X_UNIT, type Layer, type Text } from "./tile";

/** Where a text stands and the room that it has, device px; room 0: any. */
export interface Name { text: Text; piece: Piece; x: number; y: number; room: number }

interface Box { name: Name; from: number; to: number; begins: boolean; ends: boolean } // inside its tile, or beyond

/** The texts of a layer; view: what is seen of the picture, device px. */
export function namesOf(parts: Part<Layer>[], view: { x0: number; x1: number }): Name[] {
  const out: Name[] = [], cut = new Map<string, Box[]>();
  for (const { piece, item } of parts)
    for (const text of item.texts) {
      const x = piece.at + text.x * piece.scale, y = text.y * piece.yScale, room = text.room * piece.scale;
      const name: Name = { text, piece, x, y, room }, box = boxOf(name);
      if (!box) out.push(name);
      else cut.set(keyOf(name), [...(cut.get(keyOf(name)) ?? []), box]);
    }
  for (const boxes of cut.values()) out.push(...joined(boxes).flatMap((b) => spread(b, view)));
  return out;
}

function keyOf({ text, y }: Name): string {
  return `${text.s}@${Math.round(y)}`;
}

// The box of a name in the middle of it, if it reaches an edge of its tile: tiles
// are drawn a little beyond their edges.
function boxOf(n: Name): Box | null {
  const { piece, room } = n, near = 2 * piece.scale;
  if (n.text.anchor !== 1 || n.text.rotate !== 0 || room === 0) return null;
  const end = piece.at + TILE_WIDTH * X_UNIT * piece.scale, from = n.x - room / 2, to = n.x + room / 2;
  const begins = from > piece.at + near, ends = to < end - near;
  return begins && ends ? null : { name: n, from, to, begins, ends };
}

function joined(boxes: Box[]): Box[] {
  const out: Box[] = [];
  for (const b of boxes.sort((p, q) => p.from - q.from)) {
    const last = out.at(-1);
    // Boxes that follow each other touch; parts of one overlap.
    if (last && !last.ends && !b.begins && b.from < last.to - 1) out[out.length - 1] = b.to > last.to + 1 ? { ...last, to: b.to, ends: b.ends } : { ...last, ends: last.ends || b.ends };
    else out.push(b);
  }
  return out;
}

// The middle of what is seen of it, and again where moving by a window leads to.
function spread({ name, from, to }: Box, view: { x0: number; x1: number }): Name[] {
  const width = Math.max(1, view.x1 - view.x0), out: Name[] = [];
  const first = Math.floor((from - view.x0) / width), last = Math.floor((to - 1e-6 - view.x0) / width);
  for (let k = first; k <= last; k++) {
    const a = Math.max(from, view.x0 + k * width), b = Math.min(to, view.x0 + (k + 1) * width);
    out.push({ ...name, x: Math.round((a + b) / 2), room: b - a }); // tiles round differently
  }
  return out;
}
