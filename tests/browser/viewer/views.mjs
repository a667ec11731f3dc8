// SPDX-License-Identifier: Apache-2.0
// Every view shows the numbers that `wick fold` and `wick report` have.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {
  boxes,
  boxNamed,
  canvas,
  drawn,
  exportedFolded,
  layout,
  lines,
  open,
  pageOf,
  ROW,
  sameBoxes,
  tableRows,
  text,
  wick,
} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

let input, page0;
before(() => {
  input = timed();
  page0 = pageOf(input).address;
});
const fold = (...options) => wick('fold', '--quiet', ...options, input);
const dragged = async (page, from, to, options = {}) => {
  if (options.shift) await page.keyboard.down('Shift');
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
  await page.mouse.move(...to);
  await page.mouse.up();
  if (options.shift) await page.keyboard.up('Shift');
  await drawn(page);
};

test('the flame graph has the boxes of wick fold, in the layout of the SVG', async () => {
  const page = await open(page0);
  const found = await boxes(page);
  sameBoxes(found, layout(fold()));
  // The root is at the bottom, however few rows there are.
  const {height} = await canvas(page).boundingBox();
  assert.equal(found.find(box => box.name === 'all').row, Math.floor(height / ROW) - 1);
  assert.equal(await exportedFolded(page), fold());
  assert.deepEqual(page.errors, []);
});

test('the icicle has its root at the top and the heaviest callee left', async () => {
  const page = await open(page0);
  await page.getByRole('tab', {name: 'Icicle'}).click();
  sameBoxes(await boxes(page), layout(fold(), {heavy: true}), {rootAtTop: true});
});

test('the order of siblings can be chosen in both', async () => {
  const page = await open(page0);
  await page.getByLabel('Order').selectOption('heaviest first');
  sameBoxes(await boxes(page), layout(fold(), {heavy: true}));
  await page.keyboard.press('o');
  sameBoxes(await boxes(page), layout(fold()));
});

test('the table has the numbers of wick report, and sorts by each of its columns', async () => {
  const page = await open(page0);
  await page.getByRole('tab', {name: 'Table'}).click();
  const reported = new Map(
    wick('report', '--quiet', '--by', 'function', '--top', '0', input)
      .split('\n')
      .map(line => line.match(/^ *([\d,]+) +([\d.]+%) +([\d,]+) +([\d.]+%)  (.+)$/))
      .filter(Boolean)
      .map(([, ...cells]) => [cells.pop(), cells]),
  );
  assert.equal(reported.size, 9);
  const rows = await tableRows(page);
  assert.equal(rows.length, reported.size);
  for (const {name, cells} of rows) assert.deepEqual(cells, reported.get(name), name);

  const number = cell => Number(cell.replace(/[,%]/g, ''));
  const falling = values => values.every((v, i) => i === 0 || values[i - 1] >= v);
  for (const [i, title] of ['Self', 'Self %', 'Total', 'Total %'].entries()) {
    const head = page.locator('thead th').nth(i);
    if ((await head.getAttribute('aria-sort')) !== 'descending')
      await head.locator('button').click();
    assert.match(await head.textContent(), new RegExp(`^${title}`));
    assert.ok(falling((await tableRows(page)).map(row => number(row.cells[i]))), title);
    await head.locator('button').click();
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    assert.ok(falling((await tableRows(page)).map(row => -number(row.cells[i]))), title);
  }
  await page.locator('thead th').nth(4).locator('button').click();
  const names = (await tableRows(page)).map(row => row.name);
  assert.deepEqual(names, [...names].sort());
});

test('the sandwich has the callers and the callees of a function', async () => {
  const page = await open(page0);
  await page.getByRole('tab', {name: 'Table'}).click();
  await page.locator('td button', {hasText: /^work$/}).click();
  await drawn(page);
  const names = async which =>
    (await boxes(page, which)).map(box => [box.name, Math.round(box.width)]);
  assert.deepEqual(await names(0), [
    ['worker', 1000],
    ['start', 1000],
    ['work', 1000],
  ]);
  assert.deepEqual(await names(1), [
    ['work', 1000],
    ['work', 1000],
    ['leaf', 1000],
  ]);
  // All stacks that have it, from either process.
  await page.getByLabel('Function', {exact: true}).fill('main');
  await page.getByLabel('Function', {exact: true}).press('Enter');
  const callers = await names(0);
  assert.deepEqual(callers.map(([name]) => name).sort(), ['app', 'main', 'tool']);
  assert.deepEqual(Object.fromEntries(callers), {
    app: Math.round((100 / 120) * 1000),
    tool: Math.round((20 / 120) * 1000),
    main: 1000,
  });
  assert.deepEqual(Object.fromEntries(await names(1)), {
    main: 1000,
    draw: 417,
    parse: 417,
    read: 417,
    'std::vector<int>::at': 417,
    'std::vector<char>::at': 167,
  });
});

test('a range of the heat map has the flame graph that wick fold --time has', async () => {
  const page = await open(page0);
  await page.getByRole('tab', {name: 'Heat map'}).click();
  const map = await page.locator('.heat canvas').boundingBox();
  // From the first cell to the middle: the left half of the map, which is beside its axis, is the
  // first half second.
  const middle = map.x + (map.width + 52) / 2;
  await dragged(page, [map.x + 53, map.y + map.height - 1], [middle - 2, map.y + 1]);
  const chip = await text(page, '.chip');
  const [, from, to] = chip.match(/Range ([\d.]+) s – ([\d.]+) s/).map(Number);
  assert.equal(from, 0);
  assert.ok(Math.abs(to - 0.5) < 0.02, chip);
  const half = fold('--time', `0..${to}`);
  assert.equal(await exportedFolded(page), half);
  sameBoxes(await boxes(page), layout(half));
  assert.doesNotMatch(half, /draw/);

  // With Shift, the other half becomes the range to compare with.
  await dragged(page, [middle + 2, map.y + map.height - 1], [map.x + map.width - 2, map.y + 1], {
    shift: true,
  });
  const vanished = await boxNamed(page, 'draw');
  const fresh = await boxNamed(page, 'parse');
  assert.match(vanished.tip, /^draw \(vanished\)before: 58\.82%, after: 0\.00%/);
  assert.match(fresh.tip, /^parse \(new\)before: 0\.00%, after: 58\.82%/);
  assert.match(vanished.color, /^#(..)\1ff$/);
  assert.match(fresh.color, /^#ff(..)\1$/);
  assert.equal(await page.locator('.chip').count(), 2);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.chip').count(), 0);
  assert.equal(await exportedFolded(page), fold());
});

test('filters by event, thread and process', async () => {
  const page = await open(page0);
  await page.getByLabel('Event').selectOption('cache-misses');
  assert.equal(await exportedFolded(page), fold('--event', 'cache-misses'));
  await page.getByLabel('Event').selectOption('cycles');
  await page.locator('#filters summary').click();
  await page.getByLabel('worker 100/101', {exact: true}).uncheck();
  assert.equal(await text(page, '#filters summary'), '2 of 3 threads');
  assert.deepEqual(
    lines(await exportedFolded(page)),
    lines(fold('--only-tid', '100') + fold('--only-tid', '200')),
  );
  // A click outside the list has closed it.
  await page.locator('#filters summary').click();
  await page.getByLabel('worker 100/101', {exact: true}).check();
  await page.getByLabel(/^process 100/).uncheck();
  assert.equal(await exportedFolded(page), fold('--only-pid', '200'));
  await page.locator('#filters summary').click();
  await page.getByLabel('all', {exact: true}).check();
  assert.equal(await exportedFolded(page), fold());
});

test('the page lists what was recorded and what is missing', async () => {
  const page = await open(pageOf(file(SAMPLES + 'not a folded line\n')).address);
  assert.equal(await text(page, '#losses'), '1 loss');
  await page.locator('#losses').click();
  assert.match(await text(page, '#view li.loss'), /1 line could not be read/);
  assert.match(await text(page, '#view dl'), /functions7distinct stacks5/);
});
