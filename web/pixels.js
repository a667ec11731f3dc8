// SPDX-License-Identifier: Apache-2.0
// Rows of boxes as pixels in memory, copied to a canvas at once. A large tree has tens of thousands
// of boxes that are a few pixels wide; as a rectangle on a canvas, each would cost as much as a
// large one.

/** A colour 0xrrggbb as a pixel. @param {number} color */
const pixelOf = color =>
  (0xff000000 | ((color & 0xff) << 16) | (color & 0xff00) | (color >> 16)) >>> 0;

/** A mixture of two colours. @param {number} a @param {number} b @param {number} share of a */
export function mixed(a, b, share) {
  const channel = (/** @type {number} */ shift) =>
    Math.round(((a >> shift) & 255) * share + ((b >> shift) & 255) * (1 - share)) << shift;
  return channel(16) | channel(8) | channel(0);
}

/**
 * Gives a canvas this size on the page.
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height
 * @returns {number} its pixels for each of the page
 */
export function fitCanvas(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  const wide = Math.round(width * ratio);
  const high = Math.round(height * ratio);
  if (canvas.width === wide && canvas.height === high) return ratio;
  canvas.width = wide;
  canvas.height = high;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  return ratio;
}

export class Pixels {
  constructor() {
    /** @type {ImageData|null} */
    this.image = null;
    this.all = new Uint32Array(0);
    this.line = new Uint32Array(0);
    this.paper = 0;
    this.ratio = 1;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} ratio pixels of the canvas for each of the page
   * @param {string} paper #rrggbb, the colour where there is nothing
   */
  begin(context, ratio, paper) {
    const {width, height} = context.canvas;
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = context.createImageData(width, height);
      this.all = new Uint32Array(this.image.data.buffer);
      this.line = new Uint32Array(width);
    }
    this.ratio = ratio;
    this.paper = parseInt(paper.slice(1), 16);
    this.all.fill(pixelOf(this.paper));
    this.line.fill(pixelOf(this.paper));
  }

  /**
   * Adds a box to the row.
   * @param {number} left @param {number} size pixels of the page @param {number} color
   */
  box(left, size, color) {
    const {line, ratio} = this;
    const from = Math.max(Math.round(left * ratio), 0);
    const to = Math.min(Math.max(Math.round((left + size) * ratio), from + 1), line.length);
    const pixel = pixelOf(color);
    for (let i = from; i < to; ++i) line[i] = pixel;
    // Half a pixel separates boxes that are wide enough to be distinguished.
    if (size > 2 && to < line.length) line[to - 1] = pixelOf(mixed(color, this.paper, 0.5));
  }

  /** Ends the row. @param {number} top @param {number} height pixels of the page */
  endRow(top, height) {
    const {line, all, ratio} = this;
    const from = Math.max(Math.round(top * ratio), 0);
    const to = Math.min(Math.round((top + height) * ratio), all.length / line.length);
    for (let y = from; y < to; ++y) all.set(line, y * line.length);
    line.fill(pixelOf(this.paper));
  }

  /** @param {CanvasRenderingContext2D} context */
  end(context) {
    if (this.image) context.putImageData(this.image, 0, 0);
  }
}
