// SPDX-License-Identifier: Apache-2.0
// What the tests of the viewer share. They use a page as a person does: they find what is on a
// canvas by pointing at it and by looking at its pixels, never by asking the page's script.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

import {file, show} from '../browser.mjs';
import {FIND_BOXES} from './in_page.mjs';

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

/** Opens the page and waits until it shows something. Zooming is not animated by default. */
export async function open(address, {fragment = '', ...options} = {}) {
  const page = await show(address + fragment, {reducedMotion: 'reduce', ...options});
  page.setDefaultTimeout(10_000);
  await page.waitForSelector('#message:is([hidden], .failed)', {state: 'attached'});
  return page;
}

export const text = (page, selector) => page.locator(selector).first().textContent();
export const canvas = page => page.locator('#view .stage canvas').first();

/** Waits until changes are drawn. */
export const drawn = page =>
  page.evaluate(
    () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))),
  );

/**
 * The boxes that a mouse finds on a canvas, row by row from the top, each from left to right:
 * {row, name, left, width, color}, in pixels of the canvas.
 */
export async function boxes(page, which = 0) {
  await drawn(page);
  const found = await page.evaluate(
    `(() => {${FIND_BOXES}; return findBoxes(${which}, ${ROW})})()`,
  );
  return found.map(box => ({...box, name: nameOf(box.tip)}));
}

export const boxNames = async page => (await boxes(page)).map(box => box.name);

/** Rounded widths by name. */
export const boxWidths = async page =>
  Object.fromEntries((await boxes(page)).map(box => [box.name, Math.round(box.width)]));

export const crumbs = page =>
  page.$$eval('#crumbs button', all => all.map(crumb => crumb.textContent));

/** The name at the head of a tooltip, which the rest follows without a space. */
const nameOf = tip =>
  tip
    .replace(/(?:before: |total: |the widest of |at [\d.]+ s for ).*$/s, '')
    .replace(/ \((?:vanished|new)\)$/, '');

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

/** Exports, and returns the content of the file that the browser saves. */
export async function exported(page, item) {
  await page.locator('#export').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', {name: item}).click(),
  ]);
  return readFileSync(await download.path());
}
export const exportedFolded = async page => (await exported(page, 'Folded')).toString();

/** Folded lines, sorted. */
export const lines = folded => folded.trim().split('\n').sort();

/** The text that pasting gives, once it is the expected one: copying takes its time. */
export async function pasted(page, expected) {
  const end = Date.now() + 5000;
  for (;;) {
    const text = await pastedNow(page);
    if (text === expected || Date.now() > end) return text;
  }
}

async function pastedNow(page) {
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

/** No task of a page may take longer, in milliseconds. */
const LONGEST_TASK = 200;

/** The longest task while `act` runs. */
async function longestTask(page, act) {
  await page.evaluate(() => {
    window.tasks = [0];
    window.watcher = new PerformanceObserver(list =>
      window.tasks.push(...list.getEntries().map(({duration}) => duration)),
    );
    window.watcher.observe({type: 'longtask'});
  });
  await act();
  await drawn(page);
  return page.evaluate(() => {
    window.watcher.disconnect();
    return Math.max(...window.tasks);
  });
}

/**
 * Asserts that the page answers while it does something. On a busy machine short tasks take long,
 * too: there are several tries. `act` gets their number, and never does the same again, since the
 * page remembers what it computed.
 */
export async function answersDuring(page, act) {
  const longest = [];
  for (let i = 0; i < 5; ++i) {
    longest.push(await longestTask(page, () => act(i)));
    if (longest.at(-1) <= LONGEST_TASK) return;
  }
  assert.fail(`the longest tasks were ${longest.join(', ')} ms`);
}

/** Waits until nothing is computed. */
export const settled = page => page.locator('#busy').waitFor({state: 'hidden'});

/** Rows of the table of functions: the name, and the cells before it. */
export const tableRows = page =>
  page.$$eval('#view tbody tr', rows =>
    rows.map(row => {
      const cells = Array.from(row.cells, cell => cell.textContent);
      const at = row.querySelector('td.name').cellIndex;
      return {name: row.querySelector('.function').textContent, cells: cells.slice(0, at)};
    }),
  );

/**
 * An independent implementation of the layout in docs/flame-graphs.md; `left` and `width` are
 * shares of the whole width.
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
 * Asserts that boxes from `boxes()` are where a layout has them, to the pixel. Boxes narrower than
 * `least` pixels are not compared: pointing at every eighth pixel misses some, and takes adjacent
 * ones of the same name for one.
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
