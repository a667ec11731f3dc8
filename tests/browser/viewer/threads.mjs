// SPDX-License-Identifier: Apache-2.0
// The list of threads.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {exportedFolded, lines, open, pageOf, text, wick} from './page.mjs';
import {timed} from './profiles.mjs';

/** How many threads the large profile has, in a hundred processes. */
const MANY = 10_000;

let modules, many;
before(() => {
  modules = pageOf(timed()).address;
  const samples = Array.from({length: MANY}, (_, i) => {
    const pid = 1000 + (i % 100) * 1000;
    const ids = `${pid}/${pid + Math.floor(i / 100)}`;
    const time = `1.${String(i).padStart(6, '0')}`;
    return `w${i} ${ids} ${time}: ${i + 1} cycles: \n\t10 main+0x1 (/a)\n\n`;
  });
  many = pageOf(file(samples.join(''))).address;
});

/** Opens the list, if it is not, and waits for its rows: the browser says later that it is open. */
async function openList(page) {
  const list = page.locator('#filters details');
  if (!(await list.evaluate(e => e.open))) await page.locator('#filters summary').click();
  await page.locator('.thread').first().waitFor();
}

/** The rows of the list: text, share, and whether it is chosen. */
const rows = page =>
  page.$$eval('.thread', all =>
    all.map(row => {
      const {checked, indeterminate} = row.querySelector('input');
      const share = row.querySelector('span').textContent;
      return [
        row.querySelector('label').textContent.trim(),
        share,
        indeterminate ? 'some' : checked,
      ];
    }),
  );

/** Names may have marks around them that isolate their direction. */
const plainRows = async page =>
  (await rows(page)).map(([name, ...rest]) => [name.replace(/[\u2068\u2069]/g, ''), ...rest]);

test('threads have their share of the selection, by process, heaviest first', async () => {
  const page = await open(modules);
  await openList(page);
  assert.deepEqual(await plainRows(page), [
    ['all', '100.00%', true],
    ['process 100: app', '88.24%', true],
    ['app 100', '58.82%', true],
    ['worker 100/101', '29.41%', true],
    ['tool 200', '11.76%', true],
  ]);
  assert.equal(await text(page, '#filters details .quiet'), 'shares of the whole');
  // Of another event, others have a share.
  await page.getByLabel('Event').selectOption('cache-misses');
  await openList(page);
  assert.deepEqual((await plainRows(page)).slice(0, 3), [
    ['all', '100.00%', true],
    ['process 100: app', '100.00%', true],
    ['app 100', '100.00%', true],
  ]);
});

test('shares are of the range, if there is one', async () => {
  const page = await open(modules, {fragment: '#range=0-9500'});
  await openList(page);
  // In 9.5 ms, app has one sample, worker and tool have one each.
  assert.deepEqual(
    (await plainRows(page)).map(([name, share]) => [name, share]),
    [
      ['all', '100.00%'],
      ['process 100: app', '66.67%'],
      ['app 100', '33.33%'],
      ['worker 100/101', '33.33%'],
      ['tool 200', '33.33%'],
    ],
  );
  assert.match(await text(page, '#filters details .quiet'), /^shares of the range/);
});

test('shares are of the modules that the legend shows', async () => {
  const page = await open(modules);
  await openList(page);
  await page.getByLabel('Filter the threads').press('Escape');
  await page.getByLabel('Colours').getByRole('combobox').selectOption('module');
  await page.getByRole('button', {name: /^libc.so: /}).click();
  await openList(page);
  await page.getByText('shares of the selected modules').waitFor();
  // Only app parses, which ends in libc.
  assert.deepEqual((await plainRows(page)).map(([name, share]) => [name, share]).slice(2), [
    ['app 100', '100.00%'],
    ['worker 100/101', '0.00%'],
    ['tool 200', '0.00%'],
  ]);
});

test('a thread whose id is unknown is not taken for the first of its process', async () => {
  const sample = (ids, at) => `app ${ids} 1.${at}: 1000 cycles: \n\t10 main+0x1 (/a)\n\n`;
  const input = file(sample('7/7', '000001') + sample('7/7', '000002') + sample('7/-1', '000003'));
  const page = await open(pageOf(input).address);
  await openList(page);
  assert.deepEqual(
    (await plainRows(page)).map(([name]) => name),
    ['all', 'process 7: app', 'app 7', 'app 7/?'],
  );
  assert.match(wick('report', '--by', 'thread', input), /^ +1,000 +33.33%  app-7\/\?$/m);
});

/** Threads a, b and c, of which c is gone after and the recording before is longer. */
const sampleOf = (name, tid, weight) =>
  `${name} 7/${tid} 1.000000: ${weight} cycles: \n\t10 main+0x1 (/a)\n\n`;
const BEFORE = sampleOf('a', 7, 1000) + sampleOf('b', 8, 3000) + sampleOf('c', 9, 4000);
const AFTER = sampleOf('a', 17, 90) + sampleOf('b', 18, 10);

test('shares of threads in a difference are those after, or of the side shown alone', async () => {
  const page = await open(pageOf(file(AFTER), '--diff', file(BEFORE)).address);
  await openList(page);
  // Ids differ between recordings, so nobody knows which process threads belong to.
  assert.deepEqual(await plainRows(page), [
    ['all', '100.00%', true],
    ['a', '90.00%', true],
    ['b', '10.00%', true],
    ['c', '0.00%', true],
  ]);
  assert.equal(await text(page, '#filters details .quiet'), 'shares of the whole, after');
  await page.getByLabel('Side').selectOption('before');
  assert.deepEqual(
    (await plainRows(page)).map(([name, share]) => [name, share]),
    [
      ['all', '100.00%'],
      ['c', '50.00%'],
      ['b', '37.50%'],
      ['a', '12.50%'],
    ],
  );
  assert.equal(await text(page, '#filters details .quiet'), 'shares of the whole');
});

test('"only" selects a thread or a process alone', async () => {
  const page = await open(modules);
  await openList(page);
  await page.getByRole('button', {name: 'only worker 100/101'}).click();
  assert.equal(await text(page, '#filters summary'), '1 of 3 threads');
  assert.deepEqual(lines(await exportedFolded(page)), ['worker;start;work;work;leaf 50000']);
  await openList(page);
  assert.deepEqual(
    (await rows(page)).map(row => row[2]),
    ['some', 'some', false, true, false],
  );
  await page.getByRole('button', {name: /^only process 100/}).click();
  assert.equal(await text(page, '#filters summary'), '2 of 3 threads');
  await page.getByRole('button', {name: 'only all'}).click();
  assert.equal(await text(page, '#filters summary'), 'all threads');
});

test('the list keeps its filter, its rows and its focus while threads are chosen', async () => {
  const page = await open(modules);
  await openList(page);
  await page.getByLabel('Filter the threads').fill('WORKER');
  assert.deepEqual(await rows(page), []);
  assert.match(await text(page, '#filters details .quiet'), /^0 threads; /);
  await page.getByLabel('Filter the threads').fill('worker');
  assert.deepEqual(await rows(page), [
    ['all that match', '29.41%', true],
    ['worker 100/101', '29.41%', true],
  ]);
  const row = await page.locator('.thread').nth(1).elementHandle();
  await page.getByLabel('worker 100/101', {exact: true}).focus();
  await page.keyboard.press('Space');
  assert.equal(await text(page, '#filters summary'), '2 of 3 threads');
  assert.ok(await row.evaluate(e => e.isConnected && e.contains(document.activeElement)));
  await page.getByLabel('Filter the threads').focus();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#filters details[open]').count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'SUMMARY');
});

test('ten thousand threads are listed in parts, found, and chosen', async () => {
  const page = await open(many);
  await openList(page);
  assert.equal((await rows(page)).length, 200);
  await page.getByRole('button', {name: 'Show more (9,901)'}).click();
  assert.equal((await rows(page)).length, 800);
  await page.getByLabel('Filter the threads').fill('w777 ');
  assert.deepEqual(await rows(page), [
    ['all that match', '0.00%', true],
    ['w777 78000/78007', '0.00%', true],
  ]);
  await page.getByLabel('w777 78000/78007', {exact: true}).uncheck();
  assert.equal(await text(page, '#filters summary'), '9,999 of 10,000 threads');
  assert.ok(page.url().length < 1000, `the address has ${page.url().length} letters`);
  const again = await open(page.url());
  assert.equal(await text(again, '#filters summary'), '9,999 of 10,000 threads');
});

test('the list is within a narrow page', async () => {
  const page = await open(modules, {viewport: {width: 400, height: 600}});
  await openList(page);
  const {x, width} = await page.locator('#filters details > div').boundingBox();
  assert.ok(x >= 0 && x + width <= 400, `${x} to ${x + width}`);
});
