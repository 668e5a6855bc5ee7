// Paints layers into a bitmap: rectangles by coverage, all else by the canvas.
import { boxesOf } from "./boxes";
import { mergeLayers, mergeRects, type MergedLayer, type Piece } from "./merge";
import { borrowPixels, fillColumns, paintBoxes, straighten, type Pixels } from "./raster";
import { hasStrokes, paintStrokes, type Style } from "./strokes";

export interface Sheet {
  width: number; // device px
  height: number;
  style: Style;
  own: boolean; // an axis of its own: one piece, not cut into tiles
}

/** Paints pieces on paper-coloured ground where there are pieces, nothing elsewhere. */
export function paintPieces(pieces: Piece[], sheet: Sheet): ImageBitmap {
  const canvas = new OffscreenCanvas(sheet.width, sheet.height);
  const buffer = new Buffer(canvas.getContext("2d")!, sheet);
  const paper = rgbOf(sheet.style.paper);
  for (const p of pieces) fillColumns(buffer.pixels(), Math.round(p.clip0), Math.round(p.clip1), paper);
  for (const layer of mergeLayers(pieces)) paintLayer(buffer, layer, sheet);
  buffer.flush();
  return canvas.transferToImageBitmap();
}

function rgbOf(hex: string): [number, number, number] {
  const v = /^#[0-9a-f]{6}$/i.test(hex) ? parseInt(hex.slice(1), 16) : 0xffffff;
  return [v >> 16, (v >> 8) & 255, v & 255];
}

function paintLayer(buffer: Buffer, layer: MergedLayer, sheet: Sheet): void {
  for (const group of mergeRects(layer)) paintBoxes(buffer.pixels(), boxesOf(group, sheet.style.dpr, sheet.own));
  if (!layer.parts.some((p) => hasStrokes(p.item))) return;
  buffer.flush();
  paintStrokes(buffer.context, layer.parts, sheet.style);
}

/** Gathers rectangles of consecutive layers until something else is to be drawn. */
class Buffer {
  readonly context: OffscreenCanvasRenderingContext2D;
  readonly #sheet: Sheet;
  #pixels: Pixels | null = null;
  #first = true;

  constructor(context: OffscreenCanvasRenderingContext2D, sheet: Sheet) {
    this.context = context;
    this.#sheet = sheet;
  }

  pixels(): Pixels {
    return (this.#pixels ??= borrowPixels(this.#sheet.width, this.#sheet.height));
  }

  flush(): void {
    if (!this.#pixels) return;
    const { width, height } = this.#sheet;
    straighten(this.#pixels);
    const image = new ImageData(this.#pixels.data, width, height);
    if (this.#first) this.context.putImageData(image, 0, 0);
    else this.#over(image);
    this.#first = false;
    this.#pixels = null;
  }

  // Pixels replace what is there; a canvas lies over it.
  #over(image: ImageData): void {
    const layer = new OffscreenCanvas(image.width, image.height);
    layer.getContext("2d")!.putImageData(image, 0, 0);
    this.context.drawImage(layer, 0, 0);
    layer.width = 0;
  }
}
