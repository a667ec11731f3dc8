// SPDX-License-Identifier: Apache-2.0
// Pages of differences.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {file, show} from '../browser.mjs';
import {
  boxes,
  exported,
  exportedFolded,
  lines,
  open,
  pageOf,
  tableRows,
  text,
  wick,
  written,
} from './page.mjs';

const BEFORE = 'main;old 40\nmain;same 50\nmain;grown 10\n';
const AFTER = 'main;fresh 20\nmain;same 50\nmain;grown 130\n';

test('a difference is shown normalised or absolute, with vanished and new frames', async () => {
  const page = await open(pageOf(file(AFTER), '--diff', file(BEFORE)).address);
  const by = async () => Object.fromEntries((await boxes(page)).map(box => [box.name, box]));
  // Normalised: the weights before count twice.
  const normal = await by();
  const share = {fresh: 20, grown: 130, old: 80, same: 100};
  const whole = 330;
  for (const [name, weight] of Object.entries(share))
    assert.ok(Math.abs(normal[name].width - (weight / whole) * 1000) < 1, name);
  assert.match(normal.old.tip, /^old \(vanished\)before: 40\.00%, after: 0\.00%/);
  assert.match(normal.fresh.tip, /^fresh \(new\)before: 0\.00%, after: 10\.00%/);
  assert.match(normal.grown.tip, /change: \+55\.00 points, with 95% confidence /);
  assert.match(normal.same.tip, /change: -25\.00 points/);
  assert.match(normal.grown.color, /^#ff(..)\1$/);
  assert.match(normal.same.color, /^#(..)\1ff$/);
  await page.getByLabel('Scale').selectOption('absolute');
  const absolute = await by();
  assert.equal(absolute.same.color, '#fafafa');
  assert.ok(Math.abs(absolute.same.width - (50 / 240) * 1000) < 1);
  const reopened = await open(page.url());
  assert.equal(await reopened.getByLabel('Scale').inputValue(), 'absolute');
});

test('exported stacks have the weights of both sides as they are, whatever is shown', async () => {
  const page = await open(pageOf(file(AFTER), '--diff', file(BEFORE)).address);
  const pairs = lines(wick('diff', '--quiet', '--to', 'folded', file(BEFORE), file(AFTER)));
  assert.deepEqual(lines(await exportedFolded(page)), pairs);
  await page.getByLabel('Scale').selectOption('absolute');
  assert.deepEqual(lines(await exportedFolded(page)), pairs);
});

test('each side of a difference can be shown alone', async () => {
  const page = await open(pageOf(file(AFTER), '--diff', file(BEFORE)).address);
  await page.getByLabel('Side').selectOption('before');
  assert.equal(await exportedFolded(page), wick('fold', '--quiet', file(BEFORE)));
  assert.deepEqual((await boxes(page)).map(box => box.name).sort(), [
    'all',
    'grown',
    'main',
    'old',
    'same',
  ]);
  assert.equal(await page.getByLabel('Scale').count(), 0);
  const again = await open(page.url());
  assert.equal(await exportedFolded(again), wick('fold', '--quiet', file(BEFORE)));
  await again.getByLabel('Side').selectOption('after');
  assert.equal(await exportedFolded(again), wick('fold', '--quiet', file(AFTER)));
  await again.getByRole('tab', {name: 'Table'}).click();
  assert.deepEqual(
    (await tableRows(again)).map(row => [row.name, row.cells[0]]),
    [
      ['grown', '130'],
      ['same', '50'],
      ['fresh', '20'],
      ['main', '0'],
    ],
  );
});

test('a difference explains why it has no time axis', async () => {
  const page = await open(pageOf(file(AFTER), '--diff', file(BEFORE)).address);
  for (const view of ['Time', 'Heat map']) {
    await page.getByRole('tab', {name: view}).click();
    assert.match(
      await text(page, '#view'),
      /Two recordings do not share a clock.*The page of a single recording has both/,
    );
  }
  await page.getByRole('tab', {name: 'About'}).click();
  assert.doesNotMatch(await text(page, '#view'), /the input has no timestamps/);
  assert.deepEqual(page.errors, []);
});

test('the table of a difference has the changes and intervals of wick diff', async () => {
  const page = await open(pageOf(file(AFTER), '--diff', file(BEFORE)).address);
  await page.getByRole('tab', {name: 'Table'}).click();
  const wanted = wick('diff', '--quiet', file(BEFORE), file(AFTER))
    .split('\n')
    .map(line =>
      line.match(/^ *([\d.]+%) +([\d.]+%) +([-+\d.]+) +([\d.]+)  (\*?) *(gone|new|) +(\S+)$/),
    )
    .filter(Boolean)
    .map(([, before, after, change, half, star, what, name]) => [
      name,
      change + (star ? ' *' : ''),
      Number(half),
      what === 'new' ? 'new' : before,
      what === 'gone' ? 'gone' : after,
    ]);
  assert.equal(wanted.length, 5);
  const found = (await tableRows(page)).map(({name, cells}) => [name, ...cells.slice(0, 4)]);
  assert.deepEqual(
    found.map(row => row.toSpliced(2, 1)),
    wanted.map(row => row.toSpliced(2, 1)),
  );
  for (const [i, [name, change, interval]] of found.entries()) {
    const [low, high] = numbers(interval);
    assert.ok(Math.abs((high - low) / 2 - wanted[i][2]) < 0.011, `${name}: ${interval}`);
    // A star is where the interval has no 0, as a reader sees it.
    assert.equal(change.endsWith('*'), low > 0 || high < 0, `${name}: ${interval}`);
  }
  await page.setViewportSize({width: 400, height: 600});
  const heights = await page.$$eval('#view tbody tr', rows =>
    rows.map(row => row.getBoundingClientRect().height),
  );
  assert.ok(Math.max(...heights) < 40, `rows are ${heights} high`);
});

test('CSV of a difference has plain changes, and stars at intervals', async () => {
  const address = pageOf(
    file('main;a 20\nmain;b 25\n'),
    '--diff',
    file('main;a 30\nmain;b 10\n'),
  ).address;
  const page = await open(address, {fragment: '#view=table'});
  const rows = (await exported(page, 'CSV')).toString().trim().split('\r\n');
  assert.deepEqual(rows, [
    'Change,95% interval,Before,After,Self after,Function',
    '-30.56,"[-47.86, -9.64] *",75.00%,44.44%,44.44%,a',
    '+30.56,"[+9.64, +47.86] *",25.00%,55.56%,55.56%,b',
    '0.00,"[-7.87, +8.76]",100.00%,100.00%,0.00%,main',
  ]);
});

/** Numbers of a text, without thousands separators. */
const numbers = line =>
  line
    .replaceAll(',', '')
    .match(/[-+]?\d+(?:\.\d+)?/g)
    .map(Number);

/** Rows of a table that wick prints, as numbers by function. */
const rowsOf = table =>
  Object.fromEntries(
    table
      .split('\n')
      .map(line => line.match(/^((?: +[-+]?[\d.]+%?){4})  (\*?).* (\S+)$/))
      .filter(Boolean)
      .map(([, cells, star, name]) => [name, [...numbers(cells), star]]),
  );

for (const scale of ['normalised', 'absolute'])
  test(`diff, report, SVG and page have the same numbers if they are ${scale}`, async () => {
    const [before, after] = [file(BEFORE), file(AFTER)];
    const words = ['--quiet', '--scale', scale];
    const table = wick('diff', ...words, before, after);
    const wanted = rowsOf(table);
    assert.deepEqual(Object.keys(wanted).sort(), ['fresh', 'grown', 'main', 'old', 'same']);
    const pairs = file(wick('diff', '--quiet', '--to', 'folded', before, after));
    assert.deepEqual(rowsOf(wick('report', ...words, pairs)), wanted);

    const svg = await show(written('.svg', 'diff', ...words, before, after).address);
    const titles = await svg.$$eval('#frames title', all => all.map(({textContent: t}) => t));
    for (const [name, [, , change]] of Object.entries(wanted)) {
      const title = titles.find(t => t.startsWith(`${name} (`));
      assert.equal(numbers(title.split(';')[1])[0], change, title);
    }

    const page = await open(pageOf(after, '--diff', before, '--scale', scale).address);
    for (const box of await boxes(page)) {
      if (box.name === 'all') continue;
      const [first, second, change] = numbers(box.tip.slice(box.tip.indexOf('before: ')));
      assert.deepEqual([first, second, change], wanted[box.name].slice(0, 3), box.tip);
    }
    await page.getByRole('tab', {name: 'Table'}).click();
    for (const {name, cells} of await tableRows(page)) {
      const [change, interval, ...sides] = cells;
      const [was, is, by, by95, star] = wanted[name];
      assert.equal(numbers(change)[0], by, name);
      const [low, high] = numbers(interval);
      // Of weights, bounds have four digits.
      const rounding = scale === 'absolute' ? 0.1 : 0.011;
      const half = (high - low) / 2;
      assert.ok(Math.abs(half - by95) < rounding, `${name}: ${interval} is not ${by95}`);
      assert.equal(change.includes('*'), star === '*', name);
      if (was > 0) assert.equal(numbers(sides[0])[0], was, name);
      if (is > 0) assert.equal(numbers(sides[1])[0], is, name);
    }

    // Each says which it shows.
    assert.ok(table.includes(`, ${scale}; `), table);
    assert.ok((await text(svg, '#footer')).includes(` · ${scale}: `));
    assert.ok((await text(page, '#view p')).includes(`; ${scale}: `));
    assert.equal(
      await page.getByLabel('Scale').evaluate(field => field.selectedOptions[0].text),
      scale,
    );
  });
