// SPDX-License-Identifier: Apache-2.0
// Processes and threads are not functions, even if they are named like one; and a thread is one
// thread, however often its name changes.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file, picture, show} from '../browser.mjs';
import {boxNames, canvas, choose, drawn, open, pageOf, tableRows, text, wick} from './page.mjs';

/** Samples as perf script prints them: [comm, pid, tid, frames…, weight], outermost first. */
const perfScript = samples =>
  samples
    .map(([comm, pid, tid, weight, ...frames], i) => {
      const lines = frames.reverse().map((name, at) => `\t    ${at + 1}000 ${name} (/bin/leafy)`);
      return `${comm} ${pid}/${tid} ${i + 1}.000000: ${weight} cycles: \n${lines.join('\n')}\n`;
    })
    .join('\n');

/** A program `leafy` that spends 37 % in its function `leafy`. */
const LEAFY = perfScript([
  ['leafy', 10, 10, 63, 'main', 'other'],
  ['leafy', 10, 10, 37, 'main', 'leafy'],
]);

/** Thread 11 calls itself `worker` once it runs; thread 12 keeps its name. */
const RENAMED = perfScript([
  ['app', 10, 11, 1, 'start', 'begin'],
  ['worker', 10, 11, 8, 'start', 'work'],
  ['app', 10, 12, 5, 'start', 'wait'],
]);

let leafy;
let renamed;
before(() => {
  leafy = file(LEAFY);
  renamed = file(RENAMED);
});

test('the table has the function, not the program of the same name, as wick report', async () => {
  const page = await open(pageOf(leafy).address, {fragment: '#view=table'});
  const rows = (await tableRows(page)).map(({name, cells}) => [...cells.slice(0, 4), name]);
  const reported = wick('report', '--quiet', '--by', 'function', leafy)
    .split('\n')
    .map(line => line.match(/^ *(\d+) +(\S+%) +(\d+) +(\S+%)  (\S+)$/)?.slice(1))
    .filter(Boolean);
  assert.deepEqual(rows, reported);
  assert.deepEqual(rows.find(([, , , , name]) => name === 'leafy')?.slice(2), [
    '37',
    '37.00%',
    'leafy',
  ]);
});

test('a search finds the function, and a thread if no function has that name', async () => {
  const page = await open(pageOf(leafy).address, {fragment: '#search=leafy'});
  assert.match(await text(page, '#matched'), /37\.00%/);
  const other = await open(pageOf(renamed).address, {fragment: '#search=^worker$'});
  assert.match(await text(other, '#matched'), /57\.14%/);
});

test('the search of the SVG does the same', async () => {
  const find = async (input, term) => {
    const page = await show(picture(input) + `#search=${term}`);
    return text(page, '#matched');
  };
  assert.match(await find(LEAFY, 'leafy'), /37\.00%/);
  assert.match(await find(RENAMED, '^worker$'), /57\.14%/);
});

test('the sandwich and steps take the function, not the program', async () => {
  const page = await open(pageOf(leafy).address, {fragment: '#view=sandwich'});
  await page.getByLabel('Function', {exact: true}).fill('leafy');
  await page.getByLabel('Function', {exact: true}).press('Enter');
  assert.match(await text(page, '#shares'), /self 37\.00%, total 37\.00%/);
  await page.getByRole('tab', {name: 'Icicle'}).click();
  await drawn(page);
  // The box of the program is drawn first.
  await choose(page, 'leafy', 'Drop stacks that contain it');
  await canvas(page).waitFor();
  await page.keyboard.press('Control+Z');
  await choose(page, 'other', 'Hide the function');
  assert.deepEqual(await boxNames(page), ['all', 'leafy', 'main', 'leafy']);
});

test('functions are counted as by wick report: no threads, but code without a name', async () => {
  const unnamed = file(
    'app 1/1 1.0: 1 cycles: \n\t 1000 [unknown] (/lib/a.so)\n\n' +
      'app 1/1 2.0: 1 cycles: \n\t 1000 [unknown] (/lib/b.so)\n\n',
  );
  for (const [input, count] of [
    [leafy, 3],
    [renamed, 4],
    [unnamed, 2],
  ]) {
    const listed = wick('report', '--quiet', '--raw', '--by', 'function', '--top', '0', input);
    const rows = listed.split('\n').filter(line => /^ *\d+ +\S+% +\d+ +\S+%  /.test(line));
    assert.equal(rows.length, count, listed);
    const page = await open(pageOf(input).address, {fragment: '#view=about'});
    assert.match(await text(page, '#view dl'), new RegExp(`functions${count}distinct`));
  }
});

test('a renamed thread is one thread, with its last name, as in wick report', async () => {
  const page = await open(pageOf(renamed).address, {fragment: '#view=about'});
  assert.match(await text(page, '#view dl'), /threads2 in 1 process/);
  await page.locator('#filters summary').click();
  await page.getByLabel('worker 10/11', {exact: true}).uncheck();
  assert.equal(await page.getByLabel('app 10/12', {exact: true}).isChecked(), true);
  assert.equal(await text(page, '#filters summary'), '1 of 2 threads');
  const report = wick('report', '--quiet', '--raw', '--by', 'thread', renamed);
  const rows = report.match(/^ *\d+ +\S+%  .+$/gm).map(line => line.trim().split(/ {2,}/));
  assert.deepEqual(
    rows.map(cells => [cells[0].split(' ')[0], cells.at(-1)]),
    [
      ['9', 'worker-10/11'],
      ['5', 'app-10/12'],
    ],
  );
});
