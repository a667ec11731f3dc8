// SPDX-License-Identifier: Apache-2.0
// Choices of how pages look, which the browser keeps.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {open, pageOf} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

let plain, modules;
before(() => {
  plain = pageOf(file(SAMPLES)).address;
  modules = pageOf(timed()).address;
});

/** What can be kept. */
const choices = async page => ({
  theme: await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme),
  order: await page.getByLabel('Order').inputValue(),
  isRegex: await page.locator('#mode').getAttribute('aria-pressed'),
  colors: await page.locator('#legend select').inputValue(),
});

const USUAL = {theme: 'light', order: 'name', isRegex: 'true', colors: 'kind'};
const CHOSEN = {theme: 'dark', order: 'heavy', isRegex: 'false', colors: 'name'};

async function choose(page) {
  await page.locator('#theme').click();
  await page.getByLabel('Order').selectOption('heavy');
  await page.locator('#mode').click();
  await page.locator('#legend select').selectOption('name');
}

/** Another page in the same browser. */
async function openNext(page, address) {
  const next = await page.context().newPage();
  next.errors = [];
  next.on('pageerror', error => next.errors.push(error.message));
  await next.goto(address);
  await next.waitForSelector('#message[hidden]', {state: 'attached'});
  return next;
}

test('theme, order, colours and the kind of search are the same in the next page', async () => {
  const page = await open(plain);
  assert.deepEqual(await choices(page), USUAL);
  await choose(page);
  assert.deepEqual(await choices(page), CHOSEN);
  assert.deepEqual(await choices(await openNext(page, modules)), CHOSEN);
  // What the page shows is not kept.
  await page.keyboard.press('/');
  await page.keyboard.type('draw');
  const next = await openNext(page, modules);
  assert.equal(await next.locator('#search').inputValue(), '');
});

test('the address wins over what was kept', async () => {
  const page = await open(plain);
  await choose(page);
  const next = await openNext(page, `${modules}#order=name`);
  assert.deepEqual(await choices(next), {...CHOSEN, order: 'name'});
  // That was not a choice.
  assert.deepEqual(await choices(await openNext(page, modules)), CHOSEN);
});

for (const [option, name, value] of [
  ['--colors=module', 'colors', 'module'],
  ['--colors=kind', 'colors', 'kind'],
  ['--hash', 'colors', 'hot'],
  ['--deterministic', 'colors', 'hot'],
  ['--inverted', 'order', 'name'],
])
  test(`what ${option} chose wins over what was kept`, async () => {
    const page = await open(plain);
    await choose(page);
    const {address} = pageOf(file(SAMPLES), option);
    assert.deepEqual(await choices(await openNext(page, address)), {...CHOSEN, [name]: value});
    // The choice is kept all the same, for other pages.
    assert.deepEqual(await choices(await openNext(page, modules)), CHOSEN);
  });

test('a choice in a page with --colors lasts when the page is loaded again', async () => {
  const page = await open(pageOf(file(SAMPLES), '--colors=module').address);
  await page.locator('#legend select').selectOption('name');
  await page.reload();
  await page.waitForSelector('#message[hidden]', {state: 'attached'});
  assert.equal((await choices(page)).colors, 'name');
});

test('Back undoes a choice', async () => {
  const page = await open(plain);
  await choose(page);
  const next = await openNext(page, plain);
  await next.getByLabel('Order').selectOption('name');
  await next.goBack();
  await next.waitForFunction(() => document.querySelector('[aria-label=Order]').value === 'heavy');
  assert.match(next.url(), /order=heavy/);
});

test('the theme of the system is followed again once it is chosen', async () => {
  const page = await open(plain);
  await page.locator('#theme').click();
  await page.locator('#theme').click();
  await page.emulateMedia({colorScheme: 'dark'});
  assert.equal((await choices(page)).theme, 'dark');
});

test('without a storage, choices last as long as the page', async () => {
  const page = await open(plain);
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  });
  await page.reload();
  await page.waitForSelector('#message[hidden]', {state: 'attached'});
  await choose(page);
  assert.deepEqual(await choices(page), CHOSEN);
  assert.deepEqual(page.errors, []);
});

test('what is no choice is ignored', async () => {
  const page = await open(plain);
  for (const kept of ['{', '[]', 'null', '{"order":{},"theme":7,"mode":["text"],"rows":"x"}']) {
    await page.evaluate(text => localStorage.setItem('wick', text), kept);
    const next = await openNext(page, plain);
    assert.deepEqual(await choices(next), USUAL, kept);
    assert.deepEqual(next.errors, []);
  }
});
