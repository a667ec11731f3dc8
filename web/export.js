// SPDX-License-Identifier: Apache-2.0
// The current view as a file.
import {amount} from './numbers.js';
import {visibleBoxes} from './paint.js';

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./paint.js').Painter} Painter */

/** Characters that XML cannot hold become U+FFFD. @param {string} text */
const escaped = text => text
  // eslint-disable-next-line no-control-regex
  .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
  .replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/**
 * @param {Painter} painter @param {Tree} tree
 * @param {{window: [number, number], rootAtTop: boolean, width: number, title: string, count: string}} options
 */
export function toSvg(painter, tree, {window, rootAtTop, width, title, count}) {
  const row = painter.look.row, levels = tree.level.length - 1;
  const top = 30, height = top + levels * row + 10;
  const parts = [`<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="10" y="20" font-family="sans-serif" font-size="15">${escaped(title)}</text>
<g font-family="monospace" font-size="${painter.look.font}">
`];
  for (let depth = 0; depth < levels; ++depth) {
    const y = top + (rootAtTop ? depth : levels - 1 - depth) * row;
    visibleBoxes(tree, depth, window, width, 1, (box, left, size, few) => {
      const name = few ? painter.name(tree.shape.func[box]) : 'several';
      const tip = few ? `${name} (${amount(tree.total[box], tree.decimals)} ${count}, ${(100 * tree.total[box] / tree.total[0]).toFixed(2)}%)` : 'several narrow frames';
      parts.push(`<g><title>${escaped(tip.slice(0, 4096))}</title><rect x="${left.toFixed(2)}" y="${y}" width="${size.toFixed(2)}" height="${row - 1}" fill="${painter.color(tree, box)}" rx="2"/>`);
      const label = size >= 24 ? painter.label(tree, box, size) : '';
      if (label) parts.push(`<text x="${(Math.max(left, 0) + 3).toFixed(2)}" y="${(y + row / 2 + painter.look.font * .34).toFixed(1)}">${escaped(label)}</text>`);
      parts.push('</g>\n');
    });
  }
  parts.push('</g>\n</svg>\n');
  return parts.join('');
}

/**
 * Folded stacks, as `wick fold` writes them; a difference has both weights.
 * @param {import('./data.js').Data} data @param {Tree} tree
 */
export function toFolded(data, tree) {
  const {shape, self, beforeSelf} = tree;
  /** @type {string[]} */
  const lines = [], path = new Array(shape.count);
  path[0] = '';
  const weight = (/** @type {number} */ w) => String(Number((w / 10 ** tree.decimals).toFixed(tree.decimals + (tree.scale === 1 ? 0 : 3))));
  for (let i = 0; i < shape.count; ++i) {
    if (tree.extent[i] === 0) continue;
    // Samples without a stack stand at the root, whose line has only a weight.
    if (i > 0) {
      const name = data.name(shape.func[i]).replace(/[;\n\r]/g, ':');
      path[i] = shape.parent[i] === 0 ? name : `${path[shape.parent[i]]};${name}`;
    }
    if (self[i] > 0 || (beforeSelf && beforeSelf[i] > 0))
      lines.push(`${path[i]}${beforeSelf ? ' ' + weight(beforeSelf[i]) : ''} ${weight(self[i])}\n`);
  }
  return lines.sort().join('');
}
