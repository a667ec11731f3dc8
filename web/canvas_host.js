// SPDX-License-Identifier: Apache-2.0
// What pictures ask of the page: tips and menus of their boxes.
import {boxActions, frameOf, functionActions} from './actions.js';
import {showMenu} from './menu.js';
import {pageTheme} from './theme.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */

/** @param {App} app @param {FlameCanvas} canvas @param {number} box @param {[number, number]} at */
function showBoxMenu(app, canvas, box, at) {
  app.tips.hide();
  const {shape} = /** @type {import('./tree.js').Tree} */ (canvas.tree);
  showMenu(app.painter.name(shape.func[box]), boxActions(app, canvas, box), ...at);
}

/** @param {App} app @param {number} f @param {number} x @param {number} y */
export const showFunctionMenu = (app, f, x, y) =>
  showMenu(app.painter.name(f), functionActions(app, f, frameOf(app, f)), x, y);

/**
 * @param {App} app @param {(box: number) => void} zoom @returns {import('./canvas.js').Host}
 */
export const hostOf = (app, zoom) => ({
  theme: pageTheme,
  hover: (canvas, box, event) => app.tips.showBox(canvas, box, event),
  select: (canvas, box) => app.tips.showSelected(canvas, box),
  drawn: canvas => app.tips.follow(canvas),
  zoom,
  moved: () => {},
  menu: (canvas, box, x, y) => showBoxMenu(app, canvas, box, [x, y]),
});
