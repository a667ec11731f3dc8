// SPDX-License-Identifier: Apache-2.0
// The list of keys.
import {button, byId, el} from './dom.js';

/** A title, and keys with what they do. @typedef {[string, [string, string][]]} Section */

/** @type {Section[]} */
const SECTIONS = [
  [
    'Appearance',
    [
      ['o', 'order of siblings: by name or by weight'],
      ['t', 'light or dark'],
      ['click in the legend', 'only this kind of code or module; with Shift: without it'],
      ['?', 'this list'],
    ],
  ],
  [
    'Navigation',
    [
      ['Tab', 'focus the picture; then:'],
      ['arrows', 'callees, callers, neighbours'],
      ['Enter, click', 'zoom to the frame'],
      ['Backspace', 'zoom out by one caller'],
      ['Escape', 'clear the search, then the zoom, then the time range'],
      ['+ − or w s', 'zoom in, zoom out; also Ctrl-wheel'],
      ['a d', 'move left, right; also drag or Shift-wheel'],
      ['Home', 'to the zoomed frame'],
    ],
  ],
  [
    'Search',
    [
      ['/ or Ctrl-F', 'search by regular expression or text'],
      ['Enter, Shift-Enter', 'next and previous match in this view; outside the field: n, N'],
      ['Ctrl-I', 'match case, or ignore it'],
    ],
  ],
  [
    'The selected frame',
    [
      ['m, Shift-F10, right click', 'all actions'],
      ['f', 'focus on the function'],
      ['F', 'focus on this subtree'],
      ['h', 'hide the function: its weight goes to its callers'],
      ['x', 'drop stacks that contain it'],
      ['r', 'collapse its recursion'],
      ['l', 'collapse its module'],
      ['k', 'mark all frames of the function'],
      ['e', 'sandwich: its callers and callees'],
      ['v', 'its source'],
      ['c, C', 'copy the name, the stack'],
    ],
  ],
  [
    'Whole profile',
    [
      ['i', 'invert: callees first'],
      ['T', 'drop template arguments'],
      ['R', 'collapse direct recursion everywhere'],
      ['Ctrl-Z, Ctrl-Shift-Z', 'undo and redo, as Back and Forward of the browser'],
    ],
  ],
];

/** @param {Section} section */
function sectionElement([title, rows]) {
  const entries = rows.flatMap(([key, text]) => [
    el('dt', {}, el('kbd', {textContent: key})),
    el('dd', {textContent: text}),
  ]);
  return el('section', {}, el('h3', {textContent: title}), el('dl', {}, ...entries));
}

/** @param {import('./views.js').ViewKind[]} views */
export function fillHelp(views) {
  const dialog = byId('help');
  /** @type {Section} */
  const numbers = ['Views', views.map(({title}, i) => [String(i + 1), title])];
  const own = views.flatMap(({title, keys}) =>
    keys ? [/** @type {Section} */ ([title, keys])] : [],
  );
  dialog.replaceChildren(
    el(
      'h2',
      {},
      'Keys ',
      button('Close', () => dialog.close()),
    ),
    el('div', {className: 'keys'}, ...[numbers, ...SECTIONS, ...own].map(sectionElement)),
  );
}

export const showHelp = () => byId('help').showModal();
