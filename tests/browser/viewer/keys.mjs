// SPDX-License-Identifier: Apache-2.0
// Everything can be done with keys alone.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {boxNamed, canvas, crumbs, exportedFolded, lines, open, pageOf, text} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

let plain, modules;
before(() => {
  plain = pageOf(file(SAMPLES)).address;
  modules = pageOf(timed()).address;
});

test('n and N go through the matches, widest first', async () => {
  const page = await open(plain);
  await page.keyboard.press('/');
  await page.keyboard.type('^(draw|parse|idle)$');
  await page.keyboard.press('Enter');
  const at = async () => [
    await text(page, '#matched'),
    (await text(page, '#details')).split(' ')[0],
  ];
  assert.deepEqual(await at(), ['Matched: 100.00% of the whole · 1 of 3', 'draw']);
  await page.locator('#next').click();
  assert.deepEqual(await at(), ['Matched: 100.00% of the whole · 2 of 3', 'parse']);
  await canvas(page).focus();
  await page.keyboard.press('n');
  assert.deepEqual(await at(), ['Matched: 100.00% of the whole · 3 of 3', 'idle']);
  await page.keyboard.press('n');
  assert.deepEqual(await at(), ['Matched: 100.00% of the whole · 1 of 3', 'draw']);
  await page.keyboard.press('N');
  assert.deepEqual(await at(), ['Matched: 100.00% of the whole · 3 of 3', 'idle']);
});

const hasFocus = (page, tag) => page.evaluate(name => document.activeElement.tagName === name, tag);
const selectedName = async page => (await text(page, '#details')).split(' ')[0];

/** A page whose picture has the focus, which Tab moved there. */
async function openWithFocus(address) {
  const page = await open(address);
  for (let i = 0; i < 30 && !(await hasFocus(page, 'CANVAS')); ++i)
    await page.keyboard.press('Tab');
  return page;
}

test('the list of keys opens and closes by key', async () => {
  const page = await open(plain);
  await page.keyboard.press('?');
  assert.ok(await page.locator('#help').isVisible());
  assert.match(await text(page, '#help'), /Ctrl-Z/);
  await page.keyboard.press('Escape');
  assert.ok(!(await page.locator('#help').isVisible()));
});

test('arrows move to callers, callees and neighbours', async () => {
  const page = await openWithFocus(plain);
  assert.equal(await selectedName(page), 'all');
  const walk = [
    ['ArrowUp', 'main'],
    ['ArrowUp', 'draw'],
    ['ArrowRight', 'parse'],
    ['ArrowUp', 'read'],
    ['ArrowLeft', 'Reader::next'],
    ['ArrowDown', 'parse'],
    ['ArrowLeft', 'draw'],
    ['Home', 'all'],
    ['ArrowUp', 'main'],
    ['ArrowUp', 'draw'],
  ];
  for (const [key, name] of walk) {
    await page.keyboard.press(key);
    assert.equal(await selectedName(page), name, key);
  }
});

test('Enter zooms, Backspace and Escape zoom out', async () => {
  const page = await openWithFocus(plain);
  for (const key of ['ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
  assert.deepEqual(await crumbs(page), ['all', 'main', 'draw']);
  await page.keyboard.press('Backspace');
  assert.deepEqual(await crumbs(page), ['all', 'main']);
  await page.keyboard.press('Escape');
  assert.deepEqual(await crumbs(page), ['all']);
});

test('the menu of the selected frame opens by key and gives the focus back', async () => {
  const page = await openWithFocus(plain);
  for (const key of ['ArrowUp', 'ArrowUp', 'm']) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'menuitem');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.menu').count(), 0);
  assert.ok(await hasFocus(page, 'CANVAS'));
});

test('a key hides the selected function, and another brings it back', async () => {
  const page = await openWithFocus(plain);
  for (const key of ['ArrowUp', 'ArrowUp', 'h']) await page.keyboard.press(key);
  assert.deepEqual(lines(await exportedFolded(page)), [
    'idle 10',
    'main 10',
    'main;flush 40',
    'main;parse;Reader::next 10',
    'main;parse;read 30',
  ]);
  await page.keyboard.press('Control+Z');
  assert.deepEqual(lines(await exportedFolded(page)), lines(SAMPLES));
});

test('numbers choose a view, and so do arrows in the row of tabs', async () => {
  const page = await open(plain);
  const selected = () => page.locator('[aria-selected=true]').textContent();
  await page.keyboard.press('2');
  assert.equal(await selected(), 'Icicle');
  await page.locator('#tab-icicle').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await selected(), 'Sandwich');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await selected(), 'Flame graph');
});

test('plus scales the picture, and d moves it', async () => {
  const page = await openWithFocus(plain);
  // Two steps show 0.64 of the width, from 0.18; a move is a fifth of that.
  const leftOf = from => ((0.6 - from) / 0.64) * 1000;
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  const scaled = await boxNamed(page, 'parse');
  assert.ok(Math.abs(scaled.left - leftOf(0.18)) < 1, `${scaled.left}`);
  await page.keyboard.press('d');
  const moved = await boxNamed(page, 'parse');
  assert.ok(Math.abs(moved.left - leftOf(0.18 + 0.128)) < 1, `${moved.left}`);
});

test('a range of the heat map can be selected with keys', async () => {
  const page = await open(modules, {fragment: '#view=heat'});
  await page.locator('.heat canvas').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  for (let i = 0; i < 10; ++i) await page.keyboard.press('ArrowRight');
  await page.keyboard.press(' ');
  assert.match(await text(page, '.chip'), /^Range 0\.0+ s – /);
  await page.keyboard.press('b');
  assert.match(await text(page, '.chip'), /^Baseline 0\.0+ s/);
});

test('keys in a sandwich act on the half that has the focus', async () => {
  const page = await open(modules, {fragment: '#view=sandwich'});
  await page.getByLabel('Function', {exact: true}).fill('main');
  await page.getByLabel('Function', {exact: true}).press('Enter');
  assert.equal(await text(page, '#shares'), 'self 0.00%, total 70.59% of the whole');
  await page.keyboard.press('Tab');
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight']) await page.keyboard.press(key);
  assert.match(await text(page, '#details'), /^tool /);
  await page.keyboard.press('x');
  assert.equal(await text(page, '.chip'), 'drop tool');
});

test('the keys of frames work for the functions of the table', async () => {
  const page = await open(plain, {fragment: '#view=table'});
  const row = name => page.locator('td button', {hasText: name});
  await row('draw').focus();
  await page.keyboard.press('h');
  assert.equal(await text(page, '.chip'), 'hide draw');
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'BUTTON');
  await page.keyboard.press('Control+Z');
  await row('draw').focus();
  await page.keyboard.press('m');
  assert.equal(await text(page, '.menu-head'), 'draw');
  await page.keyboard.press('k');
  assert.equal(await text(page, '.chip'), 'marked: draw ×');
});

test('the list of keys has the number of each view of the page', async () => {
  const page = await open(plain);
  await page.keyboard.press('?');
  const views = page.locator('#help section').first();
  assert.equal(await views.locator('dl').textContent(), '1Flame graph2Icicle3Sandwich4Table5About');
});

test('the lanes of time show that they have the focus', async () => {
  const page = await open(modules, {fragment: '#view=time'});
  const lanes = page.locator('#view .stage canvas');
  for (let i = 0; i < 30 && !(await lanes.evaluate(c => c === document.activeElement)); ++i)
    await page.keyboard.press('Tab');
  assert.notEqual(await lanes.evaluate(c => getComputedStyle(c).outlineStyle), 'none');
});
