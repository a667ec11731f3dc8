// SPDX-License-Identifier: Apache-2.0
// What users do in a page, with the mouse and with keys.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {
  boxes,
  boxNamed,
  canvas,
  choose,
  click,
  drawn,
  exported,
  exportedFolded,
  layout,
  lines,
  open,
  pageOf,
  pasted,
  sameBoxes,
  tableRows,
  text,
} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

const RECURSIVE = `\
main;walk;walk;walk;visit 8
main;walk;visit 4
main;std::vector<int>::at;walk;step;walk;visit 2
main;std::vector<std::pair<a, b> >::at 3
main;operator< 1
`;

let plain, recursive, modules;
before(() => {
  plain = pageOf(file(SAMPLES)).address;
  recursive = pageOf(file(RECURSIVE)).address;
  modules = pageOf(timed()).address;
});
const names = async page => (await boxes(page)).map(box => box.name);
const widths = async page =>
  Object.fromEntries((await boxes(page)).map(box => [box.name, Math.round(box.width)]));
const crumbs = page => page.$$eval('#crumbs button', all => all.map(crumb => crumb.textContent));

test('a click zooms, callers stay, and crumbs lead back', async () => {
  const page = await open(plain);
  await click(page, 'draw');
  assert.deepEqual(await widths(page), {flush: 800, draw: 1000, main: 1000, all: 1000});
  assert.deepEqual(await crumbs(page), ['all', 'main', 'draw']);
  await page.locator('#crumbs button', {hasText: 'main'}).click();
  assert.deepEqual(await widths(page), {
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
  assert.deepEqual(await widths(page), {flush: 800, draw: 1000, main: 1000, all: 1000});
});

test('hovering shows self, total, shares and the module', async () => {
  const page = await open(modules);
  const {x, y} = await boxNamed(page, 'parse');
  await page.mouse.move(x, y);
  assert.deepEqual(await page.$$eval('#tip > *', all => all.map(e => e.textContent)), [
    'parse',
    'total: 50,000 cycles, 29.41%',
    'self: 0 cycles, 0.00%',
    '/bin/app',
  ]);
  assert.match(
    await text(page, '#details'),
    /^parse · total: 50,000 cycles, 29\.41% · self: 0 cycles, 0\.00% · \/bin\/app$/,
  );
  await click(page, 'main');
  const zoomed = await boxNamed(page, 'parse');
  await page.mouse.move(zoomed.x, zoomed.y);
  assert.match(await text(page, '#tip'), /29\.41% · 50\.00% of the zoomed part/);
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
  assert.equal(await text(page, '#matched'), 'Matched: 50.00%');
  const marked = async () =>
    (await boxes(page))
      .filter(box => box.color === '#e600e6')
      .map(box => box.name)
      .sort();
  assert.deepEqual(await marked(), ['idle', 'parse', 'read']);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('READER:');
  assert.equal(await text(page, '#matched'), 'Matched: 0.00%');
  await page.keyboard.press('Control+I');
  assert.equal(await text(page, '#matched'), 'Matched: 10.00%');
  assert.deepEqual(await marked(), ['Reader::next']);
  await page.locator('#search').fill('r.*d');
  assert.equal(await text(page, '#matched'), 'Matched: 40.00%');
  await page.locator('#mode').click();
  assert.equal(await text(page, '#matched'), 'Matched: 0.00%');
  await page.locator('#mode').click();
  await page.locator('#search').fill('(');
  assert.equal(await text(page, '#matched'), 'not a regular expression');
  assert.equal(await page.locator('#search').getAttribute('aria-invalid'), 'true');
  await page.locator('#search').fill('flush');
  await click(page, 'draw');
  assert.equal(await text(page, '#matched'), 'Matched: 40.00% (80.00% of the zoomed part)');
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

test('n and N go through the matches, widest first', async () => {
  const page = await open(plain);
  await page.keyboard.press('/');
  await page.keyboard.type('^(draw|parse|idle)$');
  await page.keyboard.press('Enter');
  const at = async () => [
    await text(page, '#matched'),
    (await text(page, '#details')).split(' ')[0],
  ];
  assert.deepEqual(await at(), ['Matched: 100.00% · 1 of 3', 'draw']);
  await page.locator('#next').click();
  assert.deepEqual(await at(), ['Matched: 100.00% · 2 of 3', 'parse']);
  await canvas(page).focus();
  await page.keyboard.press('n');
  assert.deepEqual(await at(), ['Matched: 100.00% · 3 of 3', 'idle']);
  await page.keyboard.press('n');
  assert.deepEqual(await at(), ['Matched: 100.00% · 1 of 3', 'draw']);
  await page.keyboard.press('N');
  assert.deepEqual(await at(), ['Matched: 100.00% · 3 of 3', 'idle']);
});

test('transforms stack, and each can be undone', async () => {
  const page = await open(recursive);
  const all = await exportedFolded(page);
  const steps = [
    ['walk', 'Collapse its recursion', 'main;walk;visit 12'],
    ['visit', 'Hide the function', 'main;walk 12'],
    ['operator<', 'Drop stacks', null],
    ['walk', 'Focus on the function', 'walk 14'],
  ];
  const states = [all];
  for (const [name, item, line] of steps) {
    await choose(page, name, item);
    states.push(await exportedFolded(page));
    if (line) assert.ok(lines(states.at(-1)).includes(line), `${item}: ${states.at(-1)}`);
  }
  assert.equal(states[3].includes('operator'), false);
  assert.deepEqual(lines(states[4]), ['walk 14']);
  assert.equal(await page.locator('.chip').count(), 4);
  for (let i = steps.length - 1; i >= 0; --i) {
    await page.keyboard.press('Control+Z');
    assert.equal(await exportedFolded(page), states[i]);
  }
  await page.keyboard.press('Control+Shift+Z');
  await page.keyboard.press('Control+Shift+Z');
  assert.equal(await exportedFolded(page), states[2]);
  await page.getByLabel('Undo the last transform').click();
  assert.equal(await exportedFolded(page), states[1]);
});

test('subtree, direct recursion, template arguments, invert', async () => {
  const page = await open(recursive);
  await page.keyboard.press('R');
  assert.deepEqual(
    lines(await exportedFolded(page)),
    lines(
      RECURSIVE.replace('walk;walk;walk;visit 8', 'walk;visit 12').replace(
        'main;walk;visit 4\n',
        '',
      ),
    ),
  );
  await page.keyboard.press('T');
  assert.deepEqual(lines(await exportedFolded(page)), [
    'main;operator< 1',
    'main;std::vector<>::at 3',
    'main;std::vector<>::at;walk;step;walk;visit 2',
    'main;walk;visit 12',
  ]);
  const {x, y} = await boxNamed(page, 'step');
  await page.mouse.move(x, y);
  await page.keyboard.press('F');
  assert.equal(await exportedFolded(page), 'step;walk;visit 2\n');
  await page.keyboard.press('i');
  assert.equal(await exportedFolded(page), 'visit;walk;step 2\n');
  // A click on a step goes back to it.
  await page.locator('.chip').first().click();
  assert.equal(await page.locator('.chip').count(), 1);
  assert.match(await exportedFolded(page), /main;walk;visit 12/);
});

test('inverted stacks are those that wick folds in reverse', async () => {
  const page = await open(plain);
  await page.keyboard.press('i');
  const reversed = SAMPLES.replace(
    /^(.*) /gm,
    (_, stack) => stack.split(';').reverse().join(';') + ' ',
  );
  assert.deepEqual(lines(await exportedFolded(page)), lines(reversed));
  sameBoxes(await boxes(page), layout(reversed));
});

test('a module collapses into one frame', async () => {
  const page = await open(modules);
  await choose(page, 'work', 'Collapse app');
  assert.deepEqual(lines(await exportedFolded(page)), [
    'app;[app] 50000',
    'app;[app];read 50000',
    'tool;main;std::vector<char>::at 20000',
    'worker;[app] 50000',
  ]);
});

test('all frames of a function can be marked', async () => {
  const page = await open(recursive);
  await choose(page, 'visit', 'Mark all its frames');
  const marked = (await boxes(page)).filter(box => box.color === '#ffd400');
  assert.deepEqual([...new Set(marked.map(box => box.name))], ['visit']);
  assert.equal(marked.length, 3);
  await page.locator('.chip').click();
  assert.ok((await boxes(page)).every(box => box.color !== '#ffd400'));
});

test('names and stacks are copied', async () => {
  const page = await open(recursive);
  await choose(page, 'step', 'Copy the name');
  assert.equal(await pasted(page), 'step');
  await choose(page, 'step', 'Copy the stack');
  assert.equal(await pasted(page), 'main\nstd::vector<int>::at\nwalk\nstep');
});

test('the view is exported as SVG and PNG', async () => {
  const page = await open(plain);
  await click(page, 'draw');
  const shown = await boxes(page);
  const svg = (await exported(page, 'SVG')).toString();
  const drawnBoxes = await page.evaluate(source => {
    const picture = new DOMParser().parseFromString(source, 'image/svg+xml');
    return Array.from(picture.querySelectorAll('g > title'), title => {
      const rect = title.parentElement.querySelector('rect');
      return [
        title.textContent.replace(/ \([^(]*$/, ''),
        Number(rect.getAttribute('x')),
        Number(rect.getAttribute('width')),
        rect.getAttribute('fill'),
      ];
    });
  }, svg);
  const order = (a, b) => (a[0] < b[0] ? -1 : 1);
  const clipped = drawnBoxes.map(([name, x, width, fill]) => [
    name,
    Math.round(Math.max(x, 0)),
    Math.round(Math.min(x + width, 1000) - Math.max(x, 0)),
    fill,
  ]);
  assert.deepEqual(
    clipped.map(b => b.slice(0, 3)).sort(order),
    shown.map(box => [box.name, Math.round(box.left), Math.round(box.width)]).sort(order),
  );
  assert.equal(clipped.find(b => b[0] === 'flush')[3], shown.find(b => b.name === 'flush').color);
  const png = await exported(page, 'PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  const {width} = await canvas(page).boundingBox();
  assert.equal(png.readUInt32BE(16), width);
});

test('lanes of time and both halves of a sandwich are exported', async () => {
  const page = await open(modules, {fragment: '#view=time'});
  const titles = async () =>
    page.evaluate(
      source =>
        Array.from(
          new DOMParser().parseFromString(source, 'image/svg+xml').querySelectorAll('g > title'),
          title => [
            title.textContent.replace(/ \(\d.*$/, ''),
            Number(title.nextElementSibling.getAttribute('x')),
          ],
        ),
      (await exported(page, 'SVG')).toString(),
    );
  const boxesOfTime = await titles();
  const first = name => boxesOfTime.find(box => box[0] === name)[1];
  assert.ok(
    first('parse') < 1 && Math.abs(first('draw') - 500) < 10,
    JSON.stringify(boxesOfTime.slice(0, 20)),
  );
  assert.ok(
    boxesOfTime.some(box => box[0] === 'leaf') && boxesOfTime.some(box => box[0] === 'tool'),
  );
  await page.evaluate(() => {
    location.hash = '#view=sandwich';
  });
  await page.waitForSelector('#tab-sandwich[aria-selected=true]');
  await page.getByLabel('Function', {exact: true}).fill('work');
  await page.getByLabel('Function', {exact: true}).press('Enter');
  assert.deepEqual((await titles()).map(box => box[0]).sort(), [
    'all',
    'all',
    'leaf',
    'start',
    'work',
    'work',
    'work',
    'worker',
  ]);
  const png = await exported(page, 'PNG');
  const heights = await page.$$eval('#view canvas', all => all.map(c => c.height));
  assert.equal(png.readUInt32BE(20), heights[0] + heights[1]);
});

test('the heat map is exported with its ranges, its axis and the flame graph below', async () => {
  const page = await open(modules, {fragment: '#view=heat&range=0-500000'});
  const picture = await page.evaluate(
    source => {
      const svg = new DOMParser().parseFromString(source, 'image/svg+xml');
      const cells = Array.from(svg.querySelectorAll('rect:not(.range, g > g > rect)')).filter(
        rect => rect.parentElement.tagName === 'g',
      );
      const ranges = Array.from(svg.querySelectorAll('.range'));
      return {
        cells: cells.length,
        columns: ranges.length,
        names: Array.from(svg.querySelectorAll('g > title'), title =>
          title.textContent.replace(/ \(\d.*$/, ''),
        ),
        right: Math.max(
          ...ranges.map(
            rect => Number(rect.getAttribute('x')) + Number(rect.getAttribute('width')),
          ),
        ),
        axis: Array.from(svg.querySelectorAll('g > text'), t => t.textContent).filter(t =>
          / s$/.test(t),
        ),
      };
    },
    (await exported(page, 'SVG')).toString(),
  );
  // Columns last 20 ms. Cells are shorter than the gap between samples: each sample has its own.
  assert.equal(picture.cells, 170);
  assert.equal(picture.columns, 25);
  assert.ok(Math.abs(picture.right - 500) < 1);
  assert.deepEqual(picture.axis.slice(0, 3), ['0.0 s', '0.2 s', '0.4 s']);
  assert.ok(
    picture.names.includes('parse') && !picture.names.includes('draw'),
    picture.names.join(),
  );
  const heights = await page.$$eval('#view canvas', all => all.map(c => c.height));
  assert.equal((await exported(page, 'PNG')).readUInt32BE(20), heights[0] + heights[1]);
  assert.match(await text(page, '#view .bar'), /^A column is 20 ms, a cell 400 µs\./);
});

test('the address restores the view', async () => {
  const page = await open(modules);
  await choose(page, 'work', 'Collapse its recursion');
  await page.getByLabel('Order').selectOption('heaviest first');
  await page.locator('#filters summary').click();
  await page.getByLabel('tool 200').uncheck();
  await page.locator('#search').fill('WORK');
  await page.keyboard.press('Control+I');
  await click(page, 'start');
  const {x, y} = await boxNamed(page, 'leaf');
  await page.mouse.move(x, y);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  await page.keyboard.up('Control');
  await page.waitForURL(/window=/);
  const before = {
    boxes: await boxes(page),
    folded: await exportedFolded(page),
    matched: await text(page, '#matched'),
  };
  const again = await open(page.url());
  assert.deepEqual(await boxes(again), before.boxes);
  assert.equal(await exportedFolded(again), before.folded);
  assert.equal(await text(again, '#matched'), before.matched);
  assert.match(before.matched, /Matched: 33\.33%/);
  // The other views too; invalid values are ignored.
  for (const view of ['icicle', 'time', 'heat', 'sandwich', 'table', 'about']) {
    await again.evaluate(view => {
      location.hash = `#view=${view}`;
    }, view);
    await again.waitForSelector(`#tab-${view}[aria-selected=true]`);
  }
  assert.deepEqual(again.errors, []);
  const invalid = await open(modules, {
    fragment:
      '#view=x&zoom=99999999&window=5-3&do=function.99999_subtree.-1_q&func=1e9&mark=77777' +
      '&threads=9.x&range=a-b&file=9&lanes=3-1&event=none&cpu=up&search=%ff%00',
  });
  assert.deepEqual(invalid.errors, []);
  assert.equal((await names(invalid)).length, 15);
});

test('the address restores names that transforms made, whatever was undone before', async () => {
  const page = await open(modules);
  await choose(page, 'work', 'Collapse app');
  await page.keyboard.press('Control+Z');
  await choose(page, 'std::vector<char>::at', 'Collapse tool');
  await page.keyboard.press('T');
  await choose(page, 'std::vector<>::at', 'Mark all its frames');
  await choose(page, 'std::vector<>::at', 'Focus on the function');
  assert.equal(await exportedFolded(page), 'std::vector<>::at 50000\n');
  const again = await open(page.url());
  assert.equal(await exportedFolded(again), 'std::vector<>::at 50000\n');
  assert.deepEqual(await again.$$eval('.chip', all => all.map(chip => chip.textContent)), [
    'collapse tool',
    'no template arguments',
    'focus std::vector<>::at',
    'marked: std::vector<>::at ×',
  ]);
});

test('another fragment in the address changes the view', async () => {
  const page = await open(plain);
  await page.evaluate(() => {
    location.hash = '#view=table&search=draw';
  });
  await page.waitForSelector('table');
  assert.deepEqual(
    (await tableRows(page)).map(row => row.name),
    ['draw'],
  );
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
  assert.match(await text(page, '.chip'), /^Time 0\.0+ s – /);
  await page.keyboard.press('b');
  assert.match(await text(page, '.chip'), /^compared with 0\.0+ s/);
});

test('keys in a sandwich act on the half that has the focus', async () => {
  const page = await open(modules, {fragment: '#view=sandwich'});
  await page.getByLabel('Function', {exact: true}).fill('main');
  await page.getByLabel('Function', {exact: true}).press('Enter');
  assert.equal(await text(page, '#shares'), 'self 0.00%, total 70.59%');
  await page.keyboard.press('Tab');
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight']) await page.keyboard.press(key);
  assert.match(await text(page, '#details'), /^tool /);
  await page.keyboard.press('x');
  assert.equal(await text(page, '.chip'), 'drop tool');
});

test('the address restores what the halves of a sandwich are zoomed to', async () => {
  const page = await open(modules, {fragment: '#view=sandwich'});
  await page.getByLabel('Function', {exact: true}).fill('main');
  await page.getByLabel('Function', {exact: true}).press('Enter');
  await click(page, 'tool', {which: 0});
  await click(page, 'parse', {which: 1});
  const before = [await boxes(page, 0), await boxes(page, 1)];
  assert.equal(before[0].find(box => box.name === 'tool').width, 1000);
  assert.equal(before[1].find(box => box.name === 'parse').width, 1000);
  const again = await open(page.url());
  assert.deepEqual([await boxes(again, 0), await boxes(again, 1)], before);
  // Another function has different boxes.
  await again.getByLabel('Function', {exact: true}).fill('work');
  await again.getByLabel('Function', {exact: true}).press('Enter');
  assert.doesNotMatch(again.url(), /halves/);
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
  await page.getByLabel('t59 1059').uncheck();
  assert.equal(await text(page, '#filters summary'), '59 of 60 threads');
  assert.ok(await page.locator('#filters details > div').evaluate(list => list.scrollTop > 100));
  assert.equal(
    await page.evaluate(() => document.activeElement.getAttribute('aria-label')),
    't59 1059',
  );
});

test('the lanes of time show that they have the focus', async () => {
  const page = await open(modules, {fragment: '#view=time'});
  const lanes = page.locator('#view .stage canvas');
  for (let i = 0; i < 30 && !(await lanes.evaluate(c => c === document.activeElement)); ++i)
    await page.keyboard.press('Tab');
  assert.notEqual(await lanes.evaluate(c => getComputedStyle(c).outlineStyle), 'none');
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
  assert.match(
    await canvas(page).getAttribute('aria-label'),
    /the table view has the same data as text/,
  );
  await page.keyboard.press('4');
  assert.equal(await page.getByRole('main').getByRole('tabpanel', {name: 'Table'}).count(), 1);
  const table = page.getByRole('table');
  assert.equal(await table.locator('caption').textContent(), 'Functions, in samples');
  assert.deepEqual(
    (await tableRows(page)).map(row => [row.name, row.cells[0], row.cells[2]]),
    [
      ['flush', '40', '40'],
      ['read', '30', '30'],
      ['Reader::next', '10', '10'],
      ['draw', '10', '50'],
      ['idle', '10', '10'],
      ['main', '0', '90'],
      ['parse', '0', '40'],
    ],
  );
  await page.keyboard.press('/');
  await page.keyboard.type('^re');
  assert.deepEqual(
    (await tableRows(page)).map(row => row.name),
    ['read'],
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
  assert.deepEqual(await widths(page), {
    'std::vector<int>::at': 400,
    draw: 400,
    main: 400,
    app: 400,
    all: 400,
  });
});
