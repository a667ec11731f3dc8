// SPDX-License-Identifier: Apache-2.0
// What the tests of the viewer share. They use a page as a person does: what is
// on a canvas is found by pointing at it and by looking at its pixels, never by
// asking the script of the page.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

import {file, show} from '../browser.mjs';

export const ROW = 16;

/** What wick prints. */
export const wick = (...words) =>
  execFileSync(process.env.WICK, words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  });

/** A file that wick writes, with its text. */
export function written(ending, ...words) {
  const path = file('') + ending;
  wick(...words, '-o', path);
  return {path, address: pathToFileURL(path).href, text: () => readFileSync(path, 'utf8')};
}

/** A page of the viewer for a file on disk. */
export const pageOf = (input, ...options) =>
  written('.html', 'flame', '--quiet', ...options, input);

/** Opens the page and waits until it shows something. Zooming is not animated, unless asked for. */
export async function open(address, {fragment = '', ...options} = {}) {
  const page = await show(address + fragment, {reducedMotion: 'reduce', ...options});
  page.setDefaultTimeout(10_000);
  await page.waitForSelector('#message:is([hidden], .failed)', {state: 'attached'});
  return page;
}

export const text = (page, selector) => page.locator(selector).first().textContent();
export const canvas = page => page.locator('#view .stage canvas').first();

/** What was asked for is drawn. */
export const drawn = page =>
  page.evaluate(
    () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))),
  );

/**
 * The boxes that a mouse finds on a canvas, row by row from the top, each from
 * left to right: {row, name, left, width, color}, in pixels of the canvas.
 */
export async function boxes(page, which = 0) {
  await drawn(page);
  return page
    .evaluate(
      ({which, ROW}) => {
        const canvas = document.querySelectorAll('#view .stage canvas')[which];
        const bounds = canvas.getBoundingClientRect();
        const tip = document.getElementById('tip');
        const context = canvas.getContext('2d');
        const nameAt = (x, y) => {
          canvas.dispatchEvent(
            new PointerEvent('pointermove', {
              bubbles: true,
              clientX: bounds.left + x,
              clientY: bounds.top + y,
              pointerType: 'mouse',
            }),
          );
          return tip.hidden ? '' : tip.textContent;
        };
        const found = [];
        const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
        // A row without any colour has no box.
        const isEmpty = y => {
          const row = pixels.data.subarray(
            4 * pixels.width * Math.floor(y),
            4 * pixels.width * (Math.floor(y) + 1),
          );
          return row.every((value, i) => value === row[i % 4]);
        };
        const offset = (canvas.parentElement.scrollTop + ROW * 1000) % ROW;
        for (let row = 0, y = ROW / 2 - offset; y < bounds.height; ++row, y += ROW) {
          if (y < 0 || (isEmpty(y) && nameAt(0.5, y) === '')) continue;
          const STEP = 8;
          let name = nameAt(0.5, y);
          let left = 0;
          const end = (right, next) => {
            if (name !== '') found.push({row, tip: name, left, width: right - left});
            name = next;
            left = right;
          };
          for (let x = STEP; x <= bounds.width; x += STEP) {
            const at = Math.min(x, bounds.width - 0.5);
            let now = nameAt(at, y);
            // Several edges may lie within a step.
            while (now !== name) {
              let low = Math.max(left, x - STEP);
              let high = at;
              let next = now;
              while (high - low > 0.1) {
                const middle = (low + high) / 2;
                const seen = nameAt(middle, y);
                if (seen === name) low = middle;
                else {
                  high = middle;
                  next = seen;
                }
              }
              end(high, next);
            }
          }
          end(bounds.width, '');
        }
        canvas.dispatchEvent(new PointerEvent('pointerleave'));
        for (const box of found) {
          // Beside the label, and within the outline of the selected box.
          const x = Math.floor(box.left + box.width - Math.min(box.width / 2, 5));
          const y = Math.floor(box.row * ROW + 3 - offset);
          const at = 4 * (y * pixels.width + x);
          box.color =
            '#' +
            Array.from(pixels.data.subarray(at, at + 3), c => c.toString(16).padStart(2, '0')).join(
              '',
            );
        }
        return found;
      },
      {which, ROW},
    )
    .then(async list => {
      // The head of a tip is its name; the rest follows without a space.
      return list.map(box => ({...box, name: nameOf(box.tip)}));
    });
}

const nameOf = tip =>
  tip.replace(/(?:before: |total: |at [\d.]+ s in ).*$/s, '').replace(/ \((?:vanished|new)\)$/, '');

/** The box of this name; of several, the first from the top. */
export async function boxNamed(page, name, which = 0) {
  const all = await boxes(page, which);
  const box = all.find(b => b.name === name);
  assert.ok(box, `there is no ${name} among ${all.map(b => b.name).join(', ')}`);
  const bounds = await page.locator('#view .stage canvas').nth(which).boundingBox();
  return {...box, x: bounds.x + box.left + box.width / 2, y: bounds.y + box.row * ROW + ROW / 2};
}

export async function click(page, name, options = {}) {
  const {x, y} = await boxNamed(page, name, options.which);
  await page.mouse.click(x, y, options);
  await drawn(page);
}

/** Right-clicks a box and chooses from its menu. */
export async function choose(page, name, item, which = 0) {
  await click(page, name, {button: 'right', which});
  await page.getByRole('menuitem', {name: item}).click();
  await drawn(page);
}

/** Exports; the content of the file that the browser saves. */
export async function exported(page, item) {
  await page.locator('#export').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', {name: item}).click(),
  ]);
  return readFileSync(await download.path());
}
export const exportedFolded = async page => (await exported(page, 'Folded')).toString();

/** Folded lines in one order, since that of equal weights may differ. */
export const lines = folded => folded.trim().split('\n').sort();

/** What a person gets who pastes. */
export async function pasted(page) {
  await page.evaluate(() => {
    const field = document.createElement('textarea');
    field.id = 'paste';
    document.body.append(field);
    field.focus();
  });
  await page.keyboard.press('Control+V');
  return page.evaluate(() => {
    const field = document.getElementById('paste');
    const {value} = field;
    field.remove();
    return value;
  });
}

/** Rows of the table of functions: name and cells. */
export const tableRows = page =>
  page.$$eval('#view tbody tr', rows =>
    rows.map(row => {
      const cells = Array.from(row.cells, cell => cell.textContent);
      return {name: cells.pop(), cells};
    }),
  );

/**
 * The layout of docs/flame-graphs.md for folded lines, by itself: the share of the width where each box begins and that it has.
 * @returns {{depth: number, name: string, left: number, width: number}[]}
 */
export function layout(folded, {heavy = false} = {}) {
  const root = {name: 'all', own: 0, total: 0, children: new Map()};
  for (const line of lines(folded)) {
    const [, stack, weight] = line.match(/^(.*) ([\d.]+)$/);
    let node = root;
    node.total += Number(weight);
    for (const name of stack.split(';')) {
      if (!node.children.has(name))
        node.children.set(name, {name, own: 0, total: 0, children: new Map()});
      node = node.children.get(name);
      node.total += Number(weight);
    }
    node.own += Number(weight);
  }
  const found = [];
  const place = (node, depth, left) => {
    found.push({depth, name: node.name, left: left / root.total, width: node.total / root.total});
    let at = left + node.own;
    const byName = [...node.children.values()].sort((a, b) =>
      Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
    );
    if (heavy) byName.sort((a, b) => b.total - a.total);
    for (const child of byName) {
      place(child, depth + 1, at);
      at += child.total;
    }
  };
  place(root, 0, 0);
  return found;
}

/**
 * Asserts that boxes from `boxes()` lie where a layout says, to the pixel. Those
 * below `least` pixels are not compared: a hand that points at every eighth pixel misses some,
 * and takes equal ones beside each other for one.
 */
export function sameBoxes(
  found,
  wanted,
  {width = 1000, rootAtTop = false, least = 8, surplus = least} = {},
) {
  const last = Math.max(...found.map(box => box.row));
  const first = Math.min(...found.map(box => box.row));
  const got = found.map(box => ({
    depth: rootAtTop ? box.row - first : last - box.row,
    left: box.left,
    width: box.width,
    name: box.name,
  }));
  const want = wanted.map(box => ({
    depth: box.depth,
    left: box.left * width,
    width: box.width * width,
    name: box.name,
  }));
  const same = (a, b) =>
    a.depth === b.depth &&
    a.name === b.name &&
    Math.abs(a.left - b.left) < 0.5 &&
    Math.abs(a.width - b.width) < 0.5;
  const lacks = (list, among, above) =>
    list.filter(a => a.width > above && !among.some(b => same(a, b)));
  assert.deepEqual(
    {missing: lacks(want, got, least), surplus: lacks(got, want, surplus)},
    {missing: [], surplus: []},
  );
}
