// SPDX-License-Identifier: Apache-2.0
// A new profile in a page that shows one: from the same side and at the same place as before.
import {boxNamed, carried, namesTo} from './carry.js';
import {describeProfile} from './page.js';
import {carriedParts} from './parts.js';
import {computing} from './picture.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./page_state.js').Opened} Opened */
/** @typedef {import('./picture.js').Picture} Picture */
/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */
/** @typedef {import('./tree.js').Tree} Tree */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/**
 * What is shown next, and what was chosen but is not there.
 * @typedef {{picture: Picture, opened: Opened, lost: string[]}} Replacement
 */

/** @param {App} app @param {Opened} opened @returns {Work<Replacement>} */
export function* replacing(app, opened) {
  const {state, lost} = yield* carried(app.state, app, opened);
  state.parts = carriedParts(state.parts, app.data, opened.data, lost);
  if (!opened.groups.includes(state.event)) state.event = opened.defaults.event;
  if (!opened.views.some(kind => kind.id === state.view)) state.view = opened.defaults.view;
  return {picture: yield* computing(app, state, null, opened), opened, lost};
}

/**
 * The window with the same place in the zoomed box.
 * @param {[number, number]} window @param {Tree} from @param {number} boxFrom
 * @param {Tree} to @param {number} boxTo @returns {[number, number]}
 */
function windowIn(window, from, boxFrom, to, boxTo) {
  const [begin, end] = window.map(share => {
    const within = (share * from.whole - from.x[boxFrom]) / from.extent[boxFrom];
    const at = (to.x[boxTo] + within * to.extent[boxTo]) / to.whole;
    return Math.min(Math.max(at, 0), 1);
  });
  return begin < end ? [begin, end] : [0, 1];
}

/**
 * What scrolls in the view, in the order of the document.
 * @param {App} app @returns {HTMLElement[]}
 */
const scrollers = ({view}) =>
  view
    ? /** @type {HTMLElement[]} */ ([
        view.element,
        ...view.element.querySelectorAll('.stage, .page'),
      ])
    : [];

/**
 * Keeps the selection and the place of a canvas while `change` gives it another tree.
 * @param {App} app @param {() => void} change
 */
function keepingPlace(app, change) {
  const canvas = app.view?.followsProfile ? app.view.canvas : undefined;
  const tops = scrollers(app).map(element => element.scrollTop);
  const below = canvas?.below ?? 0;
  const names = canvas && canvas.selected > 0 ? namesTo(app, canvas.selected) : [];
  change();
  if (!canvas) {
    scrollers(app).forEach((element, i) => {
      element.scrollTop = tops[i] ?? 0;
    });
    return;
  }
  if (names.length > 0) canvas.selected = boxNamed(app, names).box || -1;
  canvas.below = below;
  canvas.resized();
}

/** @param {App} app @param {Replacement} replacement */
export function putInPlace(app, {picture, opened, lost}) {
  const {state, tree} = picture;
  if (state.window && app.state.window)
    state.window = windowIn(state.window, app.tree, app.state.zoom, tree, state.zoom);
  keepingPlace(app, () => {
    Object.assign(app, opened, {lost});
    app.arrive(picture);
    describeProfile(app);
    app.history.restart(app.fragment);
    if (!app.view?.followsProfile) app.body.forgetView();
    app.show();
  });
}
