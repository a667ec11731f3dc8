// SPDX-License-Identifier: Apache-2.0
// The parts of the page that show a state: the view, and the bars above it. Whatever is replaced in
// them, the focus stays where it is.
import {showCrumbs} from './crumbs.js';
import {byId, keepFocus} from './dom.js';
import {showFilterBar} from './filter_bar.js';
import {showLegend} from './legend.js';
import {markTab} from './page.js';
import {showSummary} from './summary.js';
import {forgetTheme, toggleTheme} from './theme.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./views.js').View} View */

export class PageBody {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {View|null} */
    this.view = null;
    this.shownKind = '';
  }

  /** The next show() makes the view anew: it was made for another profile. */
  forgetView() {
    this.shownKind = '';
  }

  /** Puts the view of this kind on the page. */
  changeView() {
    const {kind} = this.app;
    if (this.shownKind === kind.id) return;
    const hadFocus = byId('view').contains(document.activeElement);
    this.view?.remove();
    this.shownKind = kind.id;
    this.view = kind.make(this.app);
    byId('view').replaceChildren(this.view.element);
    if (hadFocus) this.focusView();
  }

  show() {
    const {app} = this;
    app.searchBar.update();
    app.painter.setHighlight(app.state.mark);
    app.painter.setColors(app.colors);
    this.changeView();
    markTab(app);
    this.refill('summary', () => showSummary(app));
    this.refill('filters', () => showFilterBar(app));
    this.refill('legend', () => showLegend(app));
    this.refill('crumbs', () => showCrumbs(app));
    app.tips.clear();
    this.refill('view', () => this.view?.show());
  }

  /** @param {string} id of a part of the page @param {() => void} fill */
  refill(id, fill) {
    keepFocus(byId(id), fill, () => this.focusView());
  }

  toggleTheme() {
    toggleTheme();
    this.themeChanged();
  }

  /** Draws the view in the colours that are chosen now. */
  themeChanged() {
    forgetTheme();
    this.view?.show();
    this.view?.canvas?.draw();
  }

  /** Gives the focus to the picture or the text of the view. */
  focusView() {
    const {view} = this;
    const main = '[tabindex="0"]';
    const inside = view?.element.matches(main) ? view.element : view?.element.querySelector(main);
    /** @type {HTMLElement} */ (inside ?? byId('view')).focus({preventScroll: true});
  }
}
