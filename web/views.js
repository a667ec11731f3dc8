// SPDX-License-Identifier: Apache-2.0
// The list of views. Tabs, number keys, the help, the state in the address and drawing follow
// from it: a new view is a file of its own and a line here.
import {ABOUT_VIEW} from './about_view.js';
import {FLAME_VIEW, ICICLE_VIEW} from './flame_view.js';
import {HEAT_VIEW} from './heat_view.js';
import {SANDWICH_VIEW} from './sandwich_view.js';
import {SOURCE_VIEW} from './source_view.js';
import {TABLE_VIEW} from './table_view.js';
import {TIME_VIEW} from './time_view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */
/** @typedef {import('./data.js').Data} Data */
/**
 * All choices; those of a view are declared next to its fields.
 * @typedef {import('./state.js').SharedState & import('./sandwich_view.js').SandwichState &
 *   import('./source_view.js').SourceState & import('./table_list.js').TableState &
 *   import('./time_view.js').TimeState} State
 */
/**
 * A view on the page.
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {() => void} show draws the current state of the app
 * @property {() => void} remove
 * @property {FlameCanvas} [canvas] the canvas that keys and the search use
 * @property {FlameCanvas[]} [canvases] all of them, if there are several
 * @property {() => number} [func] the function that keys act on, in a view without a canvas
 * @property {(heading: import('./export.js').Heading) => string} [svg]
 * @property {TableRows} [tableRows] of a table
 * @property {() => Matches} [matches] what the search found in it, in a view without a canvas
 * @property {boolean} [followsProfile] can show another profile
 * @property {() => boolean} [escape] cancels a selection; false: there was none
 */
/**
 * The rows of a table, for other programs.
 * @typedef {object} TableRows
 * @property {number} count
 * @property {(separator: string, most?: number) => import('./work.js').Work<Blob>} file with no
 *   more than `most` rows
 */
/**
 * What a search found in a view.
 * @typedef {object} Matches
 * @property {number} count
 * @property {(i: number) => void} show selects one of them, and moves it into sight
 */
/**
 * @typedef {object} ViewKind
 * @property {string} id its name in the page's address
 * @property {string} title
 * @property {(app: App) => View} make
 * @property {(data: Data) => boolean} [isOffered] default: for every profile
 * @property {boolean} [isWholeTree] has a path to the zoomed box and an order of siblings
 * @property {boolean} [hasZoom] shows the tree zoomed to a box
 * @property {boolean} [isHeavyFirst] siblings are ordered by weight unless the user chooses
 * @property {boolean} [isColored] its frames have the colours that the legend explains
 * @property {boolean} [showsTime] shows when samples were taken
 * @property {boolean} [addsTimes] adds up samples by their time
 * @property {import('./state.js').Field[]} [fields] choices that only this view has
 * @property {(picture: import('./picture.js').Picture, view: View|null) =>
 *   import('./work.js').Work<unknown>} [preparing] computes what show() would take long for; `view`
 *   is on the page before
 * @property {(state: State, changes: Partial<State>) => void} [beforeChange]
 * @property {[string, string][]} [keys] its own keys and what they do
 */

/** In the order of the tabs. @type {ViewKind[]} */
export const VIEWS = [
  FLAME_VIEW,
  ICICLE_VIEW,
  TIME_VIEW,
  HEAT_VIEW,
  SANDWICH_VIEW,
  TABLE_VIEW,
  SOURCE_VIEW,
  ABOUT_VIEW,
];
