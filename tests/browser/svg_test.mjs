// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import {renameSync} from 'node:fs';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {file, frame, picture, show, visibleNames} from './browser.mjs';

const SAMPLES = `\
main;parse;read 30
main;parse;Reader::next 10
main;draw;flush 40
main;draw 10
idle 10
`;

const text = (page, selector) => page.locator(selector).textContent();
const box = (page, name) => frame(page, name).locator('rect').boundingBox();
const near = (actual, wanted, by = 1) =>
  assert.ok(Math.abs(actual - wanted) <= by, `${actual} is not near ${wanted}`);

// The browser tells a page about its new size later.
async function resized(page, width) {
  await page.setViewportSize({width, height: 600});
  await page.waitForFunction(
    wanted => Math.abs(document.querySelector('#frames').width.baseVal.value - wanted) <= 1,
    width - 20,
  );
}

test('a click zooms and hides everything outside', async () => {
  const page = await show(picture(SAMPLES));
  await frame(page, 'draw').click();
  assert.deepEqual(await visibleNames(page), ['all', 'main', 'draw', 'flush']);
  const whole = await box(page, 'all');
  near((await box(page, 'draw')).width, whole.width);
  near((await box(page, 'flush')).width, whole.width * 0.8);
  assert.match(await frame(page, 'main').getAttribute('class'), /up/);
  assert.deepEqual(page.errors, []);
});

test('a click on a caller zooms out again, as Backspace and reset do', async () => {
  const page = await show(picture(SAMPLES));
  const before = await visibleNames(page);
  await frame(page, 'read').click();
  await frame(page, 'main').click();
  assert.ok((await visibleNames(page)).includes('draw'));
  assert.ok(!(await visibleNames(page)).includes('idle'));
  await page.keyboard.press('Backspace');
  assert.deepEqual(await visibleNames(page), before);
  await frame(page, 'read').click();
  await page.locator('#reset').click();
  assert.deepEqual(await visibleNames(page), before);
  assert.ok(await page.locator('#reset').isHidden());
  await frame(page, 'read').click();
  await page.keyboard.press('Escape');
  assert.deepEqual(await visibleNames(page), before);
});

test('labels appear when there is room for them', async () => {
  const page = await show(picture(`${'m'.repeat(30)};wide 1\nother 199\n`));
  const label = frame(page, 'wide').locator('text');
  assert.equal(await label.count(), 0);
  await frame(page, 'wide').click();
  assert.equal(await label.textContent(), 'wide');
});

test('the details have the share of the whole and of the zoomed part', async () => {
  const page = await show(picture(SAMPLES));
  await frame(page, 'flush').hover();
  assert.equal(await text(page, '#detail'), 'Function: flush (40 samples, 40.00%)');
  await frame(page, 'draw').click();
  await frame(page, 'flush').hover();
  assert.equal(
    await text(page, '#detail'),
    'Function: flush (40 samples, 40.00%) · 80.00% of the zoomed part',
  );
});

test('a search marks frames and sums the width under them once', async () => {
  const page = await show(picture(SAMPLES));
  await page.keyboard.press('Control+f');
  await page.keyboard.type('^(parse|read|idle)$');
  assert.equal(await page.locator('#frames .hit').count(), 3);
  assert.equal(await text(page, '#matched'), 'Matched: 50.00%');
  const fill = await frame(page, 'read')
    .locator('rect')
    .evaluate(r => getComputedStyle(r).fill);
  assert.equal(fill, 'rgb(230, 0, 230)');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#frames .hit').count(), 0);
  assert.equal(await text(page, '#matched'), '');
});

test('the matched share follows the zoom', async () => {
  const page = await show(picture(SAMPLES));
  await page.keyboard.press('F3');
  await page.keyboard.type('read');
  await frame(page, 'parse').click();
  assert.equal(await text(page, '#matched'), 'Matched: 30.00% (75.00% of the zoomed part)');
});

test('a search can ignore case', async () => {
  const page = await show(picture(SAMPLES));
  await page.locator('#find').click();
  await page.keyboard.type('READ');
  assert.equal(await text(page, '#matched'), 'Matched: 0.00%');
  await page.keyboard.press('Control+i');
  assert.equal(await text(page, '#matched'), 'Matched: 40.00%');
  assert.equal(await page.locator('#case').getAttribute('aria-pressed'), 'true');
  await page.locator('#case').click();
  assert.equal(await text(page, '#matched'), 'Matched: 0.00%');
});

test('an incomplete regular expression is not an error', async () => {
  const page = await show(picture(SAMPLES));
  await page.keyboard.press('/');
  await page.keyboard.type('read(');
  assert.equal(await text(page, '#matched'), 'not a regular expression');
  assert.equal(await page.locator('#search').getAttribute('aria-invalid'), 'true');
  assert.deepEqual(page.errors, []);
});

test('the address keeps zoom, search and case', async () => {
  const address = picture(SAMPLES);
  const page = await show(address);
  const entries = await page.evaluate(() => history.length);
  await frame(page, 'parse').click();
  await page.keyboard.press('/');
  await page.keyboard.type('a&b#c|READ');
  await page.keyboard.press('Control+i');
  assert.equal(await page.evaluate(() => history.length), entries);
  const again = await show(page.url());
  assert.deepEqual(await visibleNames(again), await visibleNames(page));
  assert.equal(await text(again, '#matched'), await text(page, '#matched'));
  assert.equal(await again.evaluate(() => document.querySelector('#search').value), 'a&b#c|READ');
  assert.match(await text(again, '#matched'), /100.00% of the zoomed part/);
  await again.keyboard.press('Escape');
  await again.keyboard.press('Escape');
  await again.keyboard.press('Control+i');
  assert.equal(again.url(), address);
});

test('an invalid fragment shows the whole picture', async () => {
  for (const fragment of ['#zoom=99', '#zoom=-1', '#zoom=x&search=(', '#%zz']) {
    const page = await show(picture(SAMPLES) + fragment);
    assert.equal((await visibleNames(page)).length, 8);
    assert.deepEqual(page.errors, []);
  }
});

test('keys move between frames and zoom', async () => {
  const page = await show(picture(SAMPLES));
  const focused = () =>
    page.evaluate(() =>
      document.activeElement?.querySelector('title')?.textContent.replace(/ \(.*/, ''),
    );
  for (let i = 0; i < 9 && (await focused()) !== 'all'; ++i) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'all');
  const walk = {ArrowUp: 'main', ArrowRight: 'main', ArrowLeft: 'idle'};
  for (const [key, name] of Object.entries(walk)) {
    await page.keyboard.press(key);
    assert.equal(await focused(), name);
  }
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused(), 'draw');
  const ring = await frame(page, 'draw')
    .locator('rect')
    .evaluate(r => getComputedStyle(r).strokeWidth);
  assert.equal(ring, '2.5px');
  assert.match(await text(page, '#detail'), /^Function: draw /);
  await page.keyboard.press('Enter');
  assert.deepEqual(await visibleNames(page), ['all', 'main', 'draw', 'flush']);
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(), 'main');
});

test('up is towards the root if the root is at the top', async () => {
  const page = await show(picture(SAMPLES, '--inverted'));
  await frame(page, 'main').click();
  await page.keyboard.press('ArrowDown');
  const focused = await page.evaluate(() => document.activeElement.textContent);
  assert.match(focused, /^draw /);
  assert.ok((await box(page, 'all')).y < (await box(page, 'main')).y);
});

test('a dark window gets a dark picture', async () => {
  const colors = async scheme => {
    const page = await show(picture(SAMPLES), {colorScheme: scheme});
    return page.evaluate(() => [
      getComputedStyle(document.querySelector('#paper stop')).stopColor,
      getComputedStyle(document.querySelector('#title')).fill,
    ]);
  };
  assert.deepEqual(await colors('light'), ['rgb(238, 238, 238)', 'rgb(36, 41, 47)']);
  assert.deepEqual(await colors('dark'), ['rgb(23, 25, 29)', 'rgb(230, 232, 235)']);
});

test('a chosen background stays in a dark window', async () => {
  const page = await show(picture(SAMPLES, '--bgcolors', '#ffeedd'), {colorScheme: 'dark'});
  const stop = await page.evaluate(
    () => getComputedStyle(document.querySelector('#paper stop')).stopColor,
  );
  assert.equal(stop, 'rgb(255, 238, 221)');
  const title = await page.evaluate(() => getComputedStyle(document.querySelector('#title')).fill);
  assert.equal(title, 'rgb(36, 41, 47)');
});

test('the picture is as wide as the window, and labels follow its width', async () => {
  const name = 'a_function_with_a_rather_long_name';
  const page = await show(picture(`${name} 30\nother 70\n`));
  const label = frame(page, name).locator('text');
  near((await box(page, 'all')).width, 980);
  assert.equal(await label.textContent(), name);
  await resized(page, 500);
  near((await box(page, 'all')).width, 480);
  assert.match(await label.textContent(), /^a_func.*\.\.$/);
  const inner = await label.boundingBox();
  assert.ok(inner.width < (await box(page, name)).width);
});

test('a chosen width stays', async () => {
  const page = await show(picture(SAMPLES, '--width', '700'));
  near((await box(page, 'all')).width, 680);
});

test('a name loses its qualifiers first', async () => {
  const name = 'one::two::three::four::five::a_method';
  const page = await show(picture(`${name} 17\nother 83\n`));
  const label = frame(page, name).locator('text');
  const shown = await label.textContent();
  assert.match(shown, /^\.\..*five::a_method$/);
  await resized(page, 420);
  assert.equal(await label.textContent(), 'a_method');
  await resized(page, 350);
  assert.match(await label.textContent(), /^a_m.*\.\.$/);
});

const HOSTILE = [
  '<script>alert(1)</script>',
  '</title><script>alert(2)</script>',
  '"><img src=x onerror=alert(3)>',
  "' onclick='alert(4)",
  ']]>&lt&amp&#60<![CDATA[',
  '<!-- -->',
  'javascript:alert(5)',
  'a\u2028b\u2029c',
  '${alert(6)}`',
  '{{7*7}}',
  '\ud83d\udd25 fire',
];

test('names are text, whatever is in them', async () => {
  const page = await show(picture(HOSTILE.map((name, i) => `${name} ${i + 10}\n`).join('')));
  const names = await visibleNames(page);
  assert.deepEqual(new Set(names), new Set(['all', ...HOSTILE]));
  assert.equal(await page.locator('script').count(), 1);
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('[onclick],[onerror]').count(), 0);
  for (const g of await page.locator('#frames g').all()) {
    await g.click();
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('/');
  await page.keyboard.type('<script>');
  assert.match(await text(page, '#matched'), /Matched/);
  assert.equal(page.dialogs, 0);
  assert.deepEqual(page.errors, []);
});

test('bytes that are not text become replacement characters', async () => {
  const bytes = Buffer.concat([
    Buffer.from('a\0b 10\n'),
    Buffer.from([0xff, 0xc3, 0x28, 0x20, 0x31, 0x30, 0x0a]),
    Buffer.from([0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x20, 0x31, 0x30, 0x0a]),
  ]);
  const page = await show(picture(bytes, '--format', 'folded'));
  const names = await visibleNames(page);
  assert.deepEqual(new Set(names), new Set(['all', 'a\ufffdb', '\ufffd\ufffd(', '\ufffd[31m']));
});

test('two names of 60 kB that differ at the end are two frames', async () => {
  const long = 'x'.repeat(60_000);
  const page = await show(picture(`${long}1 50\n${long}2 50\n`));
  const titles = await page.$$eval('#frames title', all => all.map(t => t.textContent));
  assert.equal(titles.length, 3);
  assert.ok(titles.every(title => title.length < 5000));
  const label = await page.locator('#frames text').nth(1).textContent();
  assert.ok(label.length < 100);
});

test('title, subtitle, notes and fonts cannot break out of their elements', async () => {
  const evil = '--></style></text><script>alert(1)</script>"\';}';
  const page = await show(
    picture(
      SAMPLES,
      '--title',
      evil,
      '--subtitle',
      evil,
      '--notes',
      evil,
      '--countname',
      evil,
      '--nametype',
      evil,
      '--fonttype',
      evil,
    ),
  );
  assert.equal(await text(page, '#title'), evil);
  assert.equal(await text(page, '#subtitle'), evil);
  assert.equal(await page.locator('script').count(), 1);
  await frame(page, 'main').hover();
  assert.match(await text(page, '#detail'), /alert/);
  assert.equal(page.dialogs, 0);
});

test('picture and tooltips work without JavaScript', async () => {
  const page = await show(picture(SAMPLES), {javaScriptEnabled: false});
  const shown = await page.locator('#frames g').count();
  assert.equal(shown, 8);
  near((await box(page, 'all')).width, 1180);
  assert.equal(
    await frame(page, 'flush').locator('title').textContent(),
    'flush (40 samples, 40.00%)',
  );
  assert.equal(await frame(page, 'flush').locator('text').textContent(), 'flush');
  assert.equal(await page.locator('foreignObject').count(), 0);
});

test('a picture can be written without its script', async () => {
  const page = await show(picture(SAMPLES, '--no-javascript'));
  assert.equal(await page.locator('script').count(), 0);
  assert.equal(await page.locator('#frames g').count(), 8);
});

test('a vanished stack is drawn, and its callers are coloured', async () => {
  const pairs = 'main;old 40 0\nmain;new 0 10\nmain;same 50 50\n';
  const page = await show(picture(pairs, '--scale', 'absolute'));
  const title = name => frame(page, name).locator('title').textContent();
  assert.equal(await title('old'), 'old (0 samples, 0.00%; -40 samples)');
  assert.equal(await title('new'), 'new (10 samples, 16.67%; +10 samples)');
  assert.equal(await title('main'), 'main (60 samples, 100.00%; -30 samples)');
  near((await box(page, 'old')).width, 980 * 0.4);
  const fill = name => frame(page, name).locator('rect').getAttribute('fill');
  assert.equal(await fill('old'), '#6464ff');
  assert.equal(await fill('same'), '#fafafa');
  assert.match(await fill('main'), /^#(..)\1ff$/);
  assert.match(await fill('new'), /^#ff(..)\1$/);
});

test('losses are reported below the frames', async () => {
  const page = await show(picture(SAMPLES + 'not a folded line\n'));
  assert.match(await text(page, '#footer .loss'), /1 line could not be read/);
});

const DEEP = `${Array.from({length: 80}, (_, i) => 'f' + i).join(';')} 5\n`;

/** Where the root is in the window of a page or of a frame. */
const rootPlace = page =>
  page.evaluate(() => {
    const {top, bottom} = document.querySelector('#frames g').getBoundingClientRect();
    return {top, bottom, window: innerHeight};
  });
const isInWindow = ({top, bottom, window}) => top >= 0 && bottom <= window;

test('a tall picture opens at its root', async () => {
  assert.ok(isInWindow(await rootPlace(await show(picture(DEEP)))));
  const icicle = await rootPlace(await show(picture(DEEP, '--inverted')));
  assert.ok(isInWindow(icicle) && icicle.top < 100, JSON.stringify(icicle));
});

for (const element of ['iframe src', 'object data', 'embed src'])
  test(`a tall picture in an ${element.split(' ')[0]} opens at its root`, async () => {
    const host = file(`<!doctype html><${element}="${picture(DEEP)}" width="500" height="300">`);
    renameSync(host, `${host}.html`);
    const page = await show(pathToFileURL(`${host}.html`).href);
    const inner = page.frames()[1];
    await inner.waitForSelector('#frames.live');
    const before = await rootPlace(inner);
    assert.ok(isInWindow(before), JSON.stringify(before));
    await page.mouse.move(250, 150);
    await page.mouse.wheel(0, -200);
    await inner.waitForFunction(
      bottom => document.querySelector('#frames g').getBoundingClientRect().bottom > bottom,
      before.bottom,
    );
  });

test('lines of the footer wrap, and a long title ends before the buttons', async () => {
  const title = 'a program whose command line is longer than a narrow window';
  const page = await show(
    picture(SAMPLES + 'not a folded line, nor a short one\n', '--title', title),
    {
      viewport: {width: 400, height: 600},
    },
  );
  const right = selector =>
    page.$$eval(selector, all => Math.max(...all.map(e => e.getBoundingClientRect().right)));
  assert.ok((await right('#footer p')) <= 400);
  const {height} = await page.locator('#footer .loss').boundingBox();
  assert.ok(height > 20, 'the line did not wrap');
  assert.ok((await right('#title')) < (await page.locator('#find').boundingBox()).x);
  assert.match(await text(page, '#title'), /^a program.*…$/);
  assert.equal(await page.title(), title);
});

test('a picture of frames too narrow to read recommends the page', async () => {
  const names = Array.from({length: 20_000}, (_, i) => `main;f${i} 1\n`).join('');
  const footer = async folded => text(await show(picture(folded)), '#footer');
  assert.match(await footer(names), /too narrow for their names.*see 'wick flame -o x\.html'/s);
  assert.doesNotMatch(await footer(SAMPLES), /too narrow/);
});

test('the details stay visible while a tall picture is scrolled', async () => {
  const page = await show(picture(DEEP));
  // A scroll event comes a frame after the scrolling, or later.
  const inWindow = selector =>
    page.waitForFunction(selector => {
      const {top, bottom} = document.querySelector(selector).getBoundingClientRect();
      return top >= 0 && bottom <= window.innerHeight;
    }, selector);
  await page.locator('#frames g').nth(5).hover();
  await inWindow('#detail');
  await page.evaluate(() => scrollTo(0, 400));
  await inWindow('#tools');
  await inWindow('#details');
});

test('a click follows a link; with Ctrl, it zooms', async () => {
  const attributes = file('draw\thref=#there\tclass=mine\ttitle=drawn here\n');
  const page = await show(picture(SAMPLES, '--nameattr', attributes));
  const link = page.locator('a g.mine');
  assert.equal(await link.locator('title').textContent(), 'drawn here');
  await link.click({modifiers: ['Control']});
  assert.equal((await visibleNames(page)).length, 4);
  await link.click();
  assert.match(page.url(), /#there$/);
});
