// SPDX-License-Identifier: Apache-2.0
// What a person has chosen. It stands in the fragment of the address, which is
// never sent anywhere and works for files on disk: a link restores the view.

/** @typedef {import('./merge.js').Transform} Transform */
/** @typedef {[number, number]} Range */
/**
 * @typedef {{
 *   view: string, order: ''|'heavy'|'name', zoom: number, window: Range|null,
 *   search: string, plain: boolean, ignoreCase: boolean,
 *   event: string, threads: number[]|null, cpu: ''|'on'|'off', range: Range|null, baseline: Range|null,
 *   absolute: boolean, side: ''|'before'|'after', transforms: Transform[], func: number, mark: number,
 *   sort: string, file: number, line: number, lanes: Range|null, rows: number, halves: [number, number]|null,
 * }} State   halves: the boxes that callers and callees of a sandwich are zoomed to; line: of the file, 0: none; rows: of a lane of time, 0: all
 */

export const VIEWS = ['flame', 'icicle', 'time', 'heat', 'sandwich', 'table', 'source', 'about'];
const TRANSFORMS = [
  'function',
  'subtree',
  'hide',
  'drop',
  'recursion',
  'module',
  'templates',
  'invert',
];

/** @returns {State} */
export const initialState = () => ({
  view: 'flame',
  order: '',
  zoom: 0,
  window: null,
  search: '',
  plain: false,
  ignoreCase: false,
  event: '',
  threads: null,
  cpu: '',
  range: null,
  baseline: null,
  absolute: false,
  side: '',
  transforms: [],
  func: -1,
  mark: -1,
  sort: '',
  file: -1,
  line: 0,
  lanes: null,
  rows: 0,
  halves: null,
});

/** @param {State} state @param {State} usual what need not be said @returns {string} */
export function toFragment(state, usual) {
  const parts = new URLSearchParams();
  const put = (
    /** @type {string} */ key,
    /** @type {unknown} */ value,
    /** @type {unknown} */ normal,
  ) => {
    if (value !== normal && value !== null) parts.set(key, String(value));
  };
  put('view', state.view, usual.view);
  put('order', state.order, '');
  put('zoom', state.zoom, 0);
  put('window', state.window?.map(share => Number(share.toPrecision(8))).join('-') ?? null, null);
  put('search', state.search, '');
  if (state.plain) parts.set('mode', 'text');
  if (state.ignoreCase) parts.set('case', 'ignore');
  put('event', state.event, usual.event);
  put('threads', state.threads?.join('.') ?? null, null);
  put('cpu', state.cpu, '');
  put('range', state.range?.join('-') ?? null, null);
  put('base', state.baseline?.join('-') ?? null, null);
  if (state.absolute) parts.set('scale', 'absolute');
  put('side', state.side, '');
  put(
    'do',
    state.transforms.map(t => (t.at < 0 ? t.type : `${t.type}.${t.at}`)).join('_'),
    usual.transforms.map(t => t.type).join('_'),
  );
  put('func', state.func, -1);
  put('halves', state.halves?.join('-') ?? null, null);
  put('mark', state.mark, -1);
  put('sort', state.sort, '');
  put('file', state.file, -1);
  put('line', state.line, 0);
  put('rows', state.rows, 0);
  put('lanes', state.lanes?.map(tick => Math.round(tick)).join('-') ?? null, null);
  return parts.toString();
}

/** @param {string|null} text @returns {number} */
const whole = text => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : -1);

/** @param {string|null} text @returns {Range|null} */
function rangeOf(text) {
  const numbers = (text ?? '').split('-').map(Number);
  return text &&
    numbers.length === 2 &&
    numbers.every(n => Number.isFinite(n) && n >= 0) &&
    numbers[0] < numbers[1]
    ? [numbers[0], numbers[1]]
    : null;
}

/**
 * Whatever makes no sense is left out; numbers are compared with what there is by who uses them.
 * @param {string} fragment @param {State} usual @returns {State}
 */
export function fromFragment(fragment, usual) {
  const state = {
    ...initialState(),
    view: usual.view,
    event: usual.event,
    order: usual.order,
    transforms: usual.transforms,
  };
  let parts;
  try {
    parts = new URLSearchParams(fragment);
  } catch {
    return state;
  }
  const view = parts.get('view');
  if (view && VIEWS.includes(view)) state.view = view;
  const order = parts.get('order');
  if (order === 'heavy' || order === 'name') state.order = order;
  state.zoom = Math.max(0, whole(parts.get('zoom')));
  const window = rangeOf(parts.get('window'));
  if (window && window[1] <= 1) state.window = window;
  state.search = parts.get('search') ?? '';
  state.plain = parts.get('mode') === 'text';
  state.ignoreCase = parts.get('case') === 'ignore';
  state.event = parts.get('event') ?? usual.event;
  const threads = parts.get('threads');
  if (threads !== null)
    state.threads = threads
      .split('.')
      .map(whole)
      .filter(t => t >= 0);
  const cpu = parts.get('cpu');
  if (cpu === 'on' || cpu === 'off') state.cpu = cpu;
  state.range = rangeOf(parts.get('range'));
  state.baseline = rangeOf(parts.get('base'));
  state.absolute = parts.get('scale') === 'absolute';
  const side = parts.get('side');
  if (side === 'before' || side === 'after') state.side = side;
  const list = parts.get('do');
  if (list !== null) {
    state.transforms = list
      .split('_')
      .map(text => {
        const [type, at] = text.split('.');
        return /** @type {Transform} */ ({type, at: at === undefined ? -1 : whole(at)});
      })
      .filter(t => TRANSFORMS.includes(t.type))
      .slice(0, 100);
  }
  state.func = whole(parts.get('func'));
  const halves = (parts.get('halves') ?? '').split('-').map(whole);
  if (halves.length === 2 && halves.every(box => box >= 0)) state.halves = [halves[0], halves[1]];
  state.mark = whole(parts.get('mark'));
  state.sort = parts.get('sort') ?? '';
  state.file = whole(parts.get('file'));
  state.line = Math.max(0, whole(parts.get('line')));
  const rows = whole(parts.get('rows'));
  if (rows === 1 || rows === 8) state.rows = rows;
  state.lanes = rangeOf(parts.get('lanes'));
  return state;
}
