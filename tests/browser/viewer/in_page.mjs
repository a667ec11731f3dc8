// SPDX-License-Identifier: Apache-2.0
// Functions that run in a page. They are sent to it as text, so they use nothing but each other.

/** Moves the pointer to a point of a canvas; the text of the tooltip there. */
export function pointAt(which, x, y) {
  const canvas = document.querySelectorAll('#view .stage canvas')[which];
  const tip = document.getElementById('tip');
  const {left, top} = canvas.getBoundingClientRect();
  const place = {clientX: left + x, clientY: top + y, pointerType: 'mouse'};
  canvas.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, ...place}));
  if (tip.hidden) return '';
  // A long name is there twice, first its last part.
  const short = tip.querySelector('.whole') ? tip.querySelector('b').textContent : '';
  return tip.textContent.slice(short.length);
}

/** Whether all pixels of a row of an image have the same colour. */
function isUniform(image, y) {
  const size = 4 * image.width;
  const row = image.data.subarray(size * Math.floor(y), size * (Math.floor(y) + 1));
  return row.every((value, i) => value === row[i % 4]);
}

/** Where `tipOf` changes from `tip` between two points, to a tenth of a pixel, and to what. */
function edgeBetween(low, high, tip, tipOf) {
  let next = tipOf(high);
  while (high - low > 0.1) {
    const middle = (low + high) / 2;
    const seen = tipOf(middle);
    if (seen === tip) low = middle;
    else [high, next] = [middle, seen];
  }
  return {edge: high, next};
}

/** The boxes along a row: the pointer tries every eighth pixel. */
function boxesOfRow(width, tipOf) {
  const STEP = 8;
  const found = [];
  let tip = tipOf(0.5);
  let left = 0;
  const end = (right, next) => {
    if (tip !== '') found.push({tip, left, width: right - left});
    tip = next;
    left = right;
  };
  for (let x = STEP; x <= width; x += STEP) {
    const at = Math.min(x, width - 0.5);
    const now = tipOf(at);
    // There may be several edges within a step.
    while (now !== tip) {
      const {edge, next} = edgeBetween(Math.max(left, x - STEP), at, tip, tipOf);
      end(edge, next);
    }
  }
  end(width, '');
  return found;
}

function colorAt(image, x, y) {
  const at = 4 * (Math.floor(y) * image.width + Math.floor(x));
  const channels = Array.from(image.data.subarray(at, at + 3));
  return '#' + channels.map(c => c.toString(16).padStart(2, '0')).join('');
}

function findBoxes(which, rowHeight) {
  const canvas = document.querySelectorAll('#view .stage canvas')[which];
  const {width, height} = canvas.getBoundingClientRect();
  const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const offset = (canvas.parentElement.scrollTop + rowHeight * 1000) % rowHeight;
  const found = [];
  for (let row = 0, y = rowHeight / 2 - offset; y < height; ++row, y += rowHeight) {
    const tipOf = x => pointAt(which, x, y);
    if (y < 0 || (isUniform(image, y) && tipOf(0.5) === '')) continue;
    for (const box of boxesOfRow(width, tipOf)) {
      // Beside the label, and within the outline of the selected box.
      const x = box.left + box.width - Math.min(box.width / 2, 5);
      found.push({row, ...box, color: colorAt(image, x, row * rowHeight + 3 - offset)});
    }
  }
  canvas.dispatchEvent(new PointerEvent('pointerleave'));
  return found;
}

/** Declares findBoxes(which, rowHeight). */
export const FIND_BOXES = [pointAt, isUniform, edgeBetween, boxesOfRow, colorAt, findBoxes].join(
  '\n',
);
