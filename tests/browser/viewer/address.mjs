// SPDX-License-Identifier: Apache-2.0
// The fragment of the address holds the state of the page.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {
  boxes,
  boxNamed,
  boxNames,
  choose,
  click,
  exportedFolded,
  open,
  pageOf,
  tableRows,
  text,
} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

let plain, modules;
before(() => {
  plain = pageOf(file(SAMPLES)).address;
  modules = pageOf(timed()).address;
});

test('the address restores the view', async () => {
  const page = await open(modules);
  await choose(page, 'work', 'Collapse its recursion');
  await page.getByLabel('Order').selectOption('heaviest first');
  await page.locator('#filters summary').click();
  await page.getByLabel('tool 200', {exact: true}).uncheck();
  await page.locator('#search').fill('WORK');
  await page.keyboard.press('Control+I');
  await click(page, 'start');
  const {x, y} = await boxNamed(page, 'leaf');
  await page.mouse.move(x, y);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  await page.keyboard.up('Control');
  await page.waitForURL(/window=/);
  const before = {
    boxes: await boxes(page),
    folded: await exportedFolded(page),
    matched: await text(page, '#matched'),
  };
  const again = await open(page.url());
  assert.deepEqual(await boxes(again), before.boxes);
  assert.equal(await exportedFolded(again), before.folded);
  assert.equal(await text(again, '#matched'), before.matched);
  assert.match(before.matched, /Matched: 33\.33%/);
  // The other views too; invalid values are ignored.
  for (const view of ['icicle', 'time', 'heat', 'sandwich', 'table', 'about']) {
    await again.evaluate(view => {
      location.hash = `#view=${view}`;
    }, view);
    await again.waitForSelector(`#tab-${view}[aria-selected=true]`);
  }
  assert.deepEqual(again.errors, []);
  const invalid = await open(modules, {
    fragment:
      '#view=x&zoom=99999999&window=5-3&do=function.99999_subtree.-1_q&func=1e9&mark=77777' +
      '&threads=9.x&range=a-b&file=9&lanes=3-1&event=none&cpu=up&search=%ff%00',
  });
  assert.deepEqual(invalid.errors, []);
  assert.equal((await boxNames(invalid)).length, 15);
});

test('the address restores names that transforms made, whatever was undone before', async () => {
  const page = await open(modules);
  await choose(page, 'work', 'Collapse app');
  await page.keyboard.press('Control+Z');
  await choose(page, 'std::vector<char>::at', 'Collapse tool');
  await page.keyboard.press('T');
  await choose(page, 'std::vector<>::at', 'Mark all its frames');
  await choose(page, 'std::vector<>::at', 'Focus on the function');
  assert.equal(await exportedFolded(page), 'std::vector<>::at 50000\n');
  const again = await open(page.url());
  assert.equal(await exportedFolded(again), 'std::vector<>::at 50000\n');
  assert.deepEqual(await again.$$eval('.chip', all => all.map(chip => chip.textContent)), [
    'collapse tool',
    'no template arguments',
    'focus std::vector<>::at',
    'marked: std::vector<>::at ×',
  ]);
});

test('another fragment in the address changes the view', async () => {
  const page = await open(plain);
  await page.evaluate(() => {
    location.hash = '#view=table&search=draw';
  });
  await page.waitForSelector('table');
  assert.deepEqual(
    (await tableRows(page)).map(row => row.name),
    ['draw'],
  );
});

test('the address restores what the halves of a sandwich are zoomed to', async () => {
  const page = await open(modules, {fragment: '#view=sandwich'});
  await page.getByLabel('Function', {exact: true}).fill('main');
  await page.getByLabel('Function', {exact: true}).press('Enter');
  await click(page, 'tool', {which: 0});
  await click(page, 'parse', {which: 1});
  const before = [await boxes(page, 0), await boxes(page, 1)];
  assert.equal(before[0].find(box => box.name === 'tool').width, 1000);
  assert.equal(before[1].find(box => box.name === 'parse').width, 1000);
  const again = await open(page.url());
  assert.deepEqual([await boxes(again, 0), await boxes(again, 1)], before);
  // Another function has different boxes.
  await again.getByLabel('Function', {exact: true}).fill('work');
  await again.getByLabel('Function', {exact: true}).press('Enter');
  assert.doesNotMatch(again.url(), /halves/);
});
