// SPDX-License-Identifier: Apache-2.0
// Pointer, wheel and keys on the canvas of the time view.
import {Drag, hasCommandKey, wheelFactor} from './gestures.js';
import {goToItem, goToSample} from './time_walk.js';

/** @typedef {import('./time_view.js').TimeView} TimeView */

/** @param {TimeView} view */
function listenToDrag(view) {
  const {picture, stage} = view;
  const drag = new Drag(picture);
  /**
   * The tick where the selection of a range began; null: the drag moves the picture.
   * @type {number|null}
   */
  let start = null;
  picture.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    drag.press(event);
    start = event.shiftKey ? view.tickAt(event) : null;
  });
  picture.addEventListener('pointermove', event => {
    if (!drag.isOn(event)) {
      if (event.pointerType !== 'touch') view.hover(event);
      return;
    }
    const step = drag.step(event);
    if (!step) return;
    if (start !== null) {
      view.selectTo(start, view.tickAt(event));
      return;
    }
    view.pan(-step.dx / stage.clientWidth);
    stage.scrollTop -= step.dy;
  });
  picture.addEventListener('pointerup', event => {
    const isClick = drag.isPressed && start === null;
    if (drag.end() || !isClick) view.endSelection();
    else view.click(event);
    start = null;
  });
}

/** @param {TimeView} view @param {WheelEvent} event */
function timeWheel(view, event) {
  const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (hasCommandKey(event)) view.scale(wheelFactor(event), view.shareAt(event));
  else if (event.shiftKey || isSideways)
    view.pan((event.deltaX || event.deltaY) / view.stage.clientWidth);
  else return;
  event.preventDefault();
}

/** @param {TimeView} view @param {MouseEvent} event */
function openTimeMenu(view, event) {
  const {app} = view;
  const {slice} = view.at(event);
  if (!slice) return;
  event.preventDefault();
  app.tips.hide();
  app.functionMenu(app.shape.func[slice.box], event.clientX, event.clientY);
}

/** @type {Record<string, (view: TimeView) => void>} */
const TIME_KEYS = {
  ArrowLeft: view => view.pan(-0.2),
  ArrowRight: view => view.pan(0.2),
  ArrowUp: view => view.scrollRows(-3),
  ArrowDown: view => view.scrollRows(3),
  '+': view => view.scale(0.8, 0.5),
  '-': view => view.scale(1.25, 0.5),
  Home: view => view.showAll(),
  Enter: view => view.selectVisible(),
  '[': view => goToSample(view, -1),
  ']': view => goToSample(view, 1),
  PageUp: view => goToItem(view, -1),
  PageDown: view => goToItem(view, 1),
  ' ': view => view.toggle(view.cursorItem),
  b: view => view.compareWithVisible(),
};

/** @type {Record<string, string>} */
const TIME_ALIASES = {a: 'ArrowLeft', d: 'ArrowRight', w: '+', '=': '+', s: '-'};

/** @param {TimeView} view @param {KeyboardEvent} event */
function timeKey(view, event) {
  if (hasCommandKey(event)) return;
  const key = TIME_ALIASES[event.key] ?? event.key;
  if (!Object.hasOwn(TIME_KEYS, key)) return;
  TIME_KEYS[key](view);
  event.preventDefault();
}

/** @param {TimeView} view */
export function listenToTime(view) {
  const {picture, stage} = view;
  listenToDrag(view);
  picture.addEventListener('pointerleave', () => view.leave());
  picture.addEventListener('dblclick', event => view.zoomAt(event));
  picture.addEventListener('contextmenu', event => openTimeMenu(view, event));
  picture.addEventListener('wheel', event => timeWheel(view, event), {passive: false});
  picture.addEventListener('keydown', event => timeKey(view, event));
  stage.addEventListener('scroll', view.redraw, {passive: true});
}
