// SPDX-License-Identifier: Apache-2.0
// What is narrower than a pixel is drawn by how much of the pixel it covers.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {pointAt} from './in_page.mjs';
import {canvas, drawn, exported, open, pageOf, ROW, text} from './page.mjs';

/** Half as wide as a pixel each, and all with a callee that has 3 % of their weight. */
const COUNT = 2000;
const nameOf = i => `part_${String(i).padStart(4, '0')}`;

let address;
before(() => {
  const stacks = Array.from({length: COUNT}, (_, i) => {
    const leaf = i === 700 ? 'needle' : 'leaf';
    return `main;${nameOf(i)} 97\nmain;${nameOf(i)};${leaf} 3\n`;
  });
  address = pageOf(file(stacks.join(''))).address;
});

/** The colours of the pixels of a row, counted from the root. */
async function colors(page, depth) {
  await drawn(page);
  return page.evaluate(
    ([level, height]) => {
      const picture = document.querySelector('#view .stage canvas');
      const y =
        picture.clientHeight - (picture.clientHeight % height) - level * height - height / 2;
      const {data} = picture
        .getContext('2d')
        .getImageData(0, Math.round(y * devicePixelRatio), picture.width, 1);
      return Array.from({length: picture.width}, (_, x) =>
        Array.from(data.slice(4 * x, 4 * x + 3)),
      );
    },
    [depth, ROW],
  );
}

/** How far colours are from the paper, where 1 is as far as `full`. */
function ink(all, full, paper) {
  const distance = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]);
  return all.map(color => distance(color, paper) / distance(full, paper));
}

const PAPER = {light: [255, 255, 251], dark: [23, 25, 29]};
const mean = list => list.reduce((a, b) => a + b, 0) / list.length;

for (const colorScheme of ['light', 'dark'])
  for (const deviceScaleFactor of [1, 2])
    test(`3 % does not look like a full row: ${colorScheme}, ${deviceScaleFactor}x`, async () => {
      // At twice the resolution, a pixel is half as wide.
      const width = 1000 / deviceScaleFactor;
      const viewport = {width, height: 600};
      const page = await open(address, {colorScheme, deviceScaleFactor, viewport});
      const paper = PAPER[colorScheme];
      const whole = await colors(page, 2);
      // All of the width is covered, in one tone that is none of a name's.
      const [full] = whole;
      assert.deepEqual(new Set(whole.map(String)), new Set([String(full)]));
      assert.ok(Math.max(...full) - Math.min(...full) < 25, `${full} is not neutral`);
      const some = ink(await colors(page, 3), full, paper);
      assert.ok(mean(some) < 0.16, `${mean(some)} of the row`);
      assert.ok(Math.min(...some) > 0.05, 'what is there can be seen');
    });

test('the tone of narrow frames grows with their share', async () => {
  const shares = [3, 30, 60, 90];
  const stacks = [];
  shares.forEach((share, group) => {
    for (let i = 0; i < 500; ++i) {
      const part = `${group}_${nameOf(i)}`;
      stacks.push(`main;${part} ${100 - share}\nmain;${part};leaf ${share}\n`);
    }
  });
  const page = await open(pageOf(file(stacks.join(''))).address);
  const [full] = await colors(page, 2);
  const row = ink(await colors(page, 3), full, PAPER.light);
  shares.forEach((share, group) => {
    const part = mean(row.slice(group * 250 + 5, group * 250 + 245));
    assert.ok(Math.abs(part - (0.1 + 0.9 * (share / 100))) < 0.04, `${share} % has ${part}`);
  });
});

test('a narrow frame that a search finds is visible', async () => {
  const page = await open(address);
  const found = async () =>
    (await colors(page, 3)).flatMap((color, x) => (String(color) === '230,0,230' ? [x] : []));
  assert.deepEqual(await found(), []);
  await page.locator('#search').fill('needle');
  await drawn(page);
  assert.deepEqual(await found(), [350]);
});

test('a tip says how many frames share its pixel', async () => {
  const page = await open(address);
  const {height} = await canvas(page).boundingBox();
  const y = height - (height % ROW) - 2.5 * ROW;
  const tip = await page.evaluate(`(${pointAt})(0, 350.2, ${y})`);
  assert.match(
    tip,
    /^part_070[01]the widest of 2 frames in this pixel, together 0\.10% of the wholetotal: 100 /,
  );
  // A frame of its own does not say so.
  assert.doesNotMatch(await page.evaluate(`(${pointAt})(0, 350.2, ${y + ROW})`), /widest/);
});

test('the exported picture has the tones and how many frames there are', async () => {
  const page = await open(address);
  const svg = (await exported(page, 'SVG')).toString();
  const counts = [...svg.matchAll(/<title>(\d+) frames? narrower than a pixel/g)];
  assert.equal(
    counts.reduce((sum, [, count]) => sum + Number(count), 0),
    2 * COUNT,
  );
  assert.equal(await text(page, '#tip'), '');
});
