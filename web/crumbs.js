// SPDX-License-Identifier: Apache-2.0
// The path from the root to the zoomed box.
import {button, byId, el} from './dom.js';
import {pathTo} from './tree.js';

/** @typedef {import('./app.js').App} App */

/** Of a longer path, the beginning and the end are shown. */
const FIRST = 20;
const LAST = 40;

/** @param {App} app @param {number} box */
function crumb(app, box) {
  const {shape, painter} = app;
  const name = painter.name(shape.func[box]);
  const label = painter.cutName(shape.func[box], shape.frame[box], 30);
  const current = box === app.state.zoom ? {'aria-current': 'location'} : {};
  return button(label, () => app.zoomTo(box), {title: name.slice(0, 500), ...current});
}

/** @param {App} app */
export function showCrumbs(app) {
  const bar = byId('crumbs');
  bar.replaceChildren();
  if (!app.kind.isWholeTree) return;
  const path = pathTo(app.shape, app.state.zoom);
  const shown = path.length > FIRST + LAST ? [...path.slice(0, FIRST), ...path.slice(-LAST)] : path;
  const separator = () => el('span', {textContent: '›', 'aria-hidden': 'true'});
  // The root is shown even without a zoom, so that zooming does not move the picture by a row.
  bar.append(crumb(app, 0), ...shown.flatMap(box => [separator(), crumb(app, box)]));
  bar.scrollLeft = bar.scrollWidth;
}
