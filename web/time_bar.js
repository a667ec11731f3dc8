// SPDX-License-Identifier: Apache-2.0
// The bar above the lanes of the time view: buttons, choices, and what the colours of tracks mean.
import {ACTIVITIES} from './activity.js';
import {css} from './color.js';
import {button, choice, el, swatch} from './dom.js';
import {pageTheme} from './theme.js';

/** @typedef {import('./time_view.js').TimeView} TimeView */

export class TimeBar {
  /** @param {TimeView} view */
  constructor(view) {
    const {app} = view;
    this.view = view;
    this.rowsChoice = choice(
      'Rows of a lane',
      [
        ['0', 'all rows'],
        ['16', '16 rows each'],
        ['8', '8 rows each'],
        ['1', '1 row each'],
      ],
      '16',
      value => app.set({rows: Number(value)}),
    );
    this.callersButton = button('Common callers', () => app.set({callers: !app.state.callers}), {
      title: 'Show the callers that nearly all stacks of a thread have',
    });
    this.legend = el('span', {className: 'legend'});
    const hint = 'Drag to move, Ctrl-wheel to zoom, Shift-drag to select a range.';
    this.element = el(
      'div',
      {className: 'bar'},
      button('Select the visible range', () => view.selectVisible()),
      button('Show all', () => view.showAll()),
      this.rowsChoice,
      this.callersButton,
      this.legend,
      el('span', {className: 'quiet hint', textContent: hint}),
    );
  }

  show() {
    const {rows, callers} = this.view.app.state;
    this.rowsChoice.value = String(rows);
    this.callersButton.setAttribute('aria-pressed', String(callers));
    this.showLegend();
  }

  /** What the colours of tracks mean, of those that there are. */
  showLegend() {
    const {dark} = pageTheme();
    const {lanes} = this.view.layout;
    const used = ACTIVITIES.filter((_, k) => lanes.some(({track}) => track.all[k] > 0));
    this.legend.replaceChildren(
      ...used.map(activity => {
        const color = swatch(css(dark ? activity.dark : activity.light));
        return el('span', {}, color, activity.title);
      }),
    );
  }
}
