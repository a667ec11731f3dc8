// SPDX-License-Identifier: Apache-2.0
// The table of functions and the field of the sandwich.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {drawn, exported, open, pageOf, pasted, tableRows, text, wick} from './page.mjs';

/** perf script's text: modules are known. */
const CALLS = `app 1/1 1.0: 6 cycles:
\t 3000 std::map<int, char>::find (/lib/libfind.so)
\t 2000 parse (/bin/app)
\t 1000 main (/bin/app)

app 1/1 2.0: 3 cycles:
\t 3000 std::map<int, char>::find (/lib/libfind.so)
\t 2500 print (/bin/app)
\t 1000 main (/bin/app)

app 1/1 3.0: 1 cycles:
\t 1000 main (/bin/app)
`;
const MANY = 100_000;

let calls;
let many;
before(() => {
  calls = file(CALLS);
  const lines = Array.from({length: MANY}, (_, i) => `main;function_${i} ${i + 1}`);
  many = pageOf(file(lines.join('\n') + '\n')).address;
});
const table = page => page.locator('#view table');
const nameButton = (page, name) => page.locator('.function', {hasText: name});

test('shares are bars, and functions have their module', async () => {
  const page = await open(pageOf(calls).address, {fragment: '#view=table'});
  const bars = await page.$$eval('#view tbody tr', rows =>
    rows.map(row =>
      Array.from(row.querySelectorAll('td'), td => td.style.getPropertyValue('--share')).join(' '),
    ),
  );
  assert.deepEqual(
    bars.map(text => text.trim().split(/ +/)),
    [['90.00%', '90.00%'], ['10.00%', '100.00%'], ['60.00%'], ['30.00%']],
  );
  assert.deepEqual(
    await page.$$eval('#view tbody tr', rows => rows.map(row => row.cells[5].textContent)),
    ['libfind.so', 'app', 'app', 'app'],
  );
});

test('every column sorts, and says so to screen readers', async () => {
  const page = await open(pageOf(calls).address, {fragment: '#view=table'});
  for (const [title, first] of [
    ['Total', 'descending'],
    ['Function', 'ascending'],
    ['Module', 'ascending'],
  ]) {
    const head = page.getByRole('columnheader', {name: new RegExp(`^${title}( [▲▼])?$`)});
    await head.getByRole('button').click();
    assert.equal(await head.getAttribute('aria-sort'), first, title);
    const names = (await tableRows(page)).map(row => row.name);
    await head.getByRole('button').click();
    assert.notEqual(await head.getAttribute('aria-sort'), first);
    assert.equal((await tableRows(page)).length, names.length);
    assert.notDeepEqual(
      (await tableRows(page)).map(row => row.name),
      names,
      title,
    );
    if (title === 'Function') assert.deepEqual(names, [...names].sort());
  }
});

test('a function opens to its callers, with the weights of wick report', async () => {
  const page = await open(pageOf(calls).address, {fragment: '#view=table'});
  const find = nameButton(page, 'find');
  await find.focus();
  await page.keyboard.press('ArrowRight');
  const rows = (await tableRows(page)).map(row => [row.name, row.cells[2], row.cells[3]]);
  const report = wick('report', '--quiet', '--callers', 'std::map<int, char>::find', calls);
  const wanted = [...report.matchAll(/^ *(\d+) +(\S+%) +\S+%  (\w+)$/gm)].map(m => m.slice(1));
  assert.equal(wanted.length, 2);
  assert.deepEqual(
    rows.slice(1, 3),
    wanted.map(([total, share, name]) => [name, total, share]),
  );
  // Callers open as well; a thread has none.
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(
    (await tableRows(page)).slice(0, 4).map(row => row.name),
    ['std::map<int, char>::find', 'parse', 'main', 'print'],
  );
  await page.getByRole('button', {name: 'Callers of std::map'}).click();
  assert.equal(await table(page).getAttribute('aria-rowcount'), '5');
});

test('the table is used by keys alone, and its rows are one stop of the Tab key', async () => {
  const page = await open(pageOf(calls).address, {fragment: '#view=table'});
  assert.equal(await page.locator('#view tbody button:not([tabindex="-1"])').count(), 1);
  await nameButton(page, 'find').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'Home', 'End']) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'print');
  assert.match(await text(page, '#details'), /^print .*Module: \/bin\/app/);
  await page.keyboard.press('Enter');
  assert.equal(await page.getByLabel('Function', {exact: true}).inputValue(), 'print');
});

test('a long name keeps its last part in sight, and all of it is in the tip', async () => {
  const name = `${'outermost_namespace::'.repeat(30)}last_part`;
  const page = await open(pageOf(file(`main;${name} 5\n`)).address, {
    fragment: '#view=table',
    viewport: {width: 400, height: 600},
  });
  const last = page.locator('.function .last', {hasText: 'last_part'});
  const {x, width} = await last.boundingBox();
  assert.ok(x + width <= 400, `it ends at ${x + width}`);
  assert.ok(await last.evaluate(span => span.scrollWidth <= span.clientWidth));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 400));
  await last.hover();
  assert.match(await text(page, '#tip b'), /^\.\.(outermost_namespace::)+last_part$/);
  assert.equal(await text(page, '#tip .whole'), name);
  await nameButton(page, 'last_part').focus();
  await page.keyboard.press('Home');
  assert.match(await text(page, '#details'), /^\.\.(outermost_namespace::)+last_part · Self: 5/);
});

test('all functions are saved as CSV and copied, and no name is a formula', async () => {
  const page = await open(pageOf(file('main;=cmd("x") 3\nmain;a,b 1\n')).address, {
    fragment: '#view=table',
  });
  const csv = (await exported(page, 'CSV')).toString();
  assert.deepEqual(csv.trim().split('\r\n'), [
    'Self,Self %,Total,Total %,Function',
    `3,75.00%,3,75.00%,"'=cmd(""x"")"`,
    '1,25.00%,1,25.00%,"a,b"',
    '0,0.00%,4,100.00%,main',
  ]);
  await page.locator('#export').click();
  await page.getByRole('menuitem', {name: 'Copy this table'}).click();
  const rows = [
    'Self\tSelf %\tTotal\tTotal %\tFunction',
    `3\t75.00%\t3\t75.00%\t"'=cmd(""x"")"`,
    '1\t25.00%\t1\t25.00%\t"a,b"',
    '0\t0.00%\t4\t100.00%\tmain',
    '',
  ].join('\n');
  assert.equal(await pasted(page, rows), rows);
});

test('a table of 100,000 functions has few rows in the document', async () => {
  const page = await open(many, {fragment: '#view=table'});
  const shown = async () => (await tableRows(page)).map(row => row.name);
  assert.equal(await table(page).getAttribute('aria-rowcount'), String(MANY + 2));
  assert.ok((await shown()).length < 300);
  await nameButton(page, /^function_99999$/).focus();
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.activeElement.textContent === 'main');
  assert.ok((await shown()).length < 300);
  assert.equal(await page.locator('tr:focus-within').getAttribute('aria-rowindex'), `${MANY + 2}`);
  // The middle, by the scroll bar: rows are where the scroll bar says.
  await page.$eval('.page.table', element => (element.scrollTop = element.scrollHeight / 2));
  await drawn(page);
  await page.waitForFunction(() => {
    const box = document.querySelector('.page.table').getBoundingClientRect();
    const row = document.elementFromPoint(box.left + 50, box.top + 300)?.closest('tr');
    return row && Math.abs(Number(row.getAttribute('aria-rowindex')) - 50_000) < 50;
  });
  // Focus was on a row that was scrolled away.
  assert.equal(await page.evaluate(() => document.activeElement.className), 'page table');
});

test('the field of the sandwich completes functions, heaviest first', async () => {
  const page = await open(pageOf(calls).address, {fragment: '#view=sandwich'});
  const field = page.getByRole('combobox', {name: 'Function'});
  const options = () => page.locator('#view').getByRole('option').allTextContents();
  await field.fill('^p');
  assert.deepEqual(await options(), ['60.00%parse', '30.00%print']);
  await field.fill('p');
  assert.deepEqual(await options(), [
    '90.00%std::map<int, char>::find',
    '60.00%parse',
    '30.00%print',
  ]);
  for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  const active = await field.getAttribute('aria-activedescendant');
  assert.equal(await page.locator(`#${active}`).textContent(), '60.00%parse');
  await page.keyboard.press('Enter');
  assert.equal(await field.inputValue(), 'parse');
  assert.equal(await page.getByRole('listbox').isVisible(), false);
  // A name as it is, although it is no regular expression that matches itself.
  await field.fill('char>::f');
  await page.keyboard.press('Enter');
  assert.equal(await field.inputValue(), 'std::map<int, char>::find');
});

test('the sandwich says that no function matches, and Escape gives the name back', async () => {
  const page = await open(pageOf(calls).address, {fragment: '#view=sandwich'});
  const field = page.getByRole('combobox', {name: 'Function'});
  const name = await field.inputValue();
  await field.fill('(nothing');
  assert.equal(await text(page, '.none'), 'No function matches.');
  await page.keyboard.press('Enter');
  assert.equal(await text(page, '.none'), 'No function matches.');
  await page.keyboard.press('Escape');
  assert.equal(await field.inputValue(), name);
  assert.equal(await text(page, '.none'), '');
});

test('functions with the same weight are in the order of wick report', async () => {
  const input = file('zeta;b;leaf 5\nzeta;b;a;leaf 3\n');
  const page = await open(pageOf(input).address, {fragment: '#view=table'});
  const reported = wick('report', '--quiet', '--by', 'function', '--top', '0', input)
    .split('\n')
    .map(line => line.match(/^ *[\d,]+ +[\d.]+% +[\d,]+ +[\d.]+%  (.+)$/)?.[1])
    .filter(Boolean);
  assert.deepEqual(reported, ['leaf', 'b', 'zeta', 'a']);
  assert.deepEqual(
    (await tableRows(page)).map(row => row.name),
    reported,
  );
});
