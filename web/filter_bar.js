// SPDX-License-Identifier: Apache-2.0
// The bar above the view: which samples count, and which transforms were applied.
import {button, byId, choice, el} from './dom.js';
import {groupOfTime, groupsInTime, isOnlyOnCpu, isWall} from './filter.js';
import {partsText} from './legend.js';
import {baseName, shortened} from './names.js';
import {moment} from './numbers.js';
import {selectedText} from './shares.js';
import {ThreadFilter} from './thread_filter.js';
import {cutText} from './transform.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./transform.js').Transform} Transform */

/**
 * A choice that can be taken back by clicking it.
 * @param {string} text @param {string} title @param {() => void} onclick
 */
const chip = (text, title, onclick) => button(text, onclick, {className: 'chip', title});

/** @param {string} text */
const remark = text => el('span', {className: 'quiet', role: 'status', textContent: text});

/**
 * @param {App} app @param {string} text @param {[number, number]} range
 * @param {Partial<import('./views.js').State>} without
 */
function rangeChip(app, text, [from, to], without) {
  const {meta, clock} = app.data;
  const step = ((to - from) * meta.tick_ns) / 100;
  const ends = [from, to].map(tick => moment(tick * meta.tick_ns, step, clock));
  const clear = () => app.set({...without, window: null});
  return chip(`${text} ${ends.join(' – ')} ×`, 'Remove this range', clear);
}

/** @param {App} app */
function rangeChips(app) {
  const {range, baseline} = app.state;
  const chips = [];
  if (range) chips.push(rangeChip(app, 'Range', range, {range: null}));
  chips.push(...timeRemarks(app));
  if (baseline) chips.push(rangeChip(app, 'Baseline', baseline, {baseline: null}));
  return chips;
}

/** Which events a range and the views of time use instead of the chosen one. @param {App} app */
function timeRemarks(app) {
  const {data, kind} = app;
  const {range, baseline, event} = app.state;
  const hasRange = range !== null || baseline !== null;
  const [timed] = groupsInTime(data, event);
  const remarks = [];
  if ((hasRange || kind.addsTimes) && isOnlyOnCpu(data, app.filter)) {
    const both = `${timed} and time off the CPU cannot be added up`;
    remarks.push(remark(`${both}: a range shows only what ran on the CPU`));
  }
  if ((hasRange || kind.showsTime) && event !== timed && !isWall(data, event))
    remarks.push(remark(`timed by ${timed}: ${event} have no duration`));
  return remarks;
}

/** @param {App} app @param {Transform} transform @param {number} i its place in the list */
export function transformText(app, {type, at}, i) {
  const nameOf = (/** @type {number} */ f) => shortened(app.painter.name(f));
  switch (type) {
    case 'function':
      return `focus ${nameOf(at)}`;
    case 'subtree': {
      const before = app.shapes.after(app.state.transforms.slice(0, i));
      return `subtree ${nameOf(before.func[at])}`;
    }
    case 'hide':
      return `hide ${nameOf(at)}`;
    case 'drop':
      return `drop ${nameOf(at)}`;
    case 'recursion':
      return at < 0 ? 'no direct recursion' : `collapse recursion of ${nameOf(at)}`;
    case 'module':
      return `collapse ${shortened(baseName(app.data.strings.at(at)))}`;
    case 'templates':
      return 'no template arguments';
    default:
      return 'inverted';
  }
}

/** @param {App} app */
function transformChips(app) {
  const {transforms, mark} = app.state;
  const parts = transforms.map((transform, i) =>
    chip(transformText(app, transform, i), 'Go back to this step', () => app.keepTransforms(i + 1)),
  );
  if (transforms.length > 0) {
    const labels = {title: 'Undo (Ctrl-Z)', 'aria-label': 'Undo the last step'};
    parts.push(button('Undo', () => app.history.undo(), labels));
  }
  if (app.shape.cut > 0)
    parts.push(el('span', {className: 'loss', role: 'status', textContent: cutText(app.shape)}));
  if (mark >= 0) {
    const text = `marked: ${shortened(app.painter.name(mark))} ×`;
    parts.push(chip(text, 'Remove the mark', () => app.set({mark: -1})));
  }
  return parts;
}

/**
 * Chooses the event that has the time on the CPU, off it, or both. On the CPU is what was sampled
 * there: what is left of a thread's lifetime includes waits whose begin was lost.
 * @param {App} app
 */
function cpuFilter(app) {
  const {event, cpu} = app.state;
  const wall = groupOfTime(app.data, 'wall');
  const off = groupOfTime(app.data, 'off-cpu') ?? '';
  const on = groupOfTime(app.data, 'on-cpu') ?? app.groups.find(group => group !== off) ?? '';
  const now = event === wall ? cpu || 'both' : event === off ? 'off' : 'on';
  /** @type {[string, string][]} */
  const options = [
    ['on', 'on CPU'],
    ['off', 'off CPU'],
  ];
  if (wall !== undefined) options.unshift(['both', 'on and off CPU']);
  /** @type {Record<string, string|undefined>} */
  const groups = {both: wall, on, off};
  return choice('On or off the CPU', options, now, value =>
    app.set({event: groups[value], cpu: '', window: null}),
  );
}

/** @param {App} app */
function eventFilter(app) {
  const groups = app.groups.map(
    group => /** @type {[string, string]} */ ([group, group || 'samples']),
  );
  return choice('Event', groups, app.state.event, event => app.set({event, zoom: 0, window: null}));
}

/** @param {App} app */
function orderChoice(app) {
  /** @type {['name'|'heavy', string][]} */
  const orders = [
    ['name', 'by name'],
    ['heavy', 'heaviest first'],
  ];
  return choice('Order', orders, app.isHeavyFirst ? 'heavy' : 'name', order =>
    app.set({order, window: null}),
  );
}

/** @param {App} app */
function sideChoice(app) {
  /** @type {[''|'before'|'after', string][]} */
  const sides = [
    ['', 'change'],
    ['before', 'before alone'],
    ['after', 'after alone'],
  ];
  return choice('Side', sides, app.state.side, side => app.set({side, window: null, sort: ''}));
}

/** @param {App} app */
function scaleChoice(app) {
  const {negate} = app.data.meta.look;
  /** @type {[string, string][]} */
  const scales = [
    ['', 'normalised'],
    ['absolute', 'absolute'],
  ];
  return [
    choice('Scale', scales, app.state.absolute ? 'absolute' : '', value =>
      app.set({absolute: value === 'absolute', window: null}),
    ),
    el('span', {
      className: 'quiet',
      textContent: negate ? 'blue grew, red shrank' : 'red grew, blue shrank',
    }),
  ];
}

/** Colours of changes, where there is a profile to compare with. @param {App} app */
function changesChoice(app) {
  const {changes} = app.state;
  const {negate} = app.data.meta.look;
  const title = 'Colour what grew and shrank since the profile before';
  const toggle = button('Changes', () => app.set({changes: !changes}), {
    title,
    'aria-pressed': changes,
  });
  const legend = negate ? 'blue grew, red shrank' : 'red grew, blue shrank';
  return changes ? [toggle, el('span', {className: 'quiet', textContent: legend})] : [toggle];
}

/** @param {App} app @param {import('./parts.js').PartChoice} parts */
function partsChip(app, parts) {
  const clear = () => app.set({parts: null, window: null});
  return chip(`${partsText(app, parts)} ×`, 'Show all again', clear);
}

/** The list of threads of each page. @type {WeakMap<App, ThreadFilter>} */
const threadFilters = new WeakMap();

/** @param {App} app */
function threadList(app) {
  const list = threadFilters.get(app) ?? new ThreadFilter(app);
  threadFilters.set(app, list);
  list.show();
  return list.element;
}

/** @param {App} app */
function barParts(app) {
  const {data, groups} = app;
  const parts = [];
  if (groups.length > 1) parts.push(eventFilter(app));
  if (data.meta.threads.length > 2) parts.push(threadList(app));
  if (groups.length > 1 && groupOfTime(data, 'off-cpu') !== undefined) parts.push(cpuFilter(app));
  if (app.kind.isWholeTree) parts.push(orderChoice(app));
  if (data.isDifference) parts.push(sideChoice(app));
  if (app.weights.before) parts.push(...scaleChoice(app));
  else if (app.previous) parts.push(...changesChoice(app));
  if (app.state.parts) parts.push(partsChip(app, app.state.parts));
  const selected = selectedText(app.filter, app.weights);
  if (selected) parts.push(remark(selected));
  if (app.lost.length > 0) parts.push(remark(`Not in this profile: ${app.lost.join(', ')}`));
  return [...parts, ...rangeChips(app), ...transformChips(app)];
}

/** Fills the bar anew; the list of threads stays where it is. @param {App} app */
export function showFilterBar(app) {
  const bar = byId('filters');
  const parts = barParts(app);
  const kept = parts.findIndex(part => part.parentNode === bar);
  if (kept < 0) {
    bar.replaceChildren(...parts);
    return;
  }
  for (const child of Array.from(bar.childNodes)) if (child !== parts[kept]) child.remove();
  bar.prepend(...parts.slice(0, kept));
  bar.append(...parts.slice(kept + 1));
}
