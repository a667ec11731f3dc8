// SPDX-License-Identifier: Apache-2.0
// Every percentage that the viewer shows, for random profiles and random sequences of filters,
// transforms and zooms, is the one that follows from the stacks alone.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {weigh} from '../../web/filter.js';
import {heatMap} from '../../web/heat.js';
import {lanesOf} from '../../web/lanes.js';
import {percent} from '../../web/numbers.js';
import {matched, matchedText} from '../../web/search.js';
import {changeFrom, changeTexts, selectedText, shareOf} from '../../web/shares.js';
import {describe} from '../../web/tips.js';
import {functionTotals} from '../../web/totals.js';
import {Shapes, transformed} from '../../web/transform.js';
import {buildTree, pathTo} from '../../web/tree.js';
import {finished} from '../../web/work.js';
import {madeData} from './made_data.mjs';
import {
  apply,
  below,
  endingAt,
  maybe,
  numbersIn,
  oneOf,
  percentOf,
  random,
  sameNumbers,
  SEED,
  startsWith,
  sum,
  TRANSFORMS,
  within,
} from './stack_model.mjs';

const PROFILES = 120;
const SEQUENCES = 10;

// --- random profiles

const MODULES = ['/bin/app', '/lib/libc.so', ''];
const OFF_CPU = 5;
const LABEL = 4;
const NAMES = ['main', 'f', 'g', 'h', 'vec<int>::at', 'vec<char>::at', 'read', 'x', 'y'];
/** By the first letter; what a module collapsed into belongs to it. */
function moduleOf(name) {
  const collapsed = MODULES.find(path => path !== '' && name === `[${path.split('/').at(-1)}]`);
  if (collapsed !== undefined) return collapsed;
  return name.startsWith('[') ? '' : MODULES[name.charCodeAt(0) % 3];
}
const FRAMES = NAMES.map((name, i) => ({name, module: moduleOf(name), kind: i === 7 ? 1 : 0}));
const WAITS = ['[blocked]', '[preempted]'].map(name => ({name, module: '', kind: OFF_CPU}));
const WOKEN_BY = {name: '[woken by]', module: '', kind: LABEL};

const randomStack = least => Array.from({length: least + random(6)}, () => oneOf(FRAMES));
/** A wait, perhaps with its waker, whose frames are those of code. */
const randomWait = () => [
  ...randomStack(1),
  oneOf(WAITS),
  ...maybe(50, () => [WOKEN_BY, ...randomStack(1)], []),
];

const THREADS = [
  [1, 1, 'app'],
  [1, 2, 'worker'],
  [2, 2, 'tool'],
];
const event = changes => ({
  ...{name: '', group: '', unit: 'samples', decimals: 0, counts_samples: false, unit_ns: 0},
  ...{is_clock: false, time: '', role: '', ...changes},
});
const TIME = {unit: 'nanoseconds', unit_ns: 1};
const WALL = [
  event({group: 'cpu-clock', time: 'on-cpu', ...TIME}),
  event({group: 'offcpu-time', time: 'off-cpu', ...TIME}),
  event({group: 'wall-time', time: 'wall', ...TIME}),
];
const SPAN = 1000;
const samplesOf = make => Array.from({length: 5 + random(40)}, make);

/** The effective number of equal samples. */
function worth(weights) {
  const sum = weights.reduce((a, b) => a + b, 0);
  const squares = weights.reduce((a, b) => a + b * b, 0);
  return squares > 0 ? (sum * sum) / squares : 0;
}

const KINDS = {
  'folded stacks': () => ({
    events: [event({counts_samples: true})],
    threads: [[-1, -1, '']],
    samples: samplesOf(() => ({
      ...{stack: randomStack(0), thread: 0, event: 0, tick: 0, weight: 1 + random(500)},
    })),
  }),
  'time on and off the CPU': () => ({
    events: WALL,
    threads: THREADS,
    hasTime: true,
    samples: samplesOf(() => {
      const at = random(3);
      const isWait = at === 1 || (at === 2 && random(2) === 1);
      return {
        stack: isWait ? randomWait() : randomStack(1),
        thread: random(3),
        event: at,
        tick: random(SPAN),
        weight: 1 + random(200),
      };
    }),
  }),
  'a difference': () => {
    const samples = samplesOf(() => ({
      ...{stack: randomStack(0), thread: random(3), event: random(2), tick: 0},
      weight: 1 + random(300),
    }));
    return {
      events: [event({role: 'before'}), event({role: 'after'})],
      threads: THREADS,
      samples,
      sideSamples: [0, 1].map(side =>
        worth(samples.filter(s => s.event === side).map(s => s.weight)),
      ),
    };
  },
};

// --- filters

const NO_FILTER = {threads: null, cpu: '', range: null, side: ''};

function randomFilter({events, threads, hasTime}) {
  const groups = [...new Set(events.map(({group}) => group))];
  return {
    group: oneOf(groups),
    threads: maybe(40, () => new Set(threads.map((_, i) => i).filter(() => random(2))), null),
    cpu: hasTime ? oneOf(['', '', 'on', 'off']) : '',
    range: hasTime ? maybe(40, () => [random(SPAN / 2), SPAN / 2 + 1 + random(SPAN)], null) : null,
    side: '',
  };
}

/** The samples that pass, with the weight that counts of each. */
function filtered({samples, events}, {group, threads, cpu, range}) {
  const isOff = ({stack, event: at}) =>
    events[at].time === 'off-cpu' || stack.some(({kind}) => kind === OFF_CPU);
  // A range of wall time has the samples it was made of.
  const groups = range && group === 'wall-time' ? ['cpu-clock', 'offcpu-time'] : [group];
  return samples.flatMap(sample => {
    const {weight, tick} = sample;
    const info = events[sample.event];
    const length = info.time === 'off-cpu' ? weight : 0;
    if (!groups.includes(info.group) || (threads && !threads.has(sample.thread))) return [];
    if (cpu && isOff(sample) !== (cpu === 'off')) return [];
    if (!range) return [{...sample, counted: weight}];
    if (length === 0)
      return tick >= range[0] && tick < range[1] ? [{...sample, counted: weight}] : [];
    const part = Math.min(tick + length, range[1]) - Math.max(tick, range[0]);
    return part > 0 ? [{...sample, counted: (weight * part) / length}] : [];
  });
}

/** Stacks of names with their weights on both sides. */
const stacksOf = (samples, events) =>
  samples.map(({stack, event: at, counted}) => ({
    names: stack.map(({name}) => name),
    before: events[at].role === 'before' ? counted : 0,
    after: events[at].role === 'before' ? 0 : counted,
  }));

// --- confidence

const Z = 1.959963984540054;
/** Wilson's interval: the shares that are less than Z standard errors away from the one seen. */
function wilson(p, n) {
  if (n <= 0) return [0, 1];
  const [a, b, c] = [1 + Z ** 2 / n, -(2 * p + Z ** 2 / n), p ** 2];
  const root = Math.sqrt(Math.max(b * b - 4 * a * c, 0));
  return [(-b - root) / (2 * a), (-b + root) / (2 * a)];
}
/** Newcombe's interval for a change of shares. */
function interval(before, after, [nBefore, nAfter]) {
  const [b, a] = [wilson(before, nBefore), wilson(after, nAfter)];
  return [
    after - before - Math.hypot(after - a[0], b[1] - before),
    after - before + Math.hypot(a[1] - after, before - b[0]),
  ];
}

class Case {
  constructor(profile, data) {
    this.profile = profile;
    this.data = data;
    this.filter = randomFilter(profile);
    this.samples = filtered(profile, this.filter);
    this.isDifference = profile.sideSamples !== undefined;
    this.isAbsolute = this.isDifference && random(4) === 0;
    const all = stacksOf(this.samples, profile.events);
    this.all = {before: sum(all, 'before'), after: sum(all, 'after')};
    this.stacks = all;
    this.shapes = new Shapes(data);
    this.transforms = [];
    for (let i = random(4); i > 0; --i) this.transform();
    this.weights = weigh(data, this.filter, null);
    this.tree = this.treeOf(this.shapes.after(this.transforms));
    // Samples of all threads are worth the same.
    this.n = ['before', 'after'].map((side, i) => {
      const whole = stacksOf(
        profile.samples.map(sample => ({...sample, counted: sample.weight})),
        profile.events,
      );
      return ((profile.sideSamples?.[i] ?? 0) * this.all[side]) / (sum(whole, side) || 1);
    });
  }

  treeOf(shape) {
    return buildTree(shape, this.weights, {heavy: random(2) === 0, normalized: !this.isAbsolute});
  }

  /** The name of a function of a shape, whose transforms may have made it. */
  nameIn(shape, f) {
    this.data.made = shape.made;
    return this.data.name(f);
  }

  names(shape, box) {
    return pathTo(shape, box).map(b => this.nameIn(shape, shape.func[b]));
  }

  transform() {
    const shape = this.shapes.after(this.transforms);
    const type = oneOf(Object.keys(TRANSFORMS).filter(name => name !== 'callers'));
    const box = shape.count > 1 ? 1 + random(shape.count - 1) : 0;
    if (box === 0) return;
    const name = this.nameIn(shape, shape.func[box]);
    const [at, argument] = this.argumentOf(type, shape, box, name);
    this.stacks = apply(this.stacks, type, argument);
    this.transforms.push({type, at});
  }

  /** What a transform refers to: its number for the viewer, and what the model has instead. */
  argumentOf(type, shape, box, name) {
    if (type === 'subtree') return [box, this.names(shape, box)];
    if (type === 'module') {
      const path = oneOf(MODULES.slice(0, 2));
      const {strings} = this.data;
      const at = Array.from({length: strings.size}, (_, i) => strings.at(i)).indexOf(path);
      return [at, {path, moduleOf}];
    }
    const hasName = ['function', 'hide', 'drop'].includes(type);
    const isNamed = hasName || (type === 'recursion' && random(2) === 1);
    return isNamed ? [shape.func[box], name] : [-1, undefined];
  }

  describe(tree, box, zoomed) {
    const name = box === 0 ? 'all' : this.nameIn(tree.shape, tree.shape.func[box]);
    const options = {name, zoomed, whole: 'WHOLE', part: 'PART', crowd: null};
    return describe(this.data, tree, box, options).lines;
  }

  /** The tip of a box, against the stacks of its tree. */
  checkTip(tree, stacks, box, zoomed) {
    const path = this.names(tree.shape, box);
    const here = below(stacks, path);
    const [first, ...rest] = this.describe(tree, box, zoomed);
    const what = () => `${this} tip of ${path.join(';') || 'all'}`;
    const self = sum(endingAt(stacks, path), 'after');
    const [before, after] = ['before', 'after'].map(side => sum(here, side));
    if (this.isDifference) {
      this.checkChange([first, rest[0]], before, after, what);
    } else {
      const zoomPath = this.names(tree.shape, zoomed);
      const wanted = [after, percentOf(after, this.all.after)];
      if (zoomed > 0 && startsWith(path, zoomPath))
        wanted.push(percentOf(after, sum(below(stacks, zoomPath), 'after')));
      sameNumbers(first, wanted, what);
    }
    const selfLine = rest.find(line => line.startsWith('self'));
    const isAbsolute = this.isDifference && this.isAbsolute;
    const share = isAbsolute ? [] : [percentOf(self, this.all.after)];
    sameNumbers(selfLine, [self, ...share], what);
  }

  /** "before: …, after: …" and "change: …, with 95% confidence … to …". */
  checkChange([sides, change], before, after, what) {
    if (this.isAbsolute) {
      sameNumbers(sides, [before, after], what);
      assert.ok(Math.abs(numbersIn(change)[0] - (after - before)) < 1e-6, `${what()}: ${change}`);
      return;
    }
    const shares = [percentOf(before, this.all.before), percentOf(after, this.all.after)];
    sameNumbers(sides, shares, what);
    const [low, high] = interval(shares[0] / 100, shares[1] / 100, this.n);
    sameNumbers(change, [shares[1] - shares[0], 95, 100 * low, 100 * high], what);
  }

  checkTips() {
    const {tree, stacks} = this;
    const zoomed = random(2) ? random(tree.shape.count) : 0;
    const shown = tree.extent[zoomed] > 0 ? zoomed : 0;
    for (let i = 0; i < 4; ++i) {
      const box = random(tree.shape.count);
      if (tree.extent[box] > 0) this.checkTip(tree, stacks, box, shown);
    }
  }

  checkTable() {
    const {tree, stacks, data} = this;
    const totals = functionTotals(tree, data);
    const names = new Set(stacks.flatMap(stack => stack.names));
    for (const f of totals.functions) {
      const name = this.nameIn(tree.shape, f);
      assert.ok(names.has(name), `${this} has no ${name}`);
      const what = () => `${this} row of ${name}`;
      const [before, after] = ['before', 'after'].map(side => sum(within(stacks, name), side));
      const self = sum(
        stacks.filter(stack => stack.names.at(-1) === name),
        'after',
      );
      sameNumbers(percent(shareOf(tree, totals.self[f])), [percentOf(self, this.all.after)], what);
      if (!this.isDifference) {
        sameNumbers(
          percent(shareOf(tree, totals.total[f])),
          [percentOf(after, this.all.after)],
          what,
        );
        continue;
      }
      const change = changeFrom(tree, totals.beforeTotal[f], totals.total[f]);
      const texts = changeTexts(tree);
      const [low, high] = change.interval.map(texts.bound);
      const sides = `${texts.value(change.before)} ${texts.value(change.after)}`;
      const changed = `${texts.change(change.change)} 95 ${low} ${high}`;
      this.checkChange([sides, changed], before, after, what);
    }
  }

  checkMatched() {
    const {tree, stacks, data, isDifference} = this;
    data.made = tree.shape.made;
    const names = new Set(NAMES.filter(() => random(4) === 0));
    const hits = Uint8Array.from({length: data.names}, (_, f) => (names.has(data.name(f)) ? 1 : 0));
    const box = random(tree.shape.count);
    const zoom = tree.extent[box] > 0 ? box : 0;
    const text = matchedText(tree, matched(tree, hits, zoom), zoom, 'WHOLE');
    const found = stacks.filter(stack => stack.names.some(name => names.has(name)));
    const path = this.names(tree.shape, zoom);
    const sides = isDifference ? ['before', 'after'] : ['after'];
    const wanted = sides.map(side => percentOf(sum(found, side), this.all[side]));
    if (zoom > 0)
      for (const side of sides)
        wanted.push(percentOf(sum(below(found, path), side), sum(below(stacks, path), side)));
    sameNumbers(text, wanted, () => `${this} search for ${[...names]} zoomed to ${path.join(';')}`);
  }

  checkSelected() {
    const {profile, filter, weights, isDifference} = this;
    const text = selectedText(filter, weights);
    const isFiltered = filter.threads !== null || filter.cpu !== '' || filter.range !== null;
    assert.equal(text !== '', isFiltered, `${this} ${text}`);
    if (!isFiltered) return;
    const everything = filtered(profile, {...filter, threads: null, cpu: '', range: null});
    // A range of wall time has the samples it was made of.
    const groups = filter.range && filter.group === 'wall-time' ? ['cpu-clock', 'offcpu-time'] : [];
    const whole = stacksOf(
      groups.length === 0
        ? everything
        : groups.flatMap(group => filtered(profile, {...NO_FILTER, group})),
      profile.events,
    );
    const sides = isDifference ? ['before', 'after'] : ['after'];
    const wanted = sides.map(side => percentOf(this.all[side], sum(whole, side)));
    sameNumbers(text, wanted, () => `${this} selected`);
  }

  /** The heat map adds up to the flame graph. */
  checkHeat() {
    const {data, filter, profile} = this;
    if (!profile.hasTime || filter.range || filter.group === 'wall-time') return;
    const {weights} = heatMap(data, {filter, isWanted: () => true});
    const whole = weights.reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(whole - this.all.after) < 1e-6, `${this} heat of ${whole}`);
  }

  /** What threads ran in the time view adds up to what the flame graph has on the CPU. */
  checkLanes() {
    const {data, filter, profile, samples} = this;
    if (!profile.hasTime || filter.range || filter.group !== 'cpu-clock') return;
    const ran = samples.filter(({stack}) => !stack.some(({kind}) => kind === OFF_CPU));
    const lanes = lanesOf(data, filter, this.shapes.base);
    const running = lanes.reduce((sum, {track}) => sum + track.running, 0);
    const whole = ran.reduce((sum, {counted}) => sum + counted, 0);
    assert.ok(Math.abs(running - whole) < 1e-6, `${this} lanes of ${running}, not ${whole}`);
  }

  /** Both halves of a sandwich, each zoomed to its function as it is at first. */
  checkSandwich() {
    const {tree, stacks, data} = this;
    if (tree.boxes.length < 2) return;
    const f = tree.shape.func[tree.boxes[1 + random(tree.boxes.length - 1)]];
    for (const type of ['callers', 'function']) {
      const half = this.treeOf(finished(transformed(data, tree.shape, {type, at: f})));
      const halfStacks = apply(stacks, type, this.nameIn(tree.shape, f));
      for (let i = 0; i < 3; ++i) {
        const box = random(half.shape.count);
        if (half.extent[box] > 0) this.checkTip(half, halfStacks, box, 1);
      }
    }
  }

  toString() {
    const steps = this.transforms.map(({type, at}) => `${type} ${at}`);
    const {group, threads, cpu, range} = this.filter;
    return `SEED=${SEED} ${group} ${threads && [...threads]} ${cpu} ${range} [${steps}]:`;
  }
}

for (const [kind, make] of Object.entries(KINDS))
  test(`percentages of ${kind} follow from its stacks`, () => {
    let cases = 0;
    for (let i = 0; i < PROFILES; ++i) {
      const profile = make();
      const data = madeData({tickNs: 1, ...profile});
      for (let j = 0; j < SEQUENCES; ++j, ++cases) {
        const random = new Case(profile, data);
        random.checkTips();
        random.checkTable();
        random.checkMatched();
        random.checkSandwich();
        random.checkSelected();
        random.checkHeat();
        random.checkLanes();
      }
    }
    assert.equal(cases, PROFILES * SEQUENCES);
  });
