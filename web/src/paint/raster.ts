// Rectangles onto pixels by exact coverage: a pixel gets as much of a colour as
// the rectangle covers of it. Rectangles that abut are summed up first, so that
// shares of a pixel add up to the whole and nothing shines through their seams.
import { Edges, type Rgba } from "./tile";

/** Rectangles in device pixels, with their colours. */
export interface Boxes {
  n: number;
  x0: Float64Array; y0: Float64Array; x1: Float64Array; y1: Float64Array;
  color: Uint32Array; // RGBA
  edges: Edges;
  hatch: Rgba;
  scale: number; // device px per px, of the hatch
}

/** A picture in premultiplied RGBA, 0…255. */
export interface Pixels { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> }

const BAND_BYTES = 4 << 20; // of the sums: 16 bytes a pixel

export function newPixels(width: number, height: number): Pixels {
  return { width, height, data: new Uint8ClampedArray(width * height * 4) };
}

// Pictures are painted one after the other: their memory is used again.
let kept = new ArrayBuffer(0);

/** Empty pixels that are valid until the next call. */
export function borrowPixels(width: number, height: number): Pixels {
  const bytes = width * height * 4;
  if (kept.byteLength < bytes || kept.byteLength > 8 * bytes + (1 << 22)) kept = new ArrayBuffer(bytes);
  const data = new Uint8ClampedArray(kept, 0, bytes);
  data.fill(0);
  return { width, height, data };
}

/** Fills columns [x0, x1) with an opaque colour. */
export function fillColumns(p: Pixels, x0: number, x1: number, [r, g, b]: [number, number, number]): void {
  const from = Math.max(0, x0), to = Math.min(p.width, x1);
  for (let y = 0; y < p.height; y++)
    for (let x = from, at = 4 * (y * p.width + from); x < to; x++, at += 4) {
      p.data[at] = r;
      p.data[at + 1] = g;
      p.data[at + 2] = b;
      p.data[at + 3] = 255;
    }
}

/** Paints boxes over what is there. */
export function paintBoxes(p: Pixels, boxes: Boxes): void {
  if (boxes.n === 0) return;
  if (boxes.edges === Edges.Blend) blend(p, boxes);
  else abut(p, boxes);
  if ((boxes.hatch & 255) !== 0) hatch(p, boxes);
}

function blend(p: Pixels, b: Boxes): void {
  for (let i = 0; i < b.n; i++) {
    const x0 = Math.max(0, b.x0[i]!), x1 = Math.min(p.width, b.x1[i]!);
    const y0 = Math.max(0, b.y0[i]!), y1 = Math.min(p.height, b.y1[i]!);
    if (!(x1 > x0 && y1 > y0)) continue;
    const yEnd = Math.ceil(y1), xEnd = Math.ceil(x1);
    for (let y = Math.floor(y0); y < yEnd; y++) {
      const cy = Math.min(y1, y + 1) - Math.max(y0, y);
      for (let x = Math.floor(x0); x < xEnd; x++) {
        const cover = cy * (Math.min(x1, x + 1) - Math.max(x0, x));
        over(p.data, 4 * (y * p.width + x), b.color[i]!, cover);
      }
    }
  }
}

function over(data: Uint8ClampedArray, at: number, color: Rgba, cover: number): void {
  const a = ((color & 255) / 255) * cover, rest = 1 - a;
  data[at] = (color >>> 24) * a + data[at]! * rest;
  data[at + 1] = ((color >>> 16) & 255) * a + data[at + 1]! * rest;
  data[at + 2] = ((color >>> 8) & 255) * a + data[at + 2]! * rest;
  data[at + 3] = 255 * a + data[at + 3]! * rest;
}

let keptSums = new Float32Array(0);

// Bands of rows keep the sums small, whatever the size of the picture.
function abut(p: Pixels, b: Boxes): void {
  const rows = Math.max(1, Math.min(p.height, Math.floor(BAND_BYTES / (16 * p.width))));
  const need = 4 * p.width * rows;
  if (keptSums.length < need) keptSums = new Float32Array(need);
  const sums = keptSums.subarray(0, need);
  sums.fill(0);
  for (let top = 0; top < p.height; top += rows) {
    const bottom = Math.min(p.height, top + rows);
    if (!addUp(sums, p.width, top, bottom, b)) continue;
    settle(p, sums, top, bottom);
    sums.fill(0);
  }
}

function addUp(sums: Float32Array, width: number, top: number, bottom: number, b: Boxes): boolean {
  let any = false;
  for (let i = 0; i < b.n; i++) {
    const y0 = Math.max(top, b.y0[i]!), y1 = Math.min(bottom, b.y1[i]!);
    const x0 = Math.max(0, b.x0[i]!), x1 = Math.min(width, b.x1[i]!);
    if (!(x1 > x0 && y1 > y0)) continue;
    any = true;
    const c = b.color[i]!, a = (c & 255) / 255;
    const cr = (c >>> 24) * a, cg = ((c >>> 16) & 255) * a, cb = ((c >>> 8) & 255) * a, ca = 255 * a;
    const first = Math.floor(x0), last = Math.ceil(x1) - 1;
    const head = Math.min(x1, first + 1) - x0, tail = x1 - last;
    for (let y = Math.floor(y0); y < y1; y++) {
      const cy = Math.min(y1, y + 1) - Math.max(y0, y);
      let at = 4 * ((y - top) * width + first);
      for (let x = first; x <= last; x++, at += 4) {
        const cover = x === first ? cy * head : x === last ? cy * tail : cy;
        sums[at]! += cr * cover;
        sums[at + 1]! += cg * cover;
        sums[at + 2]! += cb * cover;
        sums[at + 3]! += ca * cover;
      }
    }
  }
  return any;
}

// Widened rectangles may overlap: more than the whole is scaled down to it.
function settle(p: Pixels, sums: Float32Array, top: number, bottom: number): void {
  const data = p.data, base = 4 * p.width * top, n = 4 * p.width * (bottom - top);
  for (let i = 0; i < n; i += 4) {
    let a = sums[i + 3]!;
    if (a === 0) continue;
    const at = base + i, scale = a > 255 ? 255 / a : 1;
    a *= scale;
    const rest = a > 254.99 ? 0 : 1 - a / 255;
    data[at] = sums[i]! * scale + data[at]! * rest;
    data[at + 1] = sums[i + 1]! * scale + data[at + 1]! * rest;
    data[at + 2] = sums[i + 2]! * scale + data[at + 2]! * rest;
    data[at + 3] = a + data[at + 3]! * rest;
  }
}

const HATCH_GAP = 5; // px between slanted lines
const HATCH_WIDTH = 0.9; // px along x

// Lines run through the whole picture, so that neighbours continue each other.
function hatch(p: Pixels, b: Boxes): void {
  const gap = HATCH_GAP * b.scale, width = HATCH_WIDTH * b.scale;
  for (let i = 0; i < b.n; i++) {
    const x0 = Math.max(0, b.x0[i]!), x1 = Math.min(p.width, b.x1[i]!);
    const y0 = Math.max(0, Math.round(b.y0[i]!)), y1 = Math.min(p.height, Math.round(b.y1[i]!));
    if (x1 - x0 < 1) continue;
    for (let y = y0; y < y1; y++)
      for (let x = Math.ceil(x0); x < Math.floor(x1); x++) {
        const phase = (x + y) % gap;
        const cover = Math.max(0, Math.min(1, width - phase)) ;
        if (cover > 0) over(p.data, 4 * (y * p.width + x), b.hatch, cover);
      }
  }
}

/** Makes alpha straight, as ImageData wants it, in place. */
export function straighten(p: Pixels): void {
  const d = p.data;
  for (let i = 0; i < d.length; i += 4) {
    const a = d[i + 3]!;
    if (a === 0 || a === 255) continue;
    d[i] = (d[i]! * 255) / a;
    d[i + 1] = (d[i + 1]! * 255) / a;
    d[i + 2] = (d[i + 2]! * 255) / a;
  }
}
