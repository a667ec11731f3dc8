// SPDX-License-Identifier: Apache-2.0
// Menus, one at a time.
import {byId, el} from './dom.js';

/** @typedef {{text: string, key?: string, run: () => void}} Item */

/** @type {HTMLElement|null} */
let openMenu = null;

/** What had the focus before. @type {Element|null} */
let openedFrom = null;

/** Gives the focus back if the menu has it. */
export function closeMenu() {
  if (!openMenu) return;
  const hadFocus = openMenu.contains(document.activeElement);
  openMenu.remove();
  openMenu = null;
  if (!hadFocus) return;
  if (openedFrom instanceof HTMLElement) openedFrom.focus();
  if (document.activeElement === document.body) byId('view').focus();
}

/** @param {Item} item */
function menuButton(item) {
  const onclick = () => {
    closeMenu();
    item.run();
  };
  const properties = {type: 'button', role: 'menuitem', tabIndex: -1, onclick};
  const key = item.key ? [el('kbd', {textContent: item.key})] : [];
  return el('button', properties, el('span', {textContent: item.text}), ...key);
}

/** @param {KeyboardEvent} event @param {Item[]} items @param {HTMLElement[]} buttons */
function menuKey(event, items, buttons) {
  const {key} = event;
  const count = buttons.length;
  const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const to = {ArrowDown: at + 1, ArrowUp: at - 1 + count, Home: 0, End: count - 1}[key];
  const chosen = items.findIndex(item => item.key === key && key !== 'Enter');
  if (to !== undefined) buttons[to % count].focus();
  else if (chosen >= 0) buttons[chosen].click();
  else if (key === 'Escape' || key === 'Tab') closeMenu();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {string} label @param {Item[]} items @param {number} x @param {number} y */
export function showMenu(label, items, x, y) {
  closeMenu();
  openedFrom = document.activeElement;
  const buttons = items.map(menuButton);
  const head = el('div', {className: 'menu-head', textContent: label});
  const properties = {className: 'menu', role: 'menu', 'aria-label': label};
  const menu = el('div', properties, head, ...buttons);
  menu.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) =>
    menuKey(event, items, buttons),
  );
  document.querySelector('main')?.append(menu);
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
