// SPDX-License-Identifier: Apache-2.0
// Rows of boxes as pixels in memory, copied to a canvas at once. A large tree has tens of thousands
// of boxes that are a few pixels wide; as a rectangle on a canvas, each would cost as much as a
// large one.

/** A colour 0xrrggbb as a pixel. @param {number} color */
const pixelOf = color =>
  (0xff000000 | ((color & 0xff) << 16) | (color & 0xff00) | (color >> 16)) >>> 0;

/** A mixture of two colours. @param {number} a @param {number} b @param {number} share of a */
export function mixed(a, b, share) {
  const rest = 1 - share;
  // The sums are positive, so half more is cut to the nearest.
  const red = ((a >> 16) & 255) * share + ((b >> 16) & 255) * rest + 0.5;
  const green = ((a >> 8) & 255) * share + ((b >> 8) & 255) * rest + 0.5;
  const blue = (a & 255) * share + (b & 255) * rest + 0.5;
  return (Math.floor(red) << 16) | (Math.floor(green) << 8) | Math.floor(blue);
}

/** A colour of the style sheet as a number. @param {string} color #rrggbb */
export const parsed = color => parseInt(color.slice(1), 16);

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
    this.paper = parsed(paper);
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

  /**
   * Adds what is narrower than a pixel to the row, where there is nothing wide.
   * @param {number} left @param {number} size pixels of the page @param {number} color
   */
  narrow(left, size, color) {
    const {line, ratio} = this;
    const from = Math.max(Math.round(left * ratio), 0);
    const to = Math.min(Math.round((left + size) * ratio), line.length);
    const pixel = pixelOf(color);
    const empty = pixelOf(this.paper);
    for (let i = from; i < to; ++i) if (line[i] === empty) line[i] = pixel;
  }

  /**
   * Draws a column of a track from the bottom up.
   * @param {number} x @param {number} top @param {number} height pixels of the page
   * @param {{columns: Float64Array, full: number, colors: number[]}} track how much of each colour
   *   each column has, and how much fills it
   */
  column(x, top, height, {columns, full, colors}) {
    const {all, line, ratio, paper} = this;
    const from = Math.round(x * ratio);
    const to = Math.min(Math.round((x + 1) * ratio), line.length);
    const kinds = colors.length;
    const rows = Math.round(height * ratio);
    const first = Math.round(top * ratio);
    const last = all.length / line.length;
    let k = 0;
    // Of the colour k, what is above the lower edge of the row.
    let left = (columns[x * kinds] / full) * rows;
    for (let row = rows - 1; row >= 0; --row) {
      let color = paper;
      let free = 1;
      while (free > 1e-6) {
        while (k < kinds && left < 1e-6) left = (columns[x * kinds + ++k] / full) * rows;
        if (k >= kinds) break;
        const part = Math.min(left, free);
        color = part === 1 ? colors[k] : mixed(colors[k], color, part / (1 - free + part));
        left -= part;
        free -= part;
      }
      if (free === 1) return;
      if (free > 1e-6) color = mixed(paper, color, free);
      const y = first + row;
      if (y < 0 || y >= last) continue;
      const pixel = pixelOf(color);
      for (let i = y * line.length + from; i < y * line.length + to; ++i) all[i] = pixel;
    }
  }

  /**
   * @param {number} x @param {number} y @param {number} width @param {number} height pixels of the
   *   page
   * @param {number} color
   */
  rect(x, y, width, height, color) {
    const {all, line, ratio} = this;
    const [from, to] = [x, x + width].map(at => Math.min(Math.round(at * ratio), line.length));
    const end = Math.min(Math.round((y + height) * ratio), all.length / line.length);
    for (let row = Math.max(Math.round(y * ratio), 0); row < end; ++row)
      all.fill(pixelOf(color), row * line.length + from, row * line.length + to);
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
