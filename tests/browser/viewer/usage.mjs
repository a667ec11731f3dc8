// SPDX-License-Identifier: Apache-2.0
// Zoom, search, hovering and the look of the page.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {
  boxes,
  boxNamed,
  boxWidths,
  canvas,
  click,
  crumbs,
  drawn,
  layout,
  open,
  pageOf,
  sameBoxes,
  tableRows,
  text,
} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

let plain, modules;
before(() => {
  plain = pageOf(file(SAMPLES)).address;
  modules = pageOf(timed()).address;
});

test('a click zooms, callers stay, and crumbs lead back', async () => {
  const page = await open(plain);
  await click(page, 'draw');
  assert.deepEqual(await boxWidths(page), {flush: 800, draw: 1000, main: 1000, all: 1000});
  assert.deepEqual(await crumbs(page), ['all', 'main', 'draw']);
  await page.locator('#crumbs button', {hasText: 'main'}).click();
  assert.deepEqual(await boxWidths(page), {
    all: 1000,
    main: 1000,
    draw: 556,
    parse: 444,
    flush: 444,
    'Reader::next': 111,
    read: 333,
  });
  await click(page, 'all');
  sameBoxes(await boxes(page), layout(SAMPLES));
  assert.deepEqual(await crumbs(page), ['all']);
});

test('the wheel scales around the pointer, dragging moves', async () => {
  const page = await open(plain);
  const {x, y} = await canvas(page).boundingBox();
  const before = await boxNamed(page, 'draw');
  // At the left edge of draw, which stays where it is.
  await page.mouse.move(x + 100, y + 40);
  await page.mouse.wheel(0, -150);
  const scaled = await boxNamed(page, 'draw');
  assert.ok(
    Math.abs(scaled.width - before.width * Math.exp(0.5)) < 1,
    `${before.width} ${scaled.width}`,
  );
  assert.ok(Math.abs(scaled.left - 100) < 1, `draw begins at ${scaled.left}`);
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 40);
  await page.mouse.move(x + 20, y + 40);
  await page.mouse.up();
  assert.ok(Math.abs((await boxNamed(page, 'draw')).left - 20) < 1);
  assert.deepEqual(await crumbs(page), ['all']);
  await page.keyboard.press('Escape');
  sameBoxes(await boxes(page), layout(SAMPLES));
});

test('an animated zoom ends where one without animation does', async () => {
  const page = await open(plain, {reducedMotion: 'no-preference'});
  await click(page, 'draw');
  await page.waitForTimeout(300);
  assert.deepEqual(await boxWidths(page), {flush: 800, draw: 1000, main: 1000, all: 1000});
});

test('hovering shows self, total, shares and the module', async () => {
  const page = await open(modules);
  const {x, y} = await boxNamed(page, 'parse');
  await page.mouse.move(x, y);
  assert.deepEqual(await page.$$eval('#tip > *', all => all.map(e => e.textContent)), [
    'parse',
    'total: 50,000 cycles, 29.41% of the whole',
    'self: 0 cycles, 0.00%',
    '/bin/app',
  ]);
  assert.match(
    await text(page, '#details'),
    /^parse · total: 50,000 cycles, 29\.41% of the whole · self: 0 cycles, 0\.00% · \/bin\/app$/,
  );
  await click(page, 'main');
  const zoomed = await boxNamed(page, 'parse');
  await page.mouse.move(zoomed.x, zoomed.y);
  assert.match(await text(page, '#tip'), /29\.41% of the whole · 50\.00% of the zoomed part/);
  // Files and lines, where they are known.
  const lined = pageOf(
    file(
      JSON.stringify({
        $schema: 'https://www.speedscope.app/file-format-schema.json',
        shared: {frames: [{name: 'f', file: 'src/a.c', line: 12}]},
        profiles: [
          {
            type: 'sampled',
            name: 'p',
            unit: 'none',
            startValue: 0,
            endValue: 3,
            samples: [[0]],
            weights: [3],
          },
        ],
      }),
    ),
  );
  const other = await open(lined.address);
  assert.match((await boxNamed(other, 'f')).tip, /src\/a\.c:12/);
});

test('a search by expression or text marks the matches and shows their share', async () => {
  const page = await open(plain);
  await page.keyboard.press('/');
  await page.keyboard.type('^(parse|read|idle)$');
  assert.equal(await text(page, '#matched'), 'Matched: 50.00% of the whole');
  const marked = async () =>
    (await boxes(page))
      .filter(box => box.color === '#e600e6')
      .map(box => box.name)
      .sort();
  assert.deepEqual(await marked(), ['idle', 'parse', 'read']);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('READER:');
  assert.equal(await text(page, '#matched'), 'Matched: 0.00% of the whole');
  await page.keyboard.press('Control+I');
  assert.equal(await text(page, '#matched'), 'Matched: 10.00% of the whole');
  assert.deepEqual(await marked(), ['Reader::next']);
  await page.locator('#search').fill('r.*d');
  assert.equal(await text(page, '#matched'), 'Matched: 40.00% of the whole');
  await page.locator('#mode').click();
  assert.equal(await text(page, '#matched'), 'Matched: 0.00% of the whole');
  await page.locator('#mode').click();
  await page.locator('#search').fill('(');
  assert.equal(await text(page, '#matched'), 'not a regular expression');
  assert.equal(await page.locator('#search').getAttribute('aria-invalid'), 'true');
  await page.locator('#search').fill('flush');
  await click(page, 'draw');
  assert.equal(
    await text(page, '#matched'),
    'Matched: 40.00% of the whole (80.00% of the zoomed part)',
  );
  for (const width of [1000, 700, 400]) {
    await page.setViewportSize({width, height: 600});
    assert.ok(
      await page
        .locator('#matched')
        .evaluate(
          e => e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= innerWidth,
        ),
      `it is cut at ${width}`,
    );
  }
  await page.setViewportSize({width: 1000, height: 600});
  await page.keyboard.press('Escape');
  assert.equal(await text(page, '#matched'), '');
  assert.deepEqual(await marked(), []);
});

test('the list of threads closes on Escape and on a click outside it', async () => {
  const page = await open(modules);
  const list = page.locator('#filters details > div');
  for (const close of [() => page.keyboard.press('Escape'), () => page.mouse.click(900, 300)]) {
    await page.locator('#filters summary').click();
    await list.waitFor({state: 'visible'});
    await close();
    await list.waitFor({state: 'hidden'});
  }
});

test('the list of threads keeps its scroll position and focus', async () => {
  const sampleOf = i => {
    const time = `1.${String(i).padStart(6, '0')}`;
    return `t${i} ${1000 + i}/${1000 + i} ${time}: 1 cycles: \n\t1000 main+0x1 (/bin/app)\n\n`;
  };
  const threads = Array.from({length: 60}, (_, i) => sampleOf(i)).join('');
  const page = await open(pageOf(file(threads)).address);
  await page.locator('#filters summary').click();
  await page.getByLabel('t59 1059', {exact: true}).uncheck();
  assert.equal(await text(page, '#filters summary'), '59 of 60 threads');
  assert.ok(await page.locator('#filters details > div').evaluate(list => list.scrollTop > 100));
  assert.equal(
    await page.evaluate(() => document.activeElement.getAttribute('aria-label')),
    't59 1059',
  );
});

test('a tap zooms and shows the details', async () => {
  const page = await open(plain, {hasTouch: true});
  const {x, y} = await boxNamed(page, 'draw');
  await page.touchscreen.tap(x, y);
  assert.match(await text(page, '#details'), /^draw · total: 50 samples/);
  assert.deepEqual(await crumbs(page), ['all', 'main', 'draw']);
});

test('the table has the data of the picture', async () => {
  const page = await open(plain);
  await page.keyboard.press('4');
  assert.equal(await page.getByRole('main').getByRole('tabpanel', {name: 'Table'}).count(), 1);
  const table = page.getByRole('table');
  assert.equal(await table.locator('caption').textContent(), 'Functions, in samples');
  assert.deepEqual(
    (await tableRows(page)).map(row => [row.name, row.cells[0], row.cells[2]]),
    [
      ['flush', '40', '40'],
      ['read', '30', '30'],
      ['draw', '10', '50'],
      ['Reader::next', '10', '10'],
      ['idle', '10', '10'],
      ['main', '0', '90'],
      ['parse', '0', '40'],
    ],
  );
  await page.keyboard.press('/');
  await page.keyboard.type('^re');
  assert.deepEqual(
    (await tableRows(page)).map(row => row.name),
    ['read', 'Reader::next'],
  );
});

test('light and dark follow the system and the button', async () => {
  const paper = page => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await open(plain);
  const dark = await open(plain, {colorScheme: 'dark'});
  assert.deepEqual(
    [await paper(light), await paper(dark)],
    ['rgb(255, 255, 251)', 'rgb(23, 25, 29)'],
  );
  const corner = page =>
    page.evaluate(() => {
      const c = document.querySelector('#view canvas');
      return Array.from(c.getContext('2d').getImageData(2, 2, 1, 1).data).slice(0, 3);
    });
  await drawn(dark);
  assert.deepEqual(await corner(dark), [23, 25, 29]);
  await dark.locator('#theme').click();
  await drawn(dark);
  assert.equal(await paper(dark), 'rgb(255, 255, 251)');
  assert.deepEqual(await corner(dark), [255, 255, 251]);
});

test('a page 400 pixels wide can be used', async () => {
  const page = await open(modules, {viewport: {width: 400, height: 600}});
  for (const view of ['flame', 'icicle', 'time', 'heat', 'sandwich', 'table', 'about']) {
    await page.locator(`#tab-${view}`).click();
    await drawn(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 400, `${view} is ${wide} wide`);
    const seen = await page.locator('#view').boundingBox();
    assert.ok(seen.height > 250, `${view} has ${seen.height} pixels`);
  }
  // Large numbers leave room for the names.
  const large = await open(pageOf(file('main;some_function_of_a_library 1234567890\n')).address, {
    viewport: {width: 400, height: 600},
    fragment: '#view=table',
  });
  assert.equal(
    await large.locator('#view .page').evaluate(e => e.scrollWidth > e.clientWidth),
    false,
  );
  await page.locator('#tab-flame').click();
  await click(page, 'draw');
  assert.deepEqual(await boxWidths(page), {
    'std::vector<int>::at': 400,
    draw: 400,
    main: 400,
    app: 400,
    all: 400,
  });
});
