// SPDX-License-Identifier: Apache-2.0
// What a search found in the pictures of a view: one after the other, in each the widest first.

/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */

export class PictureMatches {
  /** @param {FlameCanvas[]} canvases @param {(canvas: FlameCanvas) => number[]} matchesOf */
  constructor(canvases, matchesOf) {
    this.canvases = canvases;
    /** Boxes, and how many of them are in the canvases up to and including each. */
    /** @type {number[]} */
    this.boxes = [];
    /** @type {number[]} */
    this.ends = [];
    for (const canvas of canvases) {
      const {tree} = canvas;
      const boxes = tree ? [...matchesOf(canvas)] : [];
      if (tree) boxes.sort((a, b) => tree.extent[b] - tree.extent[a] || a - b);
      this.boxes = this.boxes.concat(boxes);
      this.ends.push(this.boxes.length);
    }
  }

  get count() {
    return this.boxes.length;
  }

  /** @param {number} i */
  show(i) {
    this.canvases[this.ends.findIndex(end => i < end)].reveal(this.boxes[i]);
  }
}
