// Paints layers into a bitmap: rectangles by coverage, all else by the canvas.
import { boxesOf } from "./boxes";
import { mergeLayers, mergeRects, type MergedLayer, type Piece } from "./merge";
import { newPixels, paintBoxes, straight, type Pixels } from "./raster";
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
  const g = canvas.getContext("2d")!;
  ground(g, pieces, sheet);
  const buffer = new Buffer(g, sheet);
  for (const layer of mergeLayers(pieces)) paintLayer(buffer, layer, sheet);
  buffer.flush();
  return canvas.transferToImageBitmap();
}

function ground(g: OffscreenCanvasRenderingContext2D, pieces: Piece[], sheet: Sheet): void {
  g.fillStyle = sheet.style.paper;
  for (const p of pieces) {
    const x0 = Math.round(p.clip0);
    g.fillRect(x0, 0, Math.round(p.clip1) - x0, sheet.height);
  }
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

  constructor(context: OffscreenCanvasRenderingContext2D, sheet: Sheet) {
    this.context = context;
    this.#sheet = sheet;
  }

  pixels(): Pixels {
    return (this.#pixels ??= newPixels(this.#sheet.width, this.#sheet.height));
  }

  flush(): void {
    if (!this.#pixels) return;
    const { width, height } = this.#sheet;
    const layer = new OffscreenCanvas(width, height);
    layer.getContext("2d")!.putImageData(new ImageData(straight(this.#pixels), width, height), 0, 0);
    this.context.drawImage(layer, 0, 0);
    this.#pixels = null;
  }
}
