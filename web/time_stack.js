// SPDX-License-Identifier: Apache-2.0
// The stack of the sample that is selected in the time view, below the lanes.
import {button, el} from './dom.js';
import {threadName} from './names.js';
import {timeSpanText} from './time_tips.js';
import {pathTo} from './tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./lanes.js').Lane} Lane */

/** The stack has at most this share of the height of the view (.stack in style.css). */
const STACK_SHARE = 0.35;

export class StackPanel {
  /** @param {App} app @param {() => void} close called by its button */
  constructor(app, close) {
    this.app = app;
    this.close = close;
    /** @type {HTMLElement} */
    this.element = el('div', {
      className: 'stack',
      hidden: true,
      role: 'region',
      'aria-label': 'Stack of the selected sample',
    });
  }

  /** Whether it will be at this height when it is shown. @param {number} y */
  willCover(y) {
    const {hidden, parentElement: view} = this.element;
    if (!hidden || !view) return false;
    const {top, height} = view.getBoundingClientRect();
    return y > top + height * (1 - STACK_SHARE);
  }

  hide() {
    this.element.hidden = true;
  }

  /**
   * Shows the stack of a sample, the leaf first.
   * @param {Lane} lane @param {number} sample of the lane @param {number} leaf its box
   * @param {number} selected the box that is selected
   */
  show(lane, sample, leaf, selected) {
    const {data, shape} = this.app;
    const frames = pathTo(shape, leaf).reverse();
    const thread = threadName(data, data.sampleThread[lane.samples[sample]]);
    const title = `${timeSpanText(data, lane.begin[sample], lane.end[sample])} in ${thread}`;
    const close = button('×', this.close, {'aria-label': 'Close the stack'});
    this.element.hidden = false;
    this.element.replaceChildren(
      el('div', {className: 'bar'}, el('span', {textContent: title}), close),
      el('ol', {}, ...frames.map(box => this.frame(box, box === selected))),
    );
    this.element.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest'});
  }

  /** @param {number} box @param {boolean} isSelected */
  frame(box, isSelected) {
    const {app} = this;
    const f = app.shape.func[box];
    const open = button(app.painter.name(f), () => {
      const {left, bottom} = open.getBoundingClientRect();
      app.functionMenu(f, left, bottom);
    });
    if (isSelected) open.setAttribute('aria-current', 'true');
    return el('li', {}, open);
  }
}
