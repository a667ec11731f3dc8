// SPDX-License-Identifier: Apache-2.0
// A page that gets a new profile keeps its view of it.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {file} from '../browser.mjs';
import {
  boxes,
  boxNamed,
  boxNames,
  choose,
  click,
  crumbs,
  drawn,
  open,
  pageOf,
  pasted,
  text,
} from './page.mjs';

const packed = (folded, ...options) =>
  pageOf(file(folded), ...options)
    .text()
    .match(/id="data">([^<]*)</)[1];

/** Gives the page another profile, as a program does that serves it. */
async function load(page, folded, baseline) {
  await page.evaluate(
    async texts => {
      const [now, before] = texts.map(t => t && Uint8Array.from(atob(t), c => c.charCodeAt(0)));
      await window.wick.load(now, {baseline: before});
    },
    [packed(folded), baseline && packed(baseline)],
  );
  await drawn(page);
}

const BEFORE = 'main;parse;read 30\nmain;parse;skip 10\nmain;draw;flush 40\nidle 20\n';
/** Other numbers of functions and boxes: there is a new function before all others. */
const AFTER = 'aaa;bbb 50\nmain;parse;read 60\nmain;parse;skip 10\nmain;draw 40\nidle 40\n';
/** Without parse. */
const WITHOUT = 'aaa 10\nmain;draw;flush 40\n';

const opened = (fragment = '') => open(pageOf(file(BEFORE)).address, {fragment});
const lost = page => page.locator('#filters [role=status]').allTextContents();

test('a new profile is shown with its own numbers', async () => {
  const page = await opened();
  await load(page, AFTER);
  const found = await boxes(page);
  assert.ok(found.some(box => box.name === 'aaa'));
  const [idle, whole] = ['idle', 'all'].map(name => found.find(box => box.name === name).width);
  assert.equal((idle / whole).toFixed(2), '0.20');
  assert.deepEqual(page.errors, []);
});

test('the zoom stays at the frame with the same callers', async () => {
  const page = await opened();
  await click(page, 'read');
  await load(page, AFTER);
  assert.deepEqual(await crumbs(page), ['all', 'main', 'parse', 'read']);
  assert.deepEqual(await lost(page), []);
  assert.ok(!(await boxNames(page)).includes('aaa'));
});

test('if the zoomed frame is gone, its nearest caller is shown, and the page says so', async () => {
  const page = await opened();
  await click(page, 'read');
  await load(page, WITHOUT);
  assert.deepEqual(await crumbs(page), ['all', 'main']);
  assert.deepEqual(await lost(page), ['Not in this profile: the zoomed frame']);
});

test('steps, marks and the search stay', async () => {
  const page = await opened();
  await choose(page, 'draw', 'Hide the function');
  await choose(page, 'parse', 'Mark all its frames');
  await page.locator('#search').fill('read');
  await page.locator('#view canvas').focus();
  await load(page, AFTER);
  assert.deepEqual(await page.locator('.chip').allTextContents(), ['hide draw', 'marked: parse ×']);
  assert.equal(await page.locator('#search').inputValue(), 'read');
  assert.match(await text(page, '#matched'), /^Matched: 30/);
  assert.ok(!(await boxNames(page)).includes('draw'));
  const parse = await boxNamed(page, 'parse');
  assert.equal(parse.color, '#1afdff');
});

test('a subtree is found by its callers, and so are names that steps made', async () => {
  const page = await opened();
  await choose(page, 'parse', 'Focus on this subtree');
  await page.keyboard.press('T');
  await load(page, AFTER);
  assert.deepEqual(await page.locator('.chip').allTextContents(), [
    'subtree parse',
    'no template arguments',
  ]);
  assert.deepEqual((await boxNames(page)).sort(), ['all', 'parse', 'read', 'skip']);
});

test('a step whose function is gone is left out, and the page says so', async () => {
  const page = await opened();
  await choose(page, 'parse', 'Focus on the function');
  await load(page, WITHOUT);
  assert.equal(await page.locator('.chip').count(), 0);
  assert.deepEqual(await lost(page), ['Not in this profile: the function of a step']);
  await click(page, 'draw');
  assert.deepEqual(await lost(page), []);
});

const threads = ids =>
  ids
    .map(
      ([pid, name, f], i) =>
        `${name} ${pid}/${pid} ${10 + i}.000000: 1000 cycles: \n\t1000 ${f}+0x1 (/bin/app)\n\n`,
    )
    .join('');

test('threads are found by their ids', async () => {
  const first = threads([
    [7, 'seven', 'f'],
    [8, 'eight', 'g'],
  ]);
  const second = threads([
    [3, 'three', 'e'],
    [7, 'seven', 'f'],
    [8, 'renamed', 'g'],
  ]);
  const page = await open(pageOf(file(first)).address);
  await page.locator('#filters summary').click();
  await page.getByRole('checkbox', {name: /seven/}).last().uncheck();
  assert.ok(!(await boxNames(page)).includes('f'));
  await load(page, second);
  const names = await boxNames(page);
  assert.ok(names.includes('g') && !names.includes('f') && !names.includes('e'), names.join());
});

test('the table and its place stay', async () => {
  const many = from =>
    Array.from({length: 200}, (_, i) => `main;f${from + i} ${1000 - from - i}\n`).join('');
  const page = await open(pageOf(file(many(0))).address, {fragment: '#view=table'});
  await page.locator('#view').evaluate(view => {
    view.querySelector('.page').scrollTop = 500;
  });
  await drawn(page);
  const numbers = async () =>
    (await page.locator('#view tbody').textContent()).match(/(?<=\bf)\d+/g).map(Number);
  const before = await numbers();
  await load(page, many(3));
  assert.equal(await page.locator('.page').evaluate(e => e.scrollTop), 500);
  assert.deepEqual(
    await numbers(),
    before.map(number => number + 3),
  );
});

test('a deep flame graph stays scrolled', async () => {
  const deep = n => `${Array.from({length: 100}, (_, i) => `f${i}`).join(';')} ${n}\n`;
  const page = await open(pageOf(file(deep(1))).address);
  const stage = page.locator('#view .stage');
  await stage.evaluate(e => {
    e.scrollTop = 400;
  });
  await drawn(page);
  const aboveRoot = () => stage.evaluate(e => e.scrollHeight - e.clientHeight - e.scrollTop);
  const before = await aboveRoot();
  assert.ok(before > 100);
  await load(page, deep(2) + 'other 1\n');
  assert.equal(await aboveRoot(), before);
});

test('colours show what grew and what shrank since the profile before', async () => {
  const page = await opened();
  assert.equal(await page.getByRole('button', {name: 'Changes'}).count(), 0);
  await load(page, 'main;parse;read 60\nmain;parse;skip 10\nmain;draw;flush 20\nidle 10\nnew 0\n');
  await page.getByRole('button', {name: 'Changes'}).click();
  const colors = Object.fromEntries((await boxes(page)).map(box => [box.name, box.color]));
  const [red, blue] = [/^#ff(?!ff)/, /^#(?!ff)....?ff$/];
  assert.match(colors.read, red);
  assert.match(colors.flush, blue);
  assert.match(colors.idle, blue);
  assert.equal(colors.skip, '#fafafa');
  assert.match(await text(page, '#filters'), /red grew, blue shrank/);
  const {x, y} = await boxNamed(page, 'read');
  await page.mouse.move(x, y);
  assert.match(await text(page, '#tip'), /in the profile before: 30\.0/);
});

test('colours can show the change from a given profile', async () => {
  const page = await opened();
  await load(page, 'a 50\nb 50\n', 'a 80\nb 20\n');
  await page.getByRole('button', {name: 'Changes'}).click();
  const colors = Object.fromEntries((await boxes(page)).map(box => [box.name, box.color]));
  assert.match(colors.a, /ff$/);
  assert.match(colors.b, /^#ff/);
  await load(page, 'a 90\nb 10\n', 'a 80\nb 20\n');
  const later = Object.fromEntries((await boxes(page)).map(box => [box.name, box.color]));
  assert.match(later.a, /^#ff/);
});

test('damaged data is refused, and the page stays as it was', async () => {
  const page = await opened();
  const before = await boxNames(page);
  const error = await page.evaluate(() =>
    window.wick.load(new Uint8Array([1, 2, 3])).catch(reason => reason.message),
  );
  assert.match(error, /cut off or was changed/);
  assert.deepEqual(await boxNames(page), before);
});

test('Back does not go back to another profile', async () => {
  const page = await opened();
  await click(page, 'parse');
  await load(page, AFTER);
  await page.goBack();
  await drawn(page);
  assert.deepEqual(await crumbs(page), ['all', 'main', 'parse']);
});

test('undo does not go back to another profile', async () => {
  const page = await opened();
  await click(page, 'parse');
  await load(page, AFTER);
  const before = await crumbs(page);
  await page.keyboard.press('Control+Z');
  await drawn(page);
  assert.deepEqual(await crumbs(page), before);
  await click(page, 'read');
  await page.keyboard.press('Control+Z');
  await drawn(page);
  assert.deepEqual(await crumbs(page), before);
});

test('the selected frame stays', async () => {
  const page = await opened();
  const {x, y} = await boxNamed(page, 'draw');
  await page.mouse.click(x, y, {button: 'right'});
  await page.keyboard.press('Escape');
  await load(page, AFTER);
  await page.locator('#view canvas').focus();
  await page.keyboard.press('C');
  assert.equal(await pasted(page, 'main\ndraw'), 'main\ndraw');
});

test('the chosen kinds of code and the colours stay', async () => {
  const page = await open(pageOf(file('main;read_[k] 3\nmain;parse 7\n')).address);
  const kernel = page.locator('#legend').getByRole('button', {name: 'kernel'});
  await kernel.click();
  await page.locator('#legend select').selectOption('name');
  await load(page, 'aaa 1\nmain;write_[k] 3\nmain;parse 7\n');
  assert.deepEqual((await boxNames(page)).sort(), ['all', 'main', 'write']);
  assert.equal(await page.locator('#legend select').inputValue(), 'name');
});

test('an address can choose colours and show what changed', async () => {
  const page = await opened('#colors=name&changes=shown');
  await load(page, 'main;parse;read 60\nidle 10\n');
  const {pressed} = await page
    .getByRole('button', {name: 'Changes'})
    .evaluate(button => ({pressed: button.getAttribute('aria-pressed')}));
  assert.equal(pressed, 'true');
  assert.match(page.url(), /changes=shown.*colors=name/);
});
