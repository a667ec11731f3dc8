// SPDX-License-Identifier: Apache-2.0
// The heat map answers when something ran.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {drawn, exported, open, pageOf, text} from './page.mjs';
import {timed} from './profiles.mjs';

let address;
before(() => {
  address = pageOf(timed()).address;
});

/** The cells of the map that are not empty: [column, row from below, colour]. */
async function cells(page, columns, rows) {
  await drawn(page);
  const grid = [columns, rows];
  return page.evaluate(([count, lines]) => {
    const picture = document.querySelector('.heat canvas');
    const context = picture.getContext('2d');
    const left = 52;
    const width = (picture.clientWidth - left) / count;
    const colorAt = (x, y) => String(context.getImageData(x, y, 1, 1).data);
    const paper = colorAt(left - 1, 100);
    const found = [];
    for (let column = 0; column < count; ++column)
      for (let row = 0; row < lines; ++row) {
        const y = 200 - (row + 0.5) * (200 / lines);
        const color = colorAt(left + (column + 0.5) * width, y);
        if (color !== paper) found.push([column, row, color]);
      }
    return found;
  }, grid);
}

/** When the cells of the map are, as shares of its time. */
const span = found => [found[0][0], found.at(-1)[0]];

/** The profile has a second and 170 samples of cycles; a column is 50 ms, a cell 10 ms. */
const GRID = [20, 5];
const hint = page => text(page, '#view .half > .bar [role=status]');

test('the map follows the search', async () => {
  const page = await open(address, {fragment: '#view=heat'});
  assert.deepEqual(span(await cells(page, ...GRID)), [0, 19]);
  await page.locator('#search').fill('^parse$');
  assert.deepEqual(span(await cells(page, ...GRID)), [0, 9]);
  assert.match(await hint(page), /^Stacks that match \^parse\$\. /);
  await page.locator('#search').fill('^draw$');
  assert.deepEqual(span(await cells(page, ...GRID)), [10, 19]);
  await page.locator('#search').fill('');
  assert.deepEqual(span(await cells(page, ...GRID)), [0, 19]);
});

test('cells of a short recording are as large as its samples are far apart', async () => {
  const page = await open(address, {fragment: '#view=heat'});
  assert.match(await hint(page), /^A column is 50 ms, a cell 10 ms\. /);
  // With two samples for each of them, cells are smaller.
  const many = Array.from(
    {length: 8000},
    (_, i) => `a 1/1 ${(1 + i / 8000).toFixed(6)}: 1 cycles: \n\t1 f (/a)\n\n`,
  );
  const finer = await open(pageOf(file(many.join(''))).address, {fragment: '#view=heat'});
  assert.match(await hint(finer), /^A column is 20 ms, a cell 400 µs\. /);
});

test('the map follows the focus', async () => {
  const page = await open(address);
  await page.locator('#search').fill('^draw$');
  await page.locator('#search').press('Enter');
  await page.locator('#view canvas').first().focus();
  await page.keyboard.press('f');
  await page.locator('#search').fill('');
  await page.getByRole('tab', {name: 'Heat map'}).click();
  assert.deepEqual(span(await cells(page, ...GRID)), [10, 19]);
});

test('the map follows the filter of threads', async () => {
  const page = await open(address, {fragment: '#view=heat'});
  const all = (await cells(page, ...GRID)).length;
  await page.locator('#filters summary').click();
  for (const name of ['app 100', 'worker 100/101'])
    await page.getByLabel(name, {exact: true}).uncheck();
  // A sample every 50 ms.
  assert.equal((await cells(page, ...GRID)).length, 20);
  assert.ok(all > 50);
});

/** A sample each millisecond for two seconds, and a single one that weighs 10,000 times as much. */
function withOutlier() {
  const sample = (ms, weight, name) =>
    `a 1/1 ${(10 + ms / 1000).toFixed(6)}: ${weight} cycles: \n\t1000 ${name}+0x1 (/bin/a)\n\n`;
  const all = Array.from({length: 2000}, (_, i) => sample(i, i < 1000 ? 100 : 1000, 'f'));
  all.splice(500, 0, sample(499.5, 1e7, 'huge'));
  return pageOf(file(all.join(''))).address;
}

test('a single heavy sample leaves the rest to be told apart, and the legend says so', async () => {
  const page = await open(withOutlier(), {fragment: '#view=heat'});
  const found = await cells(page, 41, 10);
  const isHuge = ([column, row]) => column === 9 && row === 9;
  const shades = part =>
    new Set(found.filter(cell => part(cell) && !isHuge(cell)).map(([, , color]) => color));
  const light = shades(([column]) => column < 20);
  const heavy = shades(([column]) => column >= 20);
  // Ten times the weight is another shade.
  assert.deepEqual(
    [...light].filter(color => heavy.has(color)),
    [],
  );
  assert.ok(heavy.size > 0 && light.size > 0);
  assert.match(await text(page, '#view .legend'), /^0≥ 5,000 .*per cell$/);
});

test('the map has axes for columns and rows, and a legend', async () => {
  for (const width of [400, 800, 1400])
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(address, {
        fragment: '#view=heat',
        colorScheme,
        viewport: {width, height: 700},
      });
      await drawn(page);
      assert.match(await text(page, '#view .legend'), /^0.* cycles per cell$/);
      const isInk = await page.evaluate(() => {
        const picture = document.querySelector('.heat canvas');
        const data = (...box) =>
          new Uint32Array(picture.getContext('2d').getImageData(...box).data.buffer);
        return [data(0, 0, 50, 200), data(52, 202, picture.width - 52, 16)].map(
          part => new Set(part).size > 1,
        );
      });
      assert.deepEqual(isInk, [true, true]);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    }
  const page = await open(address, {fragment: '#view=heat'});
  const svg = (await exported(page, 'SVG')).toString();
  assert.match(svg, />\+50 ms</);
  assert.match(svg, />cells: 0 to [\d,]+ cycles per cell</);
});

test('a range is called range and what it is compared with baseline', async () => {
  const page = await open(address, {fragment: '#view=heat&range=0-300000&base=500000-800000'});
  const chips = await page.$$eval('.chip', all => all.map(chip => chip.textContent));
  assert.match(chips[0], /^Range 0\.\d+ s – 0\.3\d* s ×$/);
  assert.match(chips[1], /^Baseline 0\.5\d* s – 0\.8\d* s ×$/);
  assert.match(await hint(page), /select the range; with Shift, the baseline/);
});

test('the keyboard alone selects the range and the baseline', async () => {
  const page = await open(address, {fragment: '#view=heat'});
  const map = page.locator('.heat canvas');
  await map.press('Home');
  await map.press('Space');
  for (let i = 0; i < 5; ++i) await map.press('ArrowRight');
  await map.press('Space');
  assert.match(await text(page, '.chip'), /^Range /);
  // What was the range becomes the baseline of the next.
  await map.press('b');
  await map.press('End');
  await map.press('Space');
  await map.press('ArrowLeft');
  await map.press('Space');
  const chips = await page.$$eval('.chip', all => all.map(chip => chip.textContent));
  assert.equal(chips.length, 2);
  assert.match(chips[1], /^Baseline /);
  assert.ok(await map.evaluate(e => e === document.activeElement));
});
