// SPDX-License-Identifier: Apache-2.0
// What the browser tests share: pictures that wick draws, and pages that show them.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, afterEach, before} from 'node:test';
import {pathToFileURL} from 'node:url';

const {chromium} = createRequire(process.env.NODE_PACKAGES)('playwright-core');

let browser;
let folder;
let count = 0;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wick-browser-'));
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    // Chromium's sandbox refuses to run as root.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
});

afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

/** The path of a new file with this content. */
export function file(content) {
  const path = join(folder, String(++count));
  writeFileSync(path, content);
  return path;
}

/** Draws `folded` (text or bytes) and returns the address of the picture on disk. */
export function picture(folded, ...options) {
  const name = file(folded);
  execFileSync(process.env.WICK, ['flame', '--quiet', '-o', name + '.svg', ...options, name], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  return pathToFileURL(name + '.svg').href;
}

/** A page showing `address`. Errors of its script are collected in page.errors. */
export async function show(address, options = {}) {
  const context = await browser.newContext({viewport: {width: 1000, height: 600}, ...options});
  const page = await context.newPage();
  page.errors = [];
  page.dialogs = 0;
  page.on('pageerror', error => page.errors.push(error.message));
  page.on('dialog', dialog => {
    ++page.dialogs;
    dialog.dismiss();
  });
  await page.goto(address);
  return page;
}

/** The frame with this name; of several, the first in the file. */
export const frame = (page, name) =>
  page
    .locator('#frames g')
    .filter({has: page.locator(`title:text-matches("^${name} \\\\(")`)})
    .first();

/** The names of the visible frames, in the order of the file. */
export const visibleNames = page =>
  page.$$eval('#frames g', all =>
    all
      .filter(g => getComputedStyle(g).display !== 'none')
      .map(g => g.querySelector('title').textContent.replace(/ \([^(]*\)$/, '')),
  );
