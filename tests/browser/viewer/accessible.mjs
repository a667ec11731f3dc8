// SPDX-License-Identifier: Apache-2.0
// What axe finds in every view, in light and dark: nothing.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {before, test} from 'node:test';

import {file, picture, show} from '../browser.mjs';
import {canvas, drawn, open, pageOf} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

const axe = readFileSync(
  createRequire(process.env.NODE_PACKAGES).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** A profile whose frames have files and lines. */
const LINES = {
  $schema: 'https://www.speedscope.app/file-format-schema.json',
  shared: {
    frames: [
      {name: 'main', file: 'src/a.c', line: 12},
      {name: 'f', file: 'src/a.c', line: 40},
    ],
  },
  profiles: [
    {
      type: 'sampled',
      name: 'p',
      unit: 'none',
      startValue: 0,
      endValue: 3,
      samples: [[0], [0, 1]],
      weights: [1, 2],
    },
  ],
};

let modules, difference, lines;
before(() => {
  lines = pageOf(file(JSON.stringify(LINES))).address;
  const recording = timed();
  modules = pageOf(recording, '--title', 'Two processes').address;
  difference = pageOf(file(SAMPLES), '--diff', file('main;parse 20\nidle 10\n')).address;
});

/** What axe has to say about a page, one line for each rule and element. */
async function violations(page) {
  await drawn(page);
  // Not as an element of the page, whose policy allows no other script.
  await page.evaluate(`${axe};0`);
  const {violations} = await page.evaluate('axe.run()');
  return violations.flatMap(({id, help, nodes}) =>
    nodes.map(({target, failureSummary}) => `${id}: ${help}: ${target}: ${failureSummary}`),
  );
}

const textOf = address => readFileSync(new URL(address), 'utf8').replace(/^<\?xml.*?\?>/, '');

async function isAccessible(page, what) {
  assert.deepEqual(await violations(page), [], what);
}

const VIEWS = ['flame', 'icicle', 'time', 'heat', 'sandwich', 'table', 'about'];

for (const colorScheme of ['light', 'dark']) {
  test(`every view is accessible, ${colorScheme}`, async () => {
    const page = await open(modules, {colorScheme});
    for (const view of VIEWS) {
      await page.locator(`#tab-${view}`).click();
      await isAccessible(page, view);
    }
    await isAccessible(await open(lines, {colorScheme, fragment: '#view=source'}), 'source');
  });

  test(`a search, filters, steps and a zoom are accessible, ${colorScheme}`, async () => {
    const page = await open(modules, {
      colorScheme,
      fragment: '#search=main&do=templates_recursion&range=100000-600000&base=0-90000&zoom=1',
    });
    for (const view of ['flame', 'time', 'heat', 'table']) {
      await page.locator(`#tab-${view}`).click();
      await isAccessible(page, view);
    }
    await page.locator('#search').fill('(');
    await isAccessible(page, 'no regular expression');
  });

  test(`a difference is accessible, ${colorScheme}`, async () => {
    const page = await open(difference, {colorScheme});
    for (const view of ['flame', 'time', 'table', 'about']) {
      await page.locator(`#tab-${view}`).click();
      await isAccessible(page, view);
    }
  });

  test(`what opens over the page is accessible, ${colorScheme}`, async () => {
    const page = await open(modules, {colorScheme});
    await page.locator('#filters summary').click();
    await isAccessible(page, 'the list of threads');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await isAccessible(page, 'the list of keys');
    await page.keyboard.press('Escape');
    await canvas(page).focus();
    await page.keyboard.press('ArrowUp');
    await isAccessible(page, 'a tip');
    await page.keyboard.press('m');
    await isAccessible(page, 'a menu');
  });
}

test('the SVG in a page is accessible', async () => {
  const svg = textOf(picture(SAMPLES, '--title', 'Samples'));
  const page = await show('about:blank');
  await page.setContent(
    `<!doctype html><html lang="en"><title>Report</title><main><h1>Report</h1>${svg}</main></html>`,
  );
  await isAccessible(page, 'inline');
});
