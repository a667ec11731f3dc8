// SPDX-License-Identifier: Apache-2.0
// The time view: what threads did, and the stacks of each.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {pointAt} from './in_page.mjs';
import {canvas, drawn, exported, exportedFolded, open, pageOf, ROW, text} from './page.mjs';
import {timed} from './profiles.mjs';

/** The axis; above the rows of a lane its heading and its track; below them a gap. */
const AXIS = 20;
const HEADING = 18;
const TRACK = 16;
const GAP = 6;

let address;
before(() => {
  address = pageOf(timed()).address;
});
const openTime = (fragment = '', options = {}) =>
  open(address, {fragment: `#view=time${fragment}`, ...options});

/** The tooltip at a point of the canvas. */
const tipAt = (page, x, y) => page.evaluate(`(${pointAt})(0, ${x}, ${y})`);
const details = page => text(page, '#details');

/** The lanes of app and worker are in a process; that of tool is alone. */
const APP = AXIS + HEADING;
const APP_ROWS = APP + HEADING + TRACK;
const WORKER = APP_ROWS + 2 * ROW + GAP;
const WORKER_ROWS = WORKER + HEADING + TRACK;
const TOOL = WORKER_ROWS + ROW + GAP;
const TOOL_ROWS = TOOL + HEADING + TRACK;

async function clickAt(page, x, y, options) {
  const bounds = await canvas(page).boundingBox();
  await page.mouse.click(bounds.x + x, bounds.y + y, options);
  await drawn(page);
}

/** The address follows a moment later. */
async function expectUrl(page, pattern) {
  while (!pattern.test(page.url())) await drawn(page);
}

const stack = page => page.$$eval('#view .stack li', all => all.map(item => item.textContent));

/** The colours of a column of pixels. */
const column = (page, x, from, to) =>
  page.evaluate(
    ([left, top, bottom]) => {
      const context = document.querySelector('#view .stage canvas').getContext('2d');
      const {data} = context.getImageData(left, top, 1, bottom - top);
      return Array.from({length: bottom - top}, (_, y) => String(data.slice(4 * y, 4 * y + 3)));
    },
    [x, from, to],
  );

test("a slice's tip has its own begin, duration and thread", async () => {
  const page = await openTime();
  // It parses for half a second; each sample has what it called.
  assert.match(
    await tipAt(page, 110, APP_ROWS + ROW / 2),
    /^parseat 0\.000\d* s for 500 ms in app 10050 samplesthis stack in total: 50,000 cycles, 29/,
  );
  assert.match(
    await tipAt(page, 110, APP_ROWS + 1.5 * ROW),
    /^readat 0\.000\d* s for 500 ms in app 100/,
  );
  assert.match(
    await tipAt(page, 900, APP_ROWS + ROW / 2),
    /^drawat 0\.500\d* s for \d+ ms in app 100/,
  );
  // The third thread runs for 10 ms every 50 ms.
  assert.match(
    await tipAt(page, 57, TOOL_ROWS + ROW / 2),
    /^std::vector<char>::atat 0\.0520\d* s for 10 ms in tool 200this stack/,
  );
  assert.equal(await tipAt(page, 80, TOOL_ROWS + ROW / 2), '');
});

test('rows skip the callers that all stacks share, and the heading says which', async () => {
  const page = await openTime();
  const {name} = await canvas(page).evaluate(e => ({name: e.getAttribute('aria-label')}));
  assert.match(name, /a lane for each thread/);
  const svg = (await exported(page, 'SVG')).toString();
  assert.match(svg, />app 100 · 1 s on the CPU, 100 samples · in app › main</);
  assert.match(svg, />worker 100\/101 · .* · in worker › start › work › work</);
  // The leaf of all stacks is shown, not skipped.
  assert.match(await tipAt(page, 103, WORKER_ROWS + ROW / 2), /^leafat /);
  await page.getByRole('button', {name: 'Common callers'}).click();
  await drawn(page);
  assert.match(await tipAt(page, 110, APP_ROWS + ROW / 2), /^appat /);
  assert.match(await tipAt(page, 110, APP_ROWS + 1.5 * ROW), /^mainat /);
  assert.match(await tipAt(page, 110, APP_ROWS + 2.5 * ROW), /^parseat /);
  assert.match(page.url(), /callers=all/);
});

test('a stack that leaves the common callers early shows where it goes', async () => {
  const sample = (i, frames) =>
    `a 1/1 ${(1 + i / 100).toFixed(6)}: 1 cycles: \n${frames
      .map(frame => `\t1000 ${frame}+0x1 (/bin/a)\n`)
      .reverse()
      .join('')}\n`;
  const stacks = Array.from({length: 100}, (_, i) =>
    sample(
      i,
      i === 50 ? ['start', 'handler', 'deep'] : ['start', 'main', 'run', i < 50 ? 'f' : 'g'],
    ),
  );
  const page = await open(pageOf(file(stacks.join(''))).address, {fragment: '#view=time'});
  const rows = AXIS + HEADING + TRACK;
  assert.match(await tipAt(page, 200, rows + ROW / 2), /^fat /);
  assert.match(await tipAt(page, 508, rows + ROW / 2), /^handlerat 0\.50/);
  assert.match(await tipAt(page, 508, rows + 1.5 * ROW), /^deepat 0\.50/);
  assert.match(await tipAt(page, 800, rows + ROW / 2), /^gat /);
});

test('lanes can have fewer rows', async () => {
  const page = await openTime();
  await page.getByLabel('Rows of a lane').selectOption('1 row each');
  await drawn(page);
  assert.match(await tipAt(page, 110, APP_ROWS + ROW / 2), /^parseat /);
  assert.doesNotMatch(await tipAt(page, 110, APP_ROWS + 1.5 * ROW), /^readat /);
  assert.match(page.url(), /rows=1/);
});

test('threads are grouped by process, heaviest first, and each can be folded', async () => {
  const page = await openTime();
  const headings = async () => {
    const svg = (await exported(page, 'SVG')).toString();
    return [...svg.matchAll(/>((?:process|app|worker|tool|\d+ idle)[^<]*) · /g)].map(([, head]) =>
      head.replace(/ · .*/, ''),
    );
  };
  assert.deepEqual(await headings(), ['process app 100', 'app 100', 'worker 100/101', 'tool 200']);
  // A click on a heading closes it; the track stays.
  await clickAt(page, 200, APP + HEADING / 2);
  assert.match(
    await tipAt(page, 200, APP + HEADING + TRACK / 2),
    /^app 100at 0\.\d+ s for 990 µsuser code: 100\.00%$/,
  );
  assert.equal(await tipAt(page, 110, APP_ROWS + GAP + HEADING / 2), '');
  await clickAt(page, 200, AXIS + HEADING / 2);
  assert.deepEqual(await headings(), ['process app 100', 'tool 200']);
  // The state is in the address.
  const again = await open(page.url());
  assert.match(
    await tipAt(again, 57, AXIS + 2 * (HEADING + TRACK) + GAP + ROW / 2),
    /^std::vector<char>::atat /,
  );
});

/** A busy thread, one that runs for 2 ms in a second, and one in a process of its own. */
function withIdleThreads() {
  const sample = (ms, pid, tid, name) => ({
    ms,
    text:
      `${name} ${pid}/${tid} ${(1 + ms / 1000).toFixed(6)}: 1000000 cpu-clock: \n` +
      '\t1000 f+0x1 (/bin/a)\n\n',
  });
  const all = Array.from({length: 1000}, (_, i) => sample(i, 1, 1, 'busy'));
  all.push(sample(300.5, 1, 2, 'lazy'), sample(700.5, 1, 2, 'lazy'), sample(500.5, 9, 9, 'other'));
  all.sort((a, b) => a.ms - b.ms);
  return pageOf(file(all.map(({text: line}) => line).join(''))).address;
}

test('idle threads are folded away', async () => {
  const page = await open(withIdleThreads(), {fragment: '#view=time'});
  const svg = (await exported(page, 'SVG')).toString();
  assert.equal([...svg.matchAll(/>1 idle thread · /g)].length, 2);
  assert.match(svg, />process busy 1 · 2 threads, 1 s on the CPU</);
  assert.doesNotMatch(svg, />(?:lazy|other) /);
  const heading = AXIS + HEADING + HEADING + TRACK + ROW + GAP + HEADING / 2;
  await clickAt(page, 100, heading);
  assert.match(
    (await exported(page, 'SVG')).toString(),
    />lazy 1\/2 · 2 ms on the CPU, 2 samples · in lazy</,
  );
});

test('a track shows the share of each pixel that a thread is on the CPU', async () => {
  const page = await open(withIdleThreads(), {fragment: '#view=time&folds=i1.i'});
  const busy = AXIS + 2 * HEADING;
  const [paper] = await column(page, 5, AXIS + HEADING + 2, AXIS + HEADING + 3);
  const ink = async (x, top) =>
    (await column(page, x, top, top + TRACK)).filter(color => color !== paper).length;
  assert.equal(await ink(500, busy), TRACK - 2);
  // A millisecond each: one pixel of a thousand.
  const lazy = busy + TRACK + ROW + GAP + HEADING + GAP + HEADING;
  assert.ok((await ink(301, lazy)) > 0);
  assert.equal(await ink(500, lazy), 0);
  assert.ok((await ink(701, lazy)) > 0);
});

test('a thread that runs for 3 % of the time does not look busy', async () => {
  const sample = i =>
    `a 1/1 ${(1 + i / 1000).toFixed(6)}: 30000 cpu-clock: \n\t1000 f+0x1 (/bin/a)\n\n`;
  const all = Array.from({length: 5000}, (_, i) => sample(i));
  const page = await open(pageOf(file(all.join(''))).address, {fragment: '#view=time'});
  const track = AXIS + HEADING;
  const row = track + TRACK + 3;
  const colors = await Promise.all(
    [100, 300, 500, 700, 900].map(x => column(page, x, track, row + 1)),
  );
  const paper = colors[0][0];
  const distance = (a, b) => {
    const [one, other] = [a, b].map(color => color.split(',').map(Number));
    return one.reduce((sum, c, i) => sum + Math.abs(c - other[i]), 0);
  };
  const full = distance('89,99,110', paper);
  for (const some of colors) {
    const part = distance(some.at(-1), paper) / full;
    assert.ok(part > 0.05 && part < 0.25, `${part} of a row`);
    assert.ok(some.slice(0, TRACK).filter(color => color !== paper).length <= 1);
  }
});

test('a click selects a slice and shows its stack', async () => {
  const page = await openTime();
  await clickAt(page, 110, APP_ROWS + ROW / 2);
  assert.deepEqual(await stack(page), ['read', 'parse', 'main', 'app']);
  assert.equal(await text(page, '#view .stack [aria-current]'), 'parse');
  assert.match(await text(page, '#view .stack .bar'), /^at 0\.1\d* s for 10 ms in app 100/);
  await page.locator('#view .stack li button', {hasText: /^main$/}).click();
  assert.ok(await page.getByRole('menuitem', {name: 'Focus on the function'}).isVisible());
  await page.keyboard.press('Escape');
  await canvas(page).focus();
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#view .stack').isHidden());
});

test('a double click zooms to the slice', async () => {
  const page = await openTime();
  const bounds = await canvas(page).boundingBox();
  await page.mouse.dblclick(bounds.x + 110, bounds.y + APP_ROWS + ROW / 2);
  await drawn(page);
  await expectUrl(page, /lanes=/);
  const [, from, to] = page
    .url()
    .match(/lanes=(\d+)-(\d+)/)
    .map(Number);
  assert.equal(from, 0);
  assert.ok(to > 500_000 && to < 560_000, `${to}`);
});

test('the range dims what is outside, and the baseline is drawn', async () => {
  const page = await openTime('&rows=0');
  const inside = (await column(page, 300, APP_ROWS + 3, APP_ROWS + 4))[0];
  const outside = (await column(page, 900, APP_ROWS + 3, APP_ROWS + 4))[0];
  const ranged = await openTime('&rows=0&range=200000-400000&base=600000-800000');
  assert.equal((await column(ranged, 300, APP_ROWS + 3, APP_ROWS + 4))[0], inside);
  const dimmed = (await column(ranged, 900, APP_ROWS + 3, APP_ROWS + 4))[0];
  assert.notEqual(dimmed, outside);
  const sum = color => color.split(',').reduce((all, c) => all + Number(c), 0);
  assert.ok(sum(dimmed) > sum(outside), 'it is closer to the paper');
  // The edges of the baseline, and its band in the axis.
  const [edge] = await column(ranged, 606, 300, 301);
  assert.equal(edge, '136,136,136');
  const [band] = await column(ranged, 650, 2, 3);
  const [axis] = await column(ranged, 500, 2, 3);
  assert.notEqual(band, axis);
});

test('a search is seen in the rows and in the track', async () => {
  const page = await openTime('&search=flush|vector<char>');
  await drawn(page);
  const marked = (await column(page, 57, TOOL + HEADING, TOOL_ROWS + ROW)).filter(
    color => color === '230,0,230',
  );
  assert.ok(marked.length > ROW / 2, `${marked.length}`);
  assert.equal((await column(page, 57, TOOL + HEADING, TOOL + HEADING + 1))[0], '230,0,230');
  assert.notEqual((await column(page, 80, TOOL + HEADING, TOOL + HEADING + 1))[0], '230,0,230');
});

test('the name of a range has its place on the axis to itself', async () => {
  const page = await openTime('&range=200000-420000');
  await page.evaluate(() => {
    window.axisTexts = [];
    const {fillText} = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      if (y < 14) window.axisTexts.push([text, x, x + this.measureText(text).width]);
      fillText.call(this, text, x, y);
    };
  });
  await page.keyboard.press('t');
  await drawn(page);
  const texts = await page.evaluate(() => window.axisTexts);
  const [, left, right] = texts.find(([text]) => text === 'range') ?? [];
  assert.ok(right > left, texts.join());
  const others = texts.filter(([text]) => text !== 'range');
  assert.ok(others.length > 2, texts.join());
  for (const [text, from, to] of others) assert.ok(to < left || from > right, text);
});

test('a range that is selected is a filter', async () => {
  const page = await openTime();
  const {x, y} = await canvas(page).boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(x + 510, y + 8);
  await page.mouse.down();
  await page.mouse.move(x + 700, y + 8);
  await page.mouse.move(x + 997, y + 8);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.keyboard.press('1');
  const folded = await exportedFolded(page);
  assert.match(folded, /draw/);
  assert.doesNotMatch(folded, /parse/);
});

test('the keyboard alone goes through threads and samples', async () => {
  const page = await openTime();
  await canvas(page).focus();
  await page.keyboard.press('PageDown');
  assert.match(await details(page), /^app 100 · 1 s on the CPU, 100 samples · in app › main$/);
  await page.keyboard.press(']');
  assert.match(await details(page), /^read · at 0\.0\d* s for 500 ms in app 100 · /);
  assert.deepEqual(await stack(page), ['read', 'parse', 'main', 'app']);
  await page.keyboard.press('Space');
  assert.equal(await details(page), 'app 100: closed');
  await page.keyboard.press('Space');
  assert.equal(await details(page), 'app 100: open');
  await page.keyboard.press('b');
  assert.match(await text(page, '.chip'), /^Baseline 0\.0/);
  await page.keyboard.press('Enter');
  assert.match(await text(page, '.chip'), /^Range 0\.0/);
});

test('the view has its legend and fits at every width, light and dark', async () => {
  for (const width of [400, 800, 1400])
    for (const colorScheme of ['light', 'dark']) {
      const page = await openTime('', {colorScheme, viewport: {width, height: 700}});
      await drawn(page);
      assert.equal(await text(page, '#view .legend'), 'user code');
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert.match(await tipAt(page, width * 0.11, APP_ROWS + ROW / 2), /^parseat /);
      assert.deepEqual(page.errors, []);
    }
});
