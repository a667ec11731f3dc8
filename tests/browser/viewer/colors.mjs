// SPDX-License-Identifier: Apache-2.0
// What colours mean, whether they can be told apart, and whether labels on them can be read.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file, picture, show} from '../browser.mjs';
import {contrast, difference, seen, VISION} from '../color_vision.mjs';
import {
  boxes,
  drawn,
  exported,
  exportedFolded,
  lines,
  open,
  pageOf,
  ROW,
  text,
  wick,
} from './page.mjs';

/** Each kind of frame that a profile can have, and code without a name. */
const KINDS = ['user', 'kernel', 'inlined', 'jit', 'wasm', 'off-cpu', 'label', 'unnamed'];
/** Functions of each kind. */
const EACH = 4;

/** A profile whose frames have kinds: one stack for each [kind, name] with a weight. */
function kindsOf(stacks) {
  const frames = stacks.map(([kind, name]) =>
    kind === 'user' || kind === 'unnamed' ? {name} : {name, kind},
  );
  return JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    shared: {frames},
    profiles: [
      {
        type: 'sampled',
        name: 'app',
        unit: 'none',
        startValue: 0,
        endValue: stacks.length,
        samples: stacks.map((_, i) => [i]),
        weights: stacks.map(([, , weight]) => weight),
      },
    ],
  });
}

const nameOf = (kind, i) =>
  kind === 'unnamed' ? `[lib${i}.so+0x1${i}]` : `${kind} ${'mMwW'[i % 4]}${i}`;
const MANY = KINDS.flatMap(kind =>
  Array.from({length: EACH}, (_, i) => [kind, nameOf(kind, i), 1]),
);
/** How much ends in each kind; they add up to 100. */
const SHARES = {
  user: 30,
  kernel: 20,
  inlined: 15,
  jit: 12,
  wasm: 10,
  'off-cpu': 7,
  label: 1,
  unnamed: 5,
};
const FEW = Object.entries(SHARES).map(([kind, weight]) => [kind, nameOf(kind, 0), weight]);

let many;
let few;
before(() => {
  many = file(kindsOf(MANY));
  few = pageOf(file(kindsOf(FEW))).address;
});

/** The colours that a page draws for each kind. */
async function colorsByKind(page) {
  const found = await boxes(page);
  const kindOf = new Map(MANY.map(([kind, name]) => [name, kind]));
  const colors = Object.fromEntries(KINDS.map(kind => [kind, new Set()]));
  for (const box of found) if (kindOf.has(box.name)) colors[kindOf.get(box.name)].add(box.color);
  return colors;
}

test('two kinds never look alike, with any colour vision', async () => {
  const page = await open(pageOf(many).address);
  const colors = await colorsByKind(page);
  // What is searched for and what is marked differ from all of them, too.
  for (const [kind, fragment] of [
    ['found', '#search=user'],
    ['marked', '#mark=0'],
  ]) {
    const other = await open(pageOf(many).address, {fragment});
    const found = (await boxes(other)).filter(box => box.name !== 'all');
    const now = new Set(found.map(box => box.color));
    const known = new Set(Object.values(colors).flatMap(set => [...set]));
    colors[kind] = new Set([...now].filter(color => !known.has(color)));
    assert.equal(colors[kind].size, 1, kind);
  }
  const names = Object.keys(colors);
  for (const [i, a] of names.entries()) {
    assert.ok(colors[a].size > 0, a);
    for (const b of names.slice(0, i))
      for (const vision of Object.keys(VISION))
        for (const first of colors[a])
          for (const second of colors[b]) {
            const distance = difference(seen(first, vision), seen(second, vision));
            const what = `${a} ${first}, ${b} ${second}, ${vision}`;
            assert.ok(distance >= 10, `${what}: ${distance.toFixed(2)}`);
          }
  }
});

test('the distance of colours is CIEDE2000', () => {
  const pairs = [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ];
  for (const [a, b, known] of pairs) assert.equal(difference(a, b).toFixed(4), known.toFixed(4));
});

/** For each labelled box of the first canvas, the colours of its pixels, most frequent first. */
const inksOf = page =>
  page.evaluate(row => {
    const canvas = document.querySelector('#view .stage canvas');
    const ratio = devicePixelRatio;
    const {width, height} = canvas;
    const image = canvas.getContext('2d').getImageData(0, 0, width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const high = row * ratio;
    const hex = pixel => {
      const channels = [pixel, pixel >> 8, pixel >> 16].map(c => c & 0xff);
      return '#' + channels.map(c => c.toString(16).padStart(2, '0')).join('');
    };
    const colorsWithin = (left, right, top, bottom) => {
      const counts = new Map();
      for (let y = top; y < bottom; ++y)
        for (const pixel of pixels.subarray(width * y + left, width * y + right))
          counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
      return [...counts].sort((a, b) => b[1] - a[1]).map(([pixel]) => hex(pixel));
    };
    const found = [];
    for (let y = 0; y + high <= height; y += high) {
      // Above the letters, a box has one colour.
      const line = pixels.subarray(width * (y + 1), width * (y + 2));
      for (let x = 0, end = 0; x < width; x = end + 1) {
        for (end = x; end < width && line[end] === line[x]; ++end);
        if (end - x < 30 * ratio) continue;
        const [left, right] = [x + ratio, end - ratio];
        const colors = colorsWithin(left, right, y + 2 * ratio, y + high - 3 * ratio);
        if (colors.length > 1) found.push(colors);
      }
    }
    return found;
  }, ROW);

/** Names of which any palette makes many colours. */
const NAMES = Array.from({length: 24}, (_, i) => `main;${'abcdefgh'[i % 8]}${i * i}_MMMM 1\n`).join(
  '',
);

const PALETTES = ['module', 'name', 'hot', 'mem', 'io', 'red', 'blue', 'purple', 'java', 'wakeup'];

for (const colorScheme of ['light', 'dark'])
  test(`labels can be read on every colour: ${colorScheme}`, async () => {
    const options = {deviceScaleFactor: 3, viewport: {width: 1400, height: 400}, colorScheme};
    const names = pageOf(file(NAMES)).address;
    const kinds = pageOf(many).address;
    const diff = ['--diff', file('main;aMMMM 9\nmain;bMMMM 5\nmain;cMMMM 7\n')];
    const compared = pageOf(file('main;aMMMM 2\nmain;bMMMM 5\nmain;dMMMM 9\n'), ...diff).address;
    for (const [address, fragment, least] of [
      ...PALETTES.map(colors => [names, `#colors=${colors}`, 20]),
      [kinds, '', 20],
      [kinds, '#search=m', 20],
      [kinds, '#mark=3', 20],
      // The callers of what is zoomed to are pale.
      [names, '#zoom=2', 3],
      [names, '#zoom=2&colors=hot', 3],
      [names, '#zoom=2&colors=mem', 3],
      [compared, '', 4],
    ]) {
      const page = await open(address, {...options, fragment});
      await drawn(page);
      const found = await inksOf(page);
      assert.ok(found.length >= least, `${fragment}: ${found.length} labels`);
      for (const [color, ...inks] of found) {
        const best = Math.max(...inks.map(ink => contrast(ink, color)));
        assert.ok(best >= 4.5, `${fragment}: ${color} ${best.toFixed(2)}`);
      }
      await page.close();
    }
  });

/** A colour over another. @param {string} rgb "rgb(1, 2, 3)" @param {string} under "#rrggbb" */
function over(rgb, share, under) {
  const channels = rgb.match(/\d+/g).slice(0, 3).map(Number);
  return (
    '#' +
    channels
      .map((c, i) => c * share + parseInt(under.slice(1 + 2 * i, 3 + 2 * i), 16) * (1 - share))
      .map(c => Math.round(c).toString(16).padStart(2, '0'))
      .join('')
  );
}

for (const colorScheme of ['light', 'dark'])
  for (const colors of ['hot', 'mem', 'kind'])
    test(`labels of an SVG can be read on every colour: ${colors}, ${colorScheme}`, async () => {
      const viewport = {width: 1400, height: 400};
      const page = await show(picture(NAMES, '--colors', colors), {colorScheme, viewport});
      const paper = colorScheme === 'dark' ? '#17191d' : '#eeeeb0';
      const check = async least => {
        const found = await page.$$eval('#frames g:not(.off)', all =>
          all
            .filter(g => g.querySelector('text'))
            .map(g => {
              const rect = getComputedStyle(g.querySelector('rect'));
              return [
                rect.fill,
                Number(rect.fillOpacity),
                getComputedStyle(g.querySelector('text')).fill,
              ];
            }),
        );
        assert.ok(found.length >= least, `${found.length} labels`);
        for (const [fill, opacity, ink] of found) {
          const color = over(fill, opacity, paper);
          const ratio = contrast(over(ink, 1, color), color);
          assert.ok(ratio >= 4.5, `${ink} on ${color}: ${ratio.toFixed(2)}`);
        }
      };
      await check(20);
      await page.locator('#frames g').nth(5).click();
      await check(3);
      await page.keyboard.press('/');
      await page.keyboard.type('main');
      await check(3);
    });

// --- the legend

/** What the legend says: parts and their shares. */
const legend = page =>
  page.$$eval('#legend button', all =>
    Object.fromEntries(all.map(part => part.textContent.match(/^(.*) ([\d.]+%)$/).slice(1))),
  );

const part = (page, title) => page.locator('#legend').getByRole('button', {name: title});

test('the legend has every kind with the share of what ended in it, largest first', async () => {
  const page = await open(few);
  assert.deepEqual(Object.entries(await legend(page)), [
    ['user', '30.00%'],
    ['kernel', '20.00%'],
    ['inlined', '15.00%'],
    ['JIT', '12.00%'],
    ['wasm', '10.00%'],
    ['off CPU', '7.00%'],
    ['unnamed', '5.00%'],
    ['not code', '1.00%'],
  ]);
});

test('kinds of callers in which nothing ended are in the legend, without a share', async () => {
  const page = await open(pageOf(file('main;read_[k];copy_[i] 3\n')).address);
  assert.deepEqual(await legend(page), {inlined: '100.00%'});
  const others = page.locator('#legend > span');
  assert.deepEqual(await others.allTextContents(), ['user', 'kernel']);
  await page.keyboard.press('i');
  assert.deepEqual((await others.allTextContents()).sort(), ['kernel', 'user']);
});

test('the share of the kernel is that of wick fold', async () => {
  const input = file('main;read_[k];copy_[k] 3\nmain;read_[k] 4\nmain;work 13\nmain 5\n');
  const page = await open(pageOf(input).address);
  const ends = lines(wick('fold', '--quiet', '--kernel', input)).map(line => line.split(' '));
  const kernel = ends.filter(([stack]) => stack.endsWith('_[k]'));
  const sum = list => list.reduce((all, [, weight]) => all + Number(weight), 0);
  const share = `${((100 * sum(kernel)) / sum(ends)).toFixed(2)}%`;
  assert.equal(share, '28.00%');
  assert.equal((await legend(page)).kernel, share);
});

test('a click shows one kind alone, another click all again', async () => {
  const page = await open(few);
  await part(page, 'kernel').click();
  assert.equal(await exportedFolded(page), `${nameOf('kernel', 0)} 20\n`);
  assert.match(await text(page, '#filters'), /only kernel/);
  assert.equal(await part(page, 'kernel').getAttribute('aria-pressed'), 'true');
  // The legend keeps the shares of all.
  assert.equal((await legend(page)).user, '30.00%');
  await part(page, 'kernel').click();
  assert.equal(lines(await exportedFolded(page)).length, KINDS.length);
});

test('a click with Shift leaves a kind out', async () => {
  const page = await open(few);
  await part(page, 'user').click({modifiers: ['Shift']});
  await part(page, 'off CPU').click({modifiers: ['Shift']});
  assert.match(await text(page, '#filters'), /without user, off CPU/);
  assert.equal(lines(await exportedFolded(page)).length, KINDS.length - 2);
  await part(page, 'user').click({modifiers: ['Shift']});
  assert.match(await text(page, '#filters'), /without off CPU/);
});

test('the choice of a kind is a step that can be undone, and is in the address', async () => {
  const page = await open(few);
  await part(page, 'wasm').click();
  const wasm = `${nameOf('wasm', 0)} 10\n`;
  assert.equal(await exportedFolded(page), wasm);
  assert.equal(await exportedFolded(await open(page.url())), wasm);
  await page.keyboard.press('Control+Z');
  assert.equal(lines(await exportedFolded(page)).length, KINDS.length);
  await part(page, 'kernel').click();
  await page.locator('#filters').getByRole('button', {name: 'only kernel'}).click();
  assert.equal(lines(await exportedFolded(page)).length, KINDS.length);
});

test('the legend is used with the keyboard alone, and keeps the focus', async () => {
  const page = await open(few);
  await page.locator('#legend select').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.match(await text(page, '#filters'), /only user/);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Enter');
  assert.match(await text(page, '#filters'), /without kernel/);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  assert.doesNotMatch(await text(page, '#filters'), /only|without/);
});

/** Samples in two files, as perf script prints them. */
const MODULES = [
  ['main', '/bin/app', 3],
  ['read', '/lib/libc.so.6', 2],
  ['write', '/lib/libc.so.6', 1],
]
  .flatMap(([name, module, count]) => Array(count).fill([name, module]))
  .map(([name, module], i) => `a 1/1 ${i}.0: 1 cycles: \n\t1000 ${name}+0x1 (${module})\n\n`)
  .join('');

test('colours by module have a legend of modules, which restricts the view to one', async () => {
  const page = await open(pageOf(file(MODULES)).address);
  await page.locator('#legend select').selectOption('module');
  assert.deepEqual(await legend(page), {app: '50.00%', 'libc.so.6': '50.00%'});
  await part(page, 'libc.so.6').click();
  assert.deepEqual(lines(await exportedFolded(page)), ['a;read 2', 'a;write 1']);
});

test('the page opens with the palette it was written with', async () => {
  const chosen = async (...options) => {
    const page = await open(pageOf(file(NAMES), ...options).address);
    return page.locator('#legend select').inputValue();
  };
  assert.equal(await chosen(), 'kind');
  assert.equal(await chosen('--colors', 'module'), 'module');
  assert.equal(await chosen('--colors', 'mem'), 'mem');
  assert.equal(await chosen('--hash'), 'hot');
});

test('a comparison has the colours of its change, and no legend of kinds', async () => {
  const page = await open(pageOf(file('a 1\n'), '--diff', file('b 1\n')).address);
  assert.equal(await page.locator('#legend').isVisible(), false);
  await page.getByLabel('Side').selectOption('after');
  assert.deepEqual(await legend(page), {user: '100.00%'});
});

test('a mark of what is new stays when a label is cut', async () => {
  const before = file('main 100\n');
  const after = file(`main 80\nmain;std::vector<int>::${'x'.repeat(30)} 20\n`);
  const page = await open(pageOf(after, '--diff', before).address);
  const svg = await exported(page, 'SVG');
  assert.match(svg.toString(), />\+ x+\.\.</);
});
