// SPDX-License-Identifier: Apache-2.0
// Pointer, wheel and keys on a FlameCanvas.
import {Drag, hasCommandKey, wheelFactor} from './gestures.js';
import {neighbour, widestChild} from './tree.js';

/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */
/** @typedef {import('./tree.js').Tree} Tree */

/** @param {FlameCanvas} flame */
function listenToPointer(flame) {
  const {canvas, element} = flame;
  const drag = new Drag(canvas);
  // Click events have no pointer type in older browsers.
  let isTouch = false;
  canvas.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => {
    isTouch = event.pointerType === 'touch';
    if (event.button === 0) drag.press(event);
  });
  canvas.addEventListener('pointermove', (/** @type {PointerEvent} */ event) => {
    if (drag.isOn(event)) {
      const step = drag.step(event);
      if (!step) return;
      flame.pan(-step.dx / flame.width);
      element.scrollTop -= step.dy;
    } else if (event.pointerType !== 'touch') {
      flame.hover(flame.at(event.clientX, event.clientY), event);
    }
  });
  canvas.addEventListener('pointerleave', () => flame.hover(-1, null));
  canvas.addEventListener('click', (/** @type {MouseEvent} */ event) => {
    if (drag.end()) return;
    const box = flame.at(event.clientX, event.clientY);
    if (box < 0) return;
    flame.selected = box;
    flame.host.zoom(box);
    if (isTouch) flame.host.hover(flame, box, null);
  });
}

/** @param {FlameCanvas} flame @param {MouseEvent} event */
function openMenuAt(flame, event) {
  const box = flame.at(event.clientX, event.clientY);
  if (box < 0) return;
  event.preventDefault();
  flame.selected = box;
  flame.redraw();
  flame.host.menu(flame, box, event.clientX, event.clientY);
}

/**
 * A picture that needs no scroll bar is scaled by the wheel alone.
 * @param {FlameCanvas} flame @param {WheelEvent} event
 */
function flameWheel(flame, event) {
  const {element, canvas} = flame;
  const isTall = element.scrollHeight > element.clientHeight + 1;
  const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  const isVertical = Math.abs(event.deltaY) > Math.abs(event.deltaX);
  if (hasCommandKey(event) || (!isTall && !event.shiftKey && isVertical)) {
    event.preventDefault();
    const {left} = canvas.getBoundingClientRect();
    flame.scale(wheelFactor(event), (event.clientX - left) / flame.width);
    return;
  }
  const distance = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (distance === 0 || !(event.shiftKey || isSideways)) return;
  event.preventDefault();
  flame.pan(distance / flame.width);
}

/** Opens the menu of a box next to it. @param {FlameCanvas} flame @param {number} box */
function openMenuOf(flame, box) {
  const place = flame.placeOf(box);
  if (!place) return;
  const {left, top} = flame.canvas.getBoundingClientRect();
  const x = left + Math.max(place.left, 0) + 8;
  const y = top + place.top - flame.element.scrollTop + flame.row;
  flame.host.menu(flame, box, x, y);
}

/**
 * The box that a key moves the selection to; -1: none, undefined: the key has another meaning.
 * @param {FlameCanvas} flame @param {Tree} tree @param {number} box @param {string} key
 */
function keyTarget(flame, tree, box, key) {
  const {rootAtTop, window, width, zoomed} = flame;
  const isOutward = key === (rootAtTop ? 'ArrowDown' : 'ArrowUp');
  const beside = (/** @type {1|-1} */ by) => neighbour(tree, box, by, {window, width});
  switch (key) {
    case 'ArrowUp':
    case 'ArrowDown':
      if (isOutward) return widestChild(tree, box);
      // A root that is not drawn has one child, the first box.
      return box > flame.firstLevel ? tree.shape.parent[box] : -1;
    case 'ArrowLeft':
      return beside(-1);
    case 'ArrowRight':
      return beside(1);
    case 'Home':
      return zoomed;
  }
}

/**
 * Returns whether the key has a meaning here.
 * @param {FlameCanvas} flame @param {KeyboardEvent} event
 */
function flameKey(flame, event) {
  const {tree} = flame;
  const {key} = event;
  if (!tree || hasCommandKey(event)) return false;
  const current = flame.selected < 0 ? flame.zoomed : flame.selected;
  const next = keyTarget(flame, tree, current, key);
  if (next !== undefined) {
    if (next >= 0) flame.select(next);
  } else if (key === 'Enter' || key === ' ') flame.host.zoom(current);
  else if (key === 'ContextMenu' || (key === 'F10' && event.shiftKey) || key === 'm')
    openMenuOf(flame, current);
  else if (key === '+' || key === '=' || key === 'w') flame.scale(0.8);
  else if (key === '-' || key === 's') flame.scale(1.25);
  else if (key === 'a') flame.pan(-0.2);
  else if (key === 'd') flame.pan(0.2);
  else return false;
  return true;
}

/** @param {FlameCanvas} flame */
export function listenToCanvas(flame) {
  /** @type {{canvas: HTMLCanvasElement}} */
  const {canvas} = flame;
  listenToPointer(flame);
  canvas.addEventListener('contextmenu', event => openMenuAt(flame, event));
  canvas.addEventListener('wheel', event => flameWheel(flame, event), {passive: false});
  canvas.addEventListener('focus', () => {
    const isByKey = canvas.matches(':focus-visible');
    if (flame.tree && isByKey) flame.select(flame.selected < 0 ? flame.zoomed : flame.selected);
  });
  canvas.addEventListener('blur', () => flame.hover(-1, null));
  canvas.addEventListener('keydown', event => {
    if (flameKey(flame, event)) event.preventDefault();
  });
}
