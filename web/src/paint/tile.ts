// The binary form of what a panel draws (format 1, "DST1"): columns of
// rectangles, areas, lines, arrows and texts, read with every bound checked.
// X is in 1/64 px of the tile, Y and H in 1/16 px from the top of the body.

export const TILE_WIDTH = 256; // columns of a tile
export const X_UNIT = 64;
export const Y_UNIT = 16;

export const enum Edges { Blend, Abut, Crisp }

export type Rgba = number; // 0xRRGGBBAA

export interface RectGroup {
  colors: Uint32Array;
  hatch: Rgba; // alpha 0: none
  minWidth: number; // px
  edges: Edges;
  n: number;
  x0: Int32Array; // 1/64 px
  x1: Int32Array;
  y0: Int32Array; // 1/16 px
  y1: Int32Array;
  color: Uint16Array; // index into colors
}
export interface Area { color: Rgba; step: boolean; n: number; x: Int32Array; y0: Int32Array; y1: Int32Array }
export interface Line { color: Rgba; width: number; step: boolean; dash: number[]; n: number; x: Int32Array; y: Int32Array }
export interface ArrowGroup { color: Rgba; width: number; head: number; n: number; x0: Int32Array; x1: Int32Array; y0: Int32Array; y1: Int32Array }
export interface Text {
  x: number; y: number; s: string; size: number; color: Rgba; bold: boolean;
  anchor: number; // 0 start, 1 middle, 2 end
  halo: boolean; on: Rgba; room: number; rotate: number; // room in 1/64 px, 0 any
}
export interface Layer { name: string; rects: RectGroup[]; areas: Area[]; lines: Line[]; arrows: ArrowGroup[]; texts: Text[] }
export interface Tile { layers: Layer[]; bytes: number } // bytes: memory it takes, about

/** Reads a tile; throws an Error that says where and why if it is cut or hostile. */
export function decodeTile(data: Uint8Array): Tile {
  const r = new Reader(data);
  if (data.length < 4 || String.fromCharCode(data[0]!, data[1]!, data[2]!, data[3]!) !== "DST1")
    throw new Error("tile does not begin with DST1: it is not a tile of format 1");
  r.at = 4;
  const strings = r.list("strings", 1, () => r.string());
  const layers = r.list("layers", 6, () => readLayer(r, strings));
  if (r.at !== data.length) throw new Error(`tile has ${data.length - r.at} bytes after its end`);
  return { layers, bytes: r.memory + 512 };
}

function readLayer(r: Reader, strings: string[]): Layer {
  const name = pick(strings, r.u(), "name of a layer");
  return {
    name,
    rects: r.list("groups of rectangles", 9, () => readRects(r)),
    areas: r.list("areas", 6, () => readArea(r)),
    lines: r.list("lines", 8, () => readLine(r)),
    arrows: r.list("groups of arrows", 7, () => readArrows(r)),
    texts: r.list("texts", 13, () => readText(r, strings)),
  };
}

function readRects(r: Reader): RectGroup {
  const palette = r.list("colours", 4, () => r.color());
  if (palette.length > 65536) throw r.error(`${palette.length} colours, at most 65536 are allowed`);
  const hatch = r.color(), minWidth = r.u() / X_UNIT, edges = r.u();
  if (edges > 2) throw r.error(`edges are ${edges}, want 0, 1 or 2`);
  const n = r.count("rectangles", 5);
  const x0 = r.deltas(n);
  const x1 = r.unsigned(n);
  const y1 = r.signed(n); // from the upper edge of the one before to the lower edge
  const y0 = r.unsigned(n); // heights
  let above = 0;
  for (let i = 0; i < n; i++) {
    x1[i]! += x0[i]!;
    y1[i]! += above;
    above = y0[i] = y1[i]! - y0[i]!;
  }
  return { colors: Uint32Array.from(palette), hatch, minWidth, edges, n, x0, x1, y0, y1, color: r.indices(n, palette.length) };
}

function readArea(r: Reader): Area {
  const color = r.color(), step = r.u() !== 0;
  const n = r.count("points of an area", 3);
  const x = r.deltas(n), y0 = r.deltas(n), y1 = r.signed(n);
  for (let i = 0; i < n; i++) y1[i]! += y0[i]!;
  return { color, step, n, x, y0, y1 };
}

function readLine(r: Reader): Line {
  const color = r.color(), width = r.u() / Y_UNIT, step = r.u() !== 0;
  const dash = r.list("dashes", 1, () => r.u() / Y_UNIT);
  const n = r.count("points of a line", 2);
  return { color, width, step, dash, n, x: r.deltas(n), y: r.deltas(n) };
}

function readArrows(r: Reader): ArrowGroup {
  const color = r.color(), width = r.u() / Y_UNIT, head = r.u() / Y_UNIT;
  const n = r.count("arrows", 4);
  const x0 = r.deltas(n), x1 = r.signed(n), y0 = r.deltas(n), y1 = r.signed(n);
  for (let i = 0; i < n; i++) {
    x1[i]! += x0[i]!;
    y1[i]! += y0[i]!;
  }
  return { color, width, head, n, x0, x1, y0, y1 };
}

function readText(r: Reader, strings: string[]): Text {
  const x = r.s(), y = r.s(), s = pick(strings, r.u(), "text"), size = r.u() / Y_UNIT, color = r.color();
  const flags = r.u(), on = r.color(), room = r.u(), rotate = r.s();
  return { x, y, s, size, color, bold: (flags & 1) !== 0, anchor: (flags >> 1) & 3, halo: (flags & 8) !== 0, on, room, rotate };
}

function pick(strings: string[], i: number, what: string): string {
  const s = strings[i];
  if (s === undefined) throw new Error(`tile: ${what} is string ${i}, there are ${strings.length}`);
  return s;
}

/** Reads numbers one after the other; `at` never passes the end. */
class Reader {
  at = 0;
  memory = 0;
  readonly #data: Uint8Array;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  error(what: string): Error {
    return new Error(`tile at byte ${this.at}: ${what}`);
  }

  /** An unsigned LEB128 number below 2^53. */
  u(): number {
    let value = 0, scale = 1;
    for (let i = 0; i < 8; i++) {
      const b = this.#data[this.at];
      if (b === undefined) throw this.error(`ends inside a number (${this.#data.length} bytes)`);
      this.at++;
      value += (b & 127) * scale;
      if (b < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw this.error("number is longer than 53 bits");
  }

  /** A zigzag LEB128 number. */
  s(): number {
    const v = this.u();
    return v % 2 === 0 ? v / 2 : -(v + 1) / 2;
  }

  /** How many entries follow, each of at least `least` bytes. */
  count(what: string, least: number): number {
    const n = this.u();
    if (n * least > this.#data.length - this.at)
      throw this.error(`${n} ${what} cannot be in the ${this.#data.length - this.at} bytes that are left`);
    return n;
  }

  list<T>(what: string, least: number, item: () => T): T[] {
    const n = this.count(what, least);
    const out: T[] = [];
    for (let i = 0; i < n; i++) out.push(item());
    this.memory += 16 * n;
    return out;
  }

  string(): string {
    const n = this.count("bytes of a string", 1);
    this.at += n;
    return new TextDecoder().decode(this.#data.subarray(this.at - n, this.at));
  }

  color(): Rgba {
    const d = this.#data, i = this.at;
    if (i + 4 > d.length) throw this.error("ends inside a colour");
    this.at += 4;
    return ((d[i]! << 24) | (d[i + 1]! << 16) | (d[i + 2]! << 8) | d[i + 3]!) >>> 0;
  }

  /** n differences, summed up. */
  deltas(n: number): Int32Array {
    const out = this.#column(n);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      sum += this.s();
      out[i] = this.#fit(sum);
    }
    return out;
  }

  signed(n: number): Int32Array {
    const out = this.#column(n);
    for (let i = 0; i < n; i++) out[i] = this.#fit(this.s());
    return out;
  }

  unsigned(n: number): Int32Array {
    const out = this.#column(n);
    for (let i = 0; i < n; i++) out[i] = this.#fit(this.u());
    return out;
  }

  indices(n: number, below: number): Uint16Array {
    const out = new Uint16Array(n);
    this.memory += 2 * n;
    for (let i = 0; i < n; i++) {
      const v = this.u();
      if (v >= below) throw this.error(`colour ${v}, there are ${below}`);
      out[i] = v;
    }
    return out;
  }

  #column(n: number): Int32Array {
    this.memory += 4 * n;
    return new Int32Array(n);
  }

  // Half of int32, so that sums of two columns fit as well.
  #fit(v: number): number {
    if (v > 0x3fffffff || v < -0x40000000) throw this.error(`coordinate ${v} is out of range`);
    return v;
  }
}
