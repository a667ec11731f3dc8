// SPDX-License-Identifier: Apache-2.0
// The menu of a box or a function, and the page of keys.
import {button, el} from './dom.js';

/** @typedef {{text: string, key?: string, run: () => void}} Item */

/** @type {HTMLElement|null} */
let openMenu = null;

export function closeMenu() {
  openMenu?.remove();
  openMenu = null;
}

/** @param {string} label @param {Item[]} items @param {number} x @param {number} y */
export function showMenu(label, items, x, y) {
  closeMenu();
  const back = /** @type {HTMLElement|null} */ (document.activeElement);
  const buttons = items.map(item =>
    el(
      'button',
      {
        type: 'button',
        role: 'menuitem',
        tabIndex: -1,
        onclick: () => {
          closeMenu();
          back?.focus();
          item.run();
        },
      },
      el('span', {textContent: item.text}),
      ...(item.key ? [el('kbd', {textContent: item.key})] : []),
    ),
  );
  const menu = el(
    'div',
    {className: 'menu', role: 'menu', 'aria-label': label},
    el('div', {className: 'menu-head', textContent: label}),
    ...buttons,
  );
  menu.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    const at = buttons.indexOf(document.activeElement);
    const move = {
      ArrowDown: at + 1,
      ArrowUp: at - 1 + buttons.length,
      Home: 0,
      End: buttons.length - 1,
    }[event.key];
    const named = items.findIndex(item => item.key === event.key && event.key !== 'Enter');
    if (move !== undefined) buttons[move % buttons.length].focus();
    else if (named >= 0) buttons[named].click();
    else if (event.key === 'Escape' || event.key === 'Tab') {
      closeMenu();
      back?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.body.append(menu);
  openMenu = menu;
  const {width, height} = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
  buttons[0]?.focus();
}

document.addEventListener(
  'pointerdown',
  event => {
    if (openMenu && !openMenu.contains(/** @type {Node} */ (event.target))) closeMenu();
  },
  true,
);

/** @type {[string, [string, string][]][]} */
const KEYS = [
  [
    'Look',
    [
      ['o', 'order of siblings: by name or by weight'],
      ['t', 'light or dark'],
      ['?', 'this page'],
    ],
  ],
  [
    'Moving',
    [
      ['Tab', 'to the picture; then:'],
      ['arrows', 'callees, callers, neighbours'],
      ['Enter, click', 'zoom to the frame'],
      ['Backspace', 'one caller back'],
      ['Escape', 'end the search, then the zoom, then the selection of time'],
      ['+ − or w s', 'wider, narrower; also Ctrl and the wheel'],
      ['a d', 'left, right; also dragging, or Shift and the wheel'],
      ['Home', 'to the zoomed frame'],
    ],
  ],
  [
    'Search',
    [
      ['/ or Ctrl-F', 'search by regular expression or text'],
      ['n, N', 'next and previous match, widest first'],
      ['Ctrl-I', 'ignore case'],
    ],
  ],
  [
    'The selected frame',
    [
      ['m, Shift-F10, right click', 'everything that can be done with it'],
      ['f', 'focus on the function'],
      ['F', 'focus on this subtree'],
      ['h', 'hide the function: its weight goes to its callers'],
      ['x', 'drop the stacks with it'],
      ['r', 'collapse its recursion'],
      ['l', 'collapse its module'],
      ['k', 'mark all frames of the function'],
      ['e', 'sandwich: its callers and callees'],
      ['v', 'its source'],
      ['c, C', 'copy the name, the stack'],
    ],
  ],
  [
    'Everything',
    [
      ['i', 'invert: callees first'],
      ['T', 'drop template arguments'],
      ['R', 'collapse direct recursion everywhere'],
      ['Ctrl-Z, Ctrl-Shift-Z', 'undo and redo'],
    ],
  ],
  [
    'Time',
    [
      ['drag', 'move; with Shift, select a range'],
      ['Enter', 'select what is seen as the range'],
      ['[ ]', 'from sample to sample'],
      ['Page Up, Down', 'from thread to thread'],
    ],
  ],
  [
    'Heat map',
    [
      ['drag', 'select a range; with Shift, the range that it is compared with'],
      ['arrows, Space', 'move the cell; begin and end a range'],
      ['b', 'make the range the one to compare with'],
    ],
  ],
];

/** @param {HTMLDialogElement} dialog @param {[string, string][]} views keys and titles */
export function fillHelp(dialog, views) {
  dialog.replaceChildren(
    el(
      'h2',
      {},
      'Keys ',
      button('Close', () => dialog.close()),
    ),
    el(
      'div',
      {className: 'keys'},
      ...[/** @type {[string, [string, string][]]} */ (['Views', views]), ...KEYS].map(
        ([title, rows]) =>
          el(
            'section',
            {},
            el('h3', {textContent: title}),
            el(
              'dl',
              {},
              ...rows.flatMap(([key, text]) => [
                el('dt', {}, el('kbd', {textContent: key})),
                el('dd', {textContent: text}),
              ]),
            ),
          ),
      ),
    ),
  );
}
