// SPDX-License-Identifier: Apache-2.0
// The bar above the picture: which samples count, and the steps that were taken.
import {button, byId, choice, el} from './dom.js';
import {groupsInTime, isOnlyOnCpu, OFF_CPU_EVENT, WALL_EVENT} from './filter.js';
import {cutText} from './merge.js';
import {baseName, isolated} from './names.js';
import {moment} from './numbers.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./merge.js').Transform} Transform */

/**
 * @param {App} app @param {string} text @param {[number, number]} range @param {() => void} clear
 */
function rangeChip(app, text, range, clear) {
  const ns = app.data.meta.tick_ns;
  const step = ((range[1] - range[0]) * ns) / 100;
  return button(
    `${text} ${moment(range[0] * ns, step, app.data.clock)} – ${moment(range[1] * ns, step, app.data.clock)} ×`,
    clear,
    {className: 'chip', title: 'Take this back'},
  );
}

/** @param {App} app @param {boolean} open */
function threadFilter(app, open) {
  const {state, data} = app;
  const chosen = state.threads;
  const summary = el('summary', {
    textContent: chosen
      ? `${chosen.length} of ${data.meta.threads.length - 1} threads`
      : 'all threads',
  });
  const details = el('details', {open}, summary);
  const fill = () => {
    if (details.children.length > 1) return;
    const used = new Map();
    for (let i = 0; i < data.samples; ++i)
      used.set(data.sampleThread[i], (used.get(data.sampleThread[i]) ?? 0) + data.sampleWeight[i]);
    const rows = [...used].sort((a, b) => b[1] - a[1]).map(([thread]) => thread);
    /** @type {Map<number, number[]>} */
    const processes = new Map();
    for (const thread of rows) {
      const pid = data.meta.threads[thread][0];
      processes.set(pid, [...(processes.get(pid) ?? []), thread]);
    }
    const apply = (/** @type {Set<number>} */ set) =>
      app.set({threads: set.size === rows.length ? null : [...set].sort((a, b) => a - b)});
    const now = new Set(chosen ?? rows);
    const box = (/** @type {number[]} */ threads, /** @type {string} */ text, isInner = false) => {
      const input = el('input', {
        type: 'checkbox',
        checked: threads.every(t => now.has(t)),
        onchange: () => {
          for (const t of threads)
            if (input.checked) now.add(t);
            else now.delete(t);
          apply(now);
        },
        'aria-label': text,
      });
      return el('label', {className: isInner ? 'inner' : ''}, input, ' ' + text);
    };
    const list = [box(rows, 'all')];
    for (const [pid, threads] of processes) {
      const first = threads.find(t => data.meta.threads[t][1] === pid) ?? threads[0];
      if (threads.length > 1)
        list.push(box(threads, `process ${pid}: ${isolated(data.meta.threads[first][2])}`));
      list.push(...threads.slice(0, 500).map(t => box([t], app.threadName(t), threads.length > 1)));
    }
    details.append(el('div', {}, ...list));
  };
  if (open) fill();
  details.addEventListener('toggle', fill);
  return details;
}

/** @param {App} app @param {Transform} transform @param {number} i */
function transformText(app, {type, at}, i) {
  const name = () => app.short(app.painter.name(at));
  switch (type) {
    case 'function':
      return `focus ${name()}`;
    case 'subtree':
      return `subtree ${app.short(app.painter.name(app.shapes.after(app.state.transforms.slice(0, i)).func[at]))}`;
    case 'hide':
      return `hide ${name()}`;
    case 'drop':
      return `drop ${name()}`;
    case 'recursion':
      return at < 0 ? 'no direct recursion' : `collapse recursion of ${name()}`;
    case 'module':
      return `collapse ${app.short(baseName(app.data.strings.at(at)))}`;
    case 'templates':
      return 'no template arguments';
    default:
      return 'inverted';
  }
}

/** Chooses the event that has the time on the CPU, off it, or both. @param {App} app */
function cpuFilter(app) {
  const {event, cpu} = app.state;
  const hasWall = app.groups.includes(WALL_EVENT);
  const main = app.groups.find(group => group !== OFF_CPU_EVENT && group !== WALL_EVENT) ?? '';
  const now =
    hasWall && event === WALL_EVENT ? cpu || 'both' : event === OFF_CPU_EVENT ? 'off' : 'on';
  /** @type {[string, string][]} */
  const options = [
    ['both', 'on and off CPU'],
    ['on', 'on CPU'],
    ['off', 'off CPU'],
  ];
  return choice('On or off the CPU', hasWall ? options : options.slice(1), now, value => {
    if (hasWall)
      app.set({
        event: WALL_EVENT,
        cpu: value === 'on' || value === 'off' ? value : '',
        window: null,
      });
    else app.set({event: value === 'off' ? OFF_CPU_EVENT : main, cpu: '', window: null});
  });
}

/** @param {App} app */
export function showFilterBar(app) {
  const {state, data} = app;
  const bar = byId('filters');
  const focused = document.activeElement?.getAttribute('aria-label');
  const wasOpen = bar.querySelector('details')?.open;
  const scrolled = bar.querySelector('details > div')?.scrollTop ?? 0;
  const parts = [];
  if (app.groups.length > 1)
    parts.push(
      choice(
        'Event',
        app.groups.map(g => [g, g || 'samples']),
        state.event,
        event => app.set({event, zoom: 0, window: null}),
      ),
    );
  if (data.meta.threads.length > 2) parts.push(threadFilter(app, wasOpen ?? false));
  if (app.groups.includes(OFF_CPU_EVENT) && app.groups.length > 1) parts.push(cpuFilter(app));
  if (state.view === 'flame' || state.view === 'icicle')
    parts.push(
      choice(
        'Order',
        [
          ['name', 'by name'],
          ['heavy', 'heaviest first'],
        ],
        app.heavy ? 'heavy' : 'name',
        order => app.set({order: /** @type {'heavy'|'name'} */ (order), window: null}),
      ),
    );
  if (data.isDifference)
    parts.push(
      choice(
        'Side',
        [
          ['', 'change'],
          ['before', 'before alone'],
          ['after', 'after alone'],
        ],
        state.side,
        value =>
          app.set({side: /** @type {''|'before'|'after'} */ (value), window: null, sort: ''}),
      ),
    );
  if (app.weights.before)
    parts.push(
      choice(
        'Scale',
        [
          ['', 'normalised'],
          ['absolute', 'absolute'],
        ],
        state.absolute ? 'absolute' : '',
        value => app.set({absolute: value === 'absolute', window: null}),
      ),
      el('span', {
        className: 'quiet',
        textContent: data.meta.look.negate ? 'blue grew, red shrank' : 'red grew, blue shrank',
      }),
    );
  if (state.range)
    parts.push(rangeChip(app, 'Time', state.range, () => app.set({range: null, window: null})));
  if ((state.range || state.baseline || state.view === 'heat') && isOnlyOnCpu(data, app.filter))
    parts.push(
      el('span', {
        className: 'quiet',
        role: 'status',
        textContent: `${groupsInTime(data, state.event)[0]} and time off the CPU cannot be added: a range has what ran on the CPU`,
      }),
    );
  const [timed] = groupsInTime(data, state.event);
  if (
    (state.range || state.baseline || state.view === 'heat' || state.view === 'time') &&
    state.event !== timed &&
    state.event !== WALL_EVENT
  )
    parts.push(
      el('span', {
        className: 'quiet',
        role: 'status',
        textContent: `shown in time: ${timed}, since ${state.event} do not last`,
      }),
    );
  if (state.baseline)
    parts.push(
      rangeChip(app, 'compared with', state.baseline, () =>
        app.set({baseline: null, window: null}),
      ),
    );
  state.transforms.forEach((transform, i) =>
    parts.push(
      button(
        transformText(app, transform, i),
        () => {
          app.undone = state.transforms
            .slice(i + 1)
            .reverse()
            .concat(app.undone);
          app.set({transforms: state.transforms.slice(0, i + 1), zoom: 0, window: null});
        },
        {className: 'chip', title: 'Go back to this step'},
      ),
    ),
  );
  if (state.transforms.length > 0)
    parts.push(
      button('Undo', () => app.undo(), {
        title: 'Undo (Ctrl-Z)',
        'aria-label': 'Undo the last transform',
      }),
    );
  if (app.shape.cut > 0)
    parts.push(el('span', {className: 'loss', role: 'status', textContent: cutText(app.shape)}));
  if (state.mark >= 0 && state.mark < data.names)
    parts.push(
      button(`marked: ${app.short(app.painter.name(state.mark))} ×`, () => app.set({mark: -1}), {
        className: 'chip',
        title: 'Mark nothing',
      }),
    );
  bar.replaceChildren(...parts);
  const list = bar.querySelector('details > div');
  if (list) list.scrollTop = scrolled;
  if (focused)
    for (const element of bar.querySelectorAll('[aria-label]'))
      if (element.getAttribute('aria-label') === focused) element.focus({preventScroll: true});
}
