// SPDX-License-Identifier: Apache-2.0
// Views as SVG, PNG and folded stacks.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {boxes, canvas, click, exported, open, pageOf, text} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

/** The height of the heading of a PNG. */
const HEADING = 44;

let plain, modules;
before(() => {
  plain = pageOf(file(SAMPLES)).address;
  modules = pageOf(timed()).address;
});

test('the view is exported as SVG and PNG', async () => {
  const page = await open(plain);
  await click(page, 'draw');
  const shown = await boxes(page);
  const svg = (await exported(page, 'SVG')).toString();
  const drawnBoxes = await page.evaluate(source => {
    const picture = new DOMParser().parseFromString(source, 'image/svg+xml');
    return Array.from(picture.querySelectorAll('g > title'), title => {
      const rect = title.parentElement.querySelector('rect');
      return [
        title.textContent.replace(/ \([^(]*$/, ''),
        Number(rect.getAttribute('x')),
        Number(rect.getAttribute('width')),
        rect.getAttribute('fill'),
      ];
    });
  }, svg);
  const order = (a, b) => (a[0] < b[0] ? -1 : 1);
  const clipped = drawnBoxes.map(([name, x, width, fill]) => [
    name,
    Math.round(Math.max(x, 0)),
    Math.round(Math.min(x + width, 1000) - Math.max(x, 0)),
    fill,
  ]);
  assert.deepEqual(
    clipped.map(b => b.slice(0, 3)).sort(order),
    shown.map(box => [box.name, Math.round(box.left), Math.round(box.width)]).sort(order),
  );
  assert.equal(clipped.find(b => b[0] === 'flush')[3], shown.find(b => b.name === 'flush').color);
  const png = await exported(page, 'PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  const {width, height} = await canvas(page).boundingBox();
  assert.equal(png.readUInt32BE(16), width);
  assert.equal(png.readUInt32BE(20), height + HEADING);
});

test('lanes of time and both halves of a sandwich are exported', async () => {
  const page = await open(modules, {fragment: '#view=time'});
  const titles = async () =>
    page.evaluate(
      source =>
        Array.from(
          new DOMParser().parseFromString(source, 'image/svg+xml').querySelectorAll('g > title'),
          title => [
            title.textContent.replace(/ \(\d.*$/, ''),
            Number(title.nextElementSibling.getAttribute('x')),
          ],
        ),
      (await exported(page, 'SVG')).toString(),
    );
  const boxesOfTime = await titles();
  const first = name => boxesOfTime.find(box => box[0] === name)[1];
  assert.ok(
    first('parse') < 1 && Math.abs(first('draw') - 500) < 10,
    JSON.stringify(boxesOfTime.slice(0, 20)),
  );
  assert.ok(
    boxesOfTime.some(box => box[0] === 'leaf') &&
      boxesOfTime.some(box => box[0] === 'std::vector<char>::at'),
  );
  await page.evaluate(() => {
    location.hash = '#view=sandwich';
  });
  await page.waitForSelector('#tab-sandwich[aria-selected=true]');
  await page.getByLabel('Function', {exact: true}).fill('work');
  await page.getByLabel('Function', {exact: true}).press('Enter');
  assert.deepEqual((await titles()).map(box => box[0]).sort(), [
    'leaf',
    'start',
    'work',
    'work',
    'work',
    'worker',
  ]);
  const png = await exported(page, 'PNG');
  const heights = await page.$$eval('#view canvas', all => all.map(c => c.height));
  assert.equal(
    png.readUInt32BE(20),
    heights.reduce((a, b) => a + b, HEADING),
  );
});

test('the PNG of a heat map says what its colours are worth', async () => {
  const page = await open(modules, {fragment: '#view=heat'});
  const [map, ramp] = await page.$$eval('#view canvas', all =>
    all.map(({width, height}) => ({width, height})),
  );
  const png = await exported(page, 'PNG');
  const shades = await page.evaluate(
    async ([base64, left, top, height]) => {
      const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      return new Set(new Uint32Array(context.getImageData(left, top, 200, height).data.buffer))
        .size;
    },
    [png.toString('base64'), ramp.width, HEADING + map.height, ramp.height],
  );
  assert.ok(shades > 2, `only ${shades} shades next to the ramp`);
});

test('the heat map is exported with its ranges, its axis and the flame graph below', async () => {
  const page = await open(modules, {fragment: '#view=heat&range=0-500000'});
  const picture = await page.evaluate(
    source => {
      const svg = new DOMParser().parseFromString(source, 'image/svg+xml');
      const cells = svg.querySelectorAll('.map > rect:not(.range)');
      const ranges = Array.from(svg.querySelectorAll('.range'));
      return {
        cells: cells.length,
        columns: ranges.length,
        names: Array.from(svg.querySelectorAll('g > title'), title =>
          title.textContent.replace(/ \(\d.*$/, ''),
        ),
        right: Math.max(
          ...ranges.map(
            rect => Number(rect.getAttribute('x')) + Number(rect.getAttribute('width')),
          ),
        ),
        axis: Array.from(svg.querySelectorAll('.map > text'), t => t.textContent).filter(t =>
          / s$/.test(t),
        ),
      };
    },
    (await exported(page, 'SVG')).toString(),
  );
  // Columns last 50 ms, cells 10 ms: none is empty.
  assert.equal(picture.cells, 100);
  assert.equal(picture.columns, 10);
  assert.ok(Math.abs(picture.right - (1000 - 52) / 2) < 1);
  assert.deepEqual(picture.axis.slice(0, 3), ['0.0 s', '0.2 s', '0.4 s']);
  assert.ok(
    picture.names.includes('parse') && !picture.names.includes('draw'),
    picture.names.join(),
  );
  const heights = await page.$$eval('#view canvas', all => all.map(c => c.height));
  assert.equal(
    (await exported(page, 'PNG')).readUInt32BE(20),
    heights.reduce((a, b) => a + b, HEADING),
  );
  assert.match(await text(page, '#view .bar [role=status]'), /^A column is 50 ms, a cell 10 ms\./);
});

test('files that leave the page say what they show, by their name and within', async () => {
  const fragment = '#event=cycles&threads=1&range=250000-750000&do=hide.1&search=a/b';
  const page = await open(pageOf(timed(), '--title', './my prog').address, {fragment});
  const nameOf = async item => {
    await page.locator('#export').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', {name: item}).click(),
    ]);
    return download.suggestedFilename();
  };
  const name = 'my-prog-flame-graph-cycles-thread-app-100-0.250-s-to-0.750-s-hide-draw-search-a-b';
  assert.equal(await nameOf('SVG'), `${name}.svg`);
  assert.equal(await nameOf('PNG'), `${name}.png`);
  assert.equal(await nameOf('Folded'), `${name}.folded`);
  const svg = (await exported(page, 'SVG')).toString();
  const part =
    'Flame graph · cycles · thread app 100 · 0.250 s to 0.750 s · hide draw · search a/b';
  assert.ok(svg.includes(`>${part}</text>`), svg.slice(0, 600));
});
