// SPDX-License-Identifier: Apache-2.0
// What the viewer computes, without a browser: shapes, trees, visible boxes.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {DataError, fromBase64, gunzip} from '../../web/bytes.js';
import {decode} from '../../web/data.js';
import {folding} from '../../web/export.js';
import {groupsInTime, weigh} from '../../web/filter.js';
import {heatMap} from '../../web/heat.js';
import {lanesOf} from '../../web/lanes.js';
import {withoutTemplates} from '../../web/names.js';
import {percent} from '../../web/numbers.js';
import {visibleBoxes} from '../../web/paint.js';
import {matched, matcher, matchingFunctions} from '../../web/search.js';
import {changeInterval, functionTotals} from '../../web/totals.js';
import {Merger} from '../../web/shape.js';
import {Shapes, transformed} from '../../web/transform.js';
import {buildTree} from '../../web/tree.js';
import {finished, sorting} from '../../web/work.js';
import {madePage} from './made_page.mjs';

/** The unpacked data of the page that wick writes for `folded`. */
const unpacked = (folded, ...options) =>
  gunzip(fromBase64(madePage(folded, ...options).match(/id="data">([^<]*)</)[1]));

async function opened(folded, transforms = [], options = {}) {
  const data = decode(await unpacked(folded));
  const filter = {group: data.meta.events.at(-1).group, threads: null, cpu: '', range: null};
  const named = transforms.map(([type, name]) => ({
    type,
    at: name === undefined ? -1 : [...Array(data.names).keys()].find(f => data.name(f) === name),
  }));
  const tree = buildTree(new Shapes(data).after(named), weigh(data, filter, null), {
    heavy: false,
    normalized: true,
    ...options,
  });
  data.made = tree.shape.made;
  return {data, tree};
}

/** Folded lines after these transforms. */
async function after(folded, ...transforms) {
  const {data, tree} = await opened(folded, transforms);
  return finished(folding(data, tree)).join('');
}

const SAMPLES = 'main;parse;read 30\nmain;parse;parse;next 10\nmain;draw;flush 40\nidle 20\n';

test('a page has the stacks of its input', async () => {
  assert.equal(
    await after(SAMPLES),
    'idle 20\nmain;draw;flush 40\nmain;parse;parse;next 10\nmain;parse;read 30\n',
  );
});

test('samples without a stack are exported as wick fold prints them', async () => {
  assert.equal(await after('a;b 2\n 5\n'), ' 5\na;b 2\n');
});

/** A thread runs, then waits for its first run, for another thread, for an unknown reason. */
const WAITS = JSON.stringify({
  $schema: 'https://www.speedscope.app/file-format-schema.json',
  shared: {
    frames: [
      {name: 'main'},
      {name: 'work'},
      {name: '[waits for its first run]', kind: 'off-cpu'},
      {name: '[blocked]', kind: 'off-cpu'},
      {name: '[woken by]', kind: 'label'},
      {name: 'other'},
      {name: '[off the CPU, not sampled]', kind: 'off-cpu'},
    ],
  },
  profiles: [
    ['cycles', 'on-cpu', [[0, 1]], [7]],
    ['waits', 'off-cpu', [[2], [0, 3, 4, 5], [6]], [10, 20, 30]],
    ['all', 'wall', [[0, 1], [2], [0, 3, 4, 5], [6]], [40, 10, 20, 30]],
  ].map(([name, time, samples, weights]) => ({
    type: 'sampled',
    name,
    unit: 'nanoseconds',
    thread: {name: ''},
    event: {name, unit: 'nanoseconds', time},
    startValue: 0,
    endValue: 100,
    samples,
    weights,
  })),
});

/** Folded lines of wall time on or off the CPU. */
async function wallTime(cpu) {
  const data = decode(await unpacked(WAITS, '--event', '*'));
  const filter = {group: 'all', threads: null, cpu, range: null};
  const tree = buildTree(new Shapes(data).after([]), weigh(data, filter, null), {
    heavy: false,
    normalized: true,
  });
  return finished(folding(data, tree)).join('');
}

test('time on the CPU has no wait, whatever its reason and its waker', async () => {
  assert.equal(await wallTime('on'), 'main;work 40\n');
});

test('time off the CPU has every wait', async () => {
  assert.equal(
    await wallTime('off'),
    '[off the CPU, not sampled] 30\n[waits for its first run] 10\n' +
      'main;[blocked];[woken by];other 20\n',
  );
});

test('the times of wall time are those of the events it is made of', async () => {
  const data = decode(await unpacked(WAITS, '--event', '*'));
  assert.deepEqual(groupsInTime(data, 'all'), ['cycles', 'waits']);
  assert.deepEqual(groupsInTime(data, 'waits'), ['waits']);
});

test('focus makes a function the root of its stacks', async () => {
  assert.equal(await after(SAMPLES, ['function', 'parse']), 'parse;parse;next 10\nparse;read 30\n');
});

test('hiding a function gives its weight to its callers', async () => {
  assert.equal(
    await after(SAMPLES, ['hide', 'flush'], ['hide', 'parse']),
    'idle 20\nmain;draw 40\nmain;next 10\nmain;read 30\n',
  );
});

test('dropping a function drops its stacks', async () => {
  assert.equal(await after(SAMPLES, ['drop', 'parse']), 'idle 20\nmain;draw;flush 40\n');
});

test('direct recursion of all functions collapses', async () => {
  assert.equal(await after('a;a;a;b;b 1\na;b;a 2\n', ['recursion']), 'a;b 1\na;b;a 2\n');
});

test('the recursion of one function collapses with everything in between', async () => {
  assert.equal(
    await after('m;f;g;f;h 1\nm;f;g 2\nm;f;x 3\n', ['recursion', 'f']),
    'm;f;g 2\nm;f;h 1\nm;f;x 3\n',
  );
});

test('inverted stacks begin with the function that ran', async () => {
  assert.equal(
    await after(SAMPLES, ['invert']),
    'flush;draw;main 40\nidle 20\nnext;parse;parse;main 10\nread;parse;main 30\n',
  );
});

test('template arguments are dropped, and names that are then equal are merged', async () => {
  assert.equal(
    await after('std::vector<int>::at 1\nstd::vector<std::pair<a, b> >::at 2\noperator< 3\n', [
      'templates',
    ]),
    'operator< 3\nstd::vector<>::at 3\n',
  );
  assert.equal(withoutTemplates('a::operator<<<int>(x)'), 'a::operator<<<>(x)');
  assert.equal(withoutTemplates('f<(a->b)>::g'), 'f<>::g');
  assert.equal(withoutTemplates('f<unclosed'), 'f<unclosed');
});

test('callers of a function, each stack counted once', async () => {
  assert.equal(await after('a;f;f;x 1\nb;f 2\nc 4\n', ['callers', 'f']), 'f;a 1\nf;b 2\n');
});

test('totals count a function once for each stack', async () => {
  const {data, tree} = await opened('f;f;g 3\nf 2\ng;f 4\n');
  const {self, total} = functionTotals(tree, data);
  const [f, g] = ['f', 'g'].map(name =>
    [...Array(data.names).keys()].find(i => data.name(i) === name),
  );
  assert.deepEqual([self[f], total[f], self[g], total[g]], [6, 9, 3, 7]);
});

test('the matched share counts each place once', async () => {
  const {data, tree} = await opened(SAMPLES);
  const hits = matchingFunctions(
    data,
    matcher({text: '^(parse|read|idle)$', regex: true, ignoreCase: false}),
  );
  const main = [...tree.boxes].find(box => box > 0 && data.name(tree.shape.func[box]) === 'main');
  const found = matched(tree, hits, main);
  assert.equal(found.whole.after / tree.whole, 0.6);
  assert.equal(found.part.after / tree.extent[main], 0.5);
});

test('a tree in the order of weights has its widest box on the left', async () => {
  const {data, tree} = await opened('a 1\nb 5\nc 3\n', [], {heavy: true});
  assert.deepEqual(
    [...tree.boxes.subarray(1)].map(box => [data.name(tree.shape.func[box]), tree.x[box]]),
    [
      ['b', 0],
      ['c', 5],
      ['a', 8],
    ],
  );
});

test('every box of at least a pixel is drawn, and every pixel that has a box', async () => {
  let seed = 7;
  const random = below => (seed = (seed * 48271) % 2147483647) % below;
  const weight = () => (random(8) === 0 ? 2000 + random(5000) : 1 + random(9));
  const lines = [];
  for (let i = 0; i < 3000; ++i)
    lines.push(`r;f${random(40)};g${random(300)};h${random(5000)} ${weight()}`);
  const {tree} = await opened(lines.join('\n') + '\n');
  for (const window of [
    [0, 1],
    [0.2, 0.6],
    [0.5, 0.501],
  ]) {
    const width = 700;
    const scale = width / ((window[1] - window[0]) * tree.whole);
    const start = window[0] * tree.whole;
    for (let depth = 0; depth + 1 < tree.level.length; ++depth) {
      const drawn = new Map();
      const covered = new Uint8Array(width + 2);
      const cover = (left, size) => {
        for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, left + size); ++x)
          covered[x] = 1;
      };
      visibleBoxes(
        tree,
        depth,
        {window, width, pixel: 1, run: 1},
        (box, left, size) => {
          drawn.set(box, size);
          cover(left, size);
        },
        cover,
      );
      for (let i = tree.level[depth]; i < tree.level[depth + 1]; ++i) {
        const box = tree.boxes[i];
        const left = (tree.x[box] - start) * scale;
        const right = left + tree.extent[box] * scale;
        if (right <= 0 || left >= width) continue;
        if (right - left >= 1 + 1e-9)
          assert.ok(drawn.has(box), `box ${box} of ${right - left} pixels`);
        assert.ok(covered[Math.max(0, Math.floor(left))], `pixel ${left} at depth ${depth}`);
      }
      assert.ok(drawn.size <= width + 2);
    }
  }
});

test('percentages round ties to even, as wick report does', () => {
  assert.deepEqual([153 / 160, 1 / 160, 3 / 160].map(percent), ['95.62%', '0.62%', '1.88%']);
  assert.deepEqual([0.956251, 0.956249].map(percent), ['95.63%', '95.62%']);
});

test('the confidence interval of a change is that of wick diff', () => {
  // wick diff of 100 of 1000 samples before and none of 1010 after.
  const [low, high] = changeInterval(0.1, 0, [1000, 1010]);
  assert.equal((((high - low) / 2) * 100).toFixed(2), '1.88');
});

test('damaged data is detected, wherever the damage is', async () => {
  const bytes = await unpacked(SAMPLES);
  let found = 0;
  for (let i = 0; i < bytes.length; ++i) {
    const copy = bytes.slice();
    copy[i] ^= 0x80;
    try {
      decode(copy);
    } catch (error) {
      assert.ok(error instanceof DataError, `byte ${i}: ${error.stack}`);
      ++found;
    }
  }
  assert.ok(found > bytes.length / 4, `${found} of ${bytes.length}`);
  for (let size = 0; size < bytes.length; ++size)
    assert.throws(() => decode(bytes.slice(0, size)), DataError);
});

test('a stretch of a trace lasts as many cycles as it took', async () => {
  const data = decode(
    await unpacked(
      'Indent: 1, Start label: a, At cycle: 100\n' +
        'Indent: 2, Start label: b, At cycle: 110\n' +
        'Indent: 2, End label: b, End cycle: 3110\n' +
        'Indent: 1, End label: a, End cycle: 4110\n',
    ),
  );
  assert.equal(data.clock, 'cycles');
  assert.equal(data.duration, 4010);
  const filter = {group: 'cycles', threads: null, cpu: '', range: null};
  const shape = new Shapes(data).base;
  // Calls have no duration, so cycles replace them.
  for (const group of ['cycles', 'calls']) {
    const [lane] = lanesOf(data, {...filter, group}, shape);
    assert.deepEqual(Array.from(lane.begin), [0, 10, 3010]);
    assert.deepEqual(Array.from(lane.end), [10, 3010, 4010]);
    const {weights, cellTicks} = heatMap(data, {
      filter: {...filter, group},
      isWanted: () => true,
    });
    assert.deepEqual(
      Array.from(weights.slice(0, 4010 / cellTicks)),
      Array(Math.floor(4010 / cellTicks)).fill(cellTicks),
    );
  }
  const {after, unit} = weigh(data, {...filter, range: [5, 1010]}, null);
  assert.deepEqual([Array.from(after), unit], [[0, 5, 1000], 'cycles']);
  // A comparison of ranges uses cycles too.
  const compared = weigh(data, {...filter, group: 'calls'}, [0, 2000]);
  assert.deepEqual(
    [Array.from(compared.after), Array.from(compared.before), compared.unit],
    [[0, 1010, 3000], [0, 10, 1990], 'cycles'],
  );
});

test('a sample lasts as long as its weight if that is time, else the usual gap', async () => {
  /** Thread and time of each sample, in ms. */
  const times = [
    [1, 0],
    [1, 1],
    [1, 2],
    [1, 3],
    [2, 3.5],
    [2, 60],
    [2, 90],
    [3, 95],
  ];
  const sample = ([tid, ms], period, event) => {
    const time = `5.${String(ms * 1000).padStart(6, '0')}`;
    return `t 1/${tid} ${time}: ${period} ${event}: \n\t1000 main+0x1 (/bin/app)\n\n`;
  };
  const samples = (event, period) => times.map(at => sample(at, period, event)).join('');
  for (const [event, period] of [
    ['cpu-clock', 1_000_000],
    ['cycles', 3_000_000],
  ]) {
    const data = decode(await unpacked(samples(event, period)));
    const lanes = lanesOf(
      data,
      {group: event, threads: null, cpu: '', range: null},
      new Shapes(data).base,
    );
    assert.deepEqual(
      lanes.map(lane => Array.from(lane.end, (end, i) => end - lane.begin[i])),
      [[1000, 1000, 1000, 1000], [1000, 1000, 1000], [1000]],
      event,
    );
  }
});

test('many items are sorted in pieces as at once, and equal ones stay in their order', () => {
  const items = Array.from({length: 20_000}, (_, i) => ({key: (i * 7919) % 101, i}));
  const order = (a, b) => a.key - b.key;
  assert.deepEqual(finished(sorting(items, order)), [...items].sort(order));
  assert.deepEqual(finished(sorting([], order)), []);
});

test('a transform pauses often while it looks boxes up: memory that is new is slow', async t => {
  const folded = Array.from({length: 50_000}, (_, i) => `main;f${i};g 1\n`).join('');
  const {data} = await opened(folded);
  const {push} = Merger.prototype;
  let count = 0;
  Merger.prototype.push = function (...box) {
    ++count;
    return push.apply(this, box);
  };
  t.after(() => {
    Merger.prototype.push = push;
  });
  const {base} = new Shapes(data);
  for (const transform of [
    {type: 'invert', at: -1},
    {type: 'recursion', at: -1},
  ]) {
    const work = transformed(data, base, transform);
    let most = 0;
    for (let done = false; !done;) {
      count = 0;
      done = work.next().done;
      most = Math.max(most, count);
    }
    assert.ok(most <= 8192, `${transform.type}: ${most} look-ups`);
  }
});
