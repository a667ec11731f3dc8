// SPDX-License-Identifier: Apache-2.0
// The tooltip, and the line below the view with the same text for keyboards and screen readers.
import {byId, el} from './dom.js';
import {cutLabel, isolated, shortened} from './names.js';
import {wholeName} from './shares.js';
import {describe} from './tips.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */
/** @typedef {import('./tips.js').Description} Description */
/**
 * A place in pixels of the browser's window.
 * @typedef {{left: number, top: number, bottom: number}} Seen
 */

/** Of a longer name, the last part comes first: all of it would hide what is said about it. */
const LONG_HEAD = 120;

/**
 * Where a tooltip goes on one axis: after the pointer, or before it if there is no room.
 * @param {number} at @param {number} size @param {number} room @param {number} after
 * @param {number} before distances
 */
function beside(at, size, room, after, before) {
  return Math.max(4, at + after + size > room ? at - size - before : at + after);
}

export class TipBox {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /**
     * The last description: the pointer moves within a box often.
     * @type {{canvas: FlameCanvas, box: number, tree: unknown, pixel: number, text: Description}
     *   |null}
     */
    this.last = null;
    /** Where is what a key selected and the tip describes; null: the tip is for the pointer. */
    /** @type {{picture: object, place: () => Seen|null}|null} */
    this.byKey = null;
  }

  /** @param {FlameCanvas} canvas @param {number} box @param {MouseEvent|null} event */
  showBox(canvas, box, event) {
    if (box < 0 || !canvas.tree) {
      this.clear();
      return;
    }
    const {head, lines} = this.descriptionOf(canvas, box);
    this.describe(head, lines);
    if (event) this.show(head, lines, event);
    else this.hide();
  }

  /** @param {FlameCanvas} canvas @param {number} box @returns {Description} */
  descriptionOf(canvas, box) {
    const {last, app} = this;
    const tree = /** @type {import('./tree.js').Tree} */ (canvas.tree);
    const pixel = canvas.pixelOf(tree);
    const isLast = last?.canvas === canvas && last.box === box && last.tree === tree;
    if (isLast && last.pixel === pixel) return last.text;
    const {func} = tree.shape;
    const {zoomed} = canvas;
    const text = describe(app.data, tree, box, {
      name: app.painter.name(func[box]),
      zoomed,
      whole: wholeName(app.filter),
      // The halves of a sandwich are zoomed to its function from the beginning.
      part: tree === app.tree ? 'the zoomed part' : shortened(app.painter.name(func[zoomed])),
      crowd: canvas.crowdOf(box),
    });
    this.last = {canvas, box, tree, pixel, text};
    return text;
  }

  /** Fills the tip. @param {string} head @param {string[]} lines */
  fill(head, lines) {
    const tip = byId('tip');
    const isLong = head.length > LONG_HEAD;
    tip.replaceChildren(
      el('b', {textContent: isLong ? cutLabel(head, LONG_HEAD / 2) : head}),
      ...(isLong ? [el('div', {className: 'whole', textContent: head.slice(0, 2000)})] : []),
      ...lines.map(line => el('div', {textContent: line.slice(0, 500)})),
    );
    tip.hidden = false;
    return tip;
  }

  /**
   * Shows a tip beside the pointer.
   * @param {string} head @param {string[]} lines @param {MouseEvent} event
   */
  show(head, lines, event) {
    const tip = this.fill(head, lines);
    this.byKey = null;
    tip.style.left = `${beside(event.clientX, tip.offsetWidth, innerWidth, 14, 8)}px`;
    tip.style.top = `${beside(event.clientY, tip.offsetHeight, innerHeight, 18, 10)}px`;
  }

  /**
   * Shows a tip for what a key or the search selected.
   * @param {string} head @param {string[]} lines @param {object} picture where it is selected
   * @param {() => Seen|null} place
   */
  showAt(head, lines, picture, place) {
    this.fill(head, lines);
    this.byKey = {picture, place};
    this.moveTip(place());
  }

  /** @param {Seen|null} seen what a key selected */
  moveTip(seen) {
    if (!seen) {
      this.hide();
      return;
    }
    const tip = byId('tip');
    const {left, top, bottom} = seen;
    // The line below the view says the same: it stays in sight.
    const room = byId('details').getBoundingClientRect().top;
    const isBelow = bottom + tip.offsetHeight + 8 < room;
    tip.style.left = `${Math.max(4, Math.min(left + 8, innerWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${Math.max(4, isBelow ? bottom + 4 : top - tip.offsetHeight - 4)}px`;
  }

  /** @param {FlameCanvas} canvas @param {number} box */
  showSelected(canvas, box) {
    this.showBox(canvas, box, null);
    if (box < 0 || !canvas.tree) return;
    const {head, lines} = this.descriptionOf(canvas, box);
    this.showAt(head, lines, canvas, () => canvas.seenAt(box));
  }

  /** A picture was drawn: what is selected may be elsewhere in it. @param {object} picture */
  follow(picture) {
    if (this.byKey?.picture === picture) this.moveTip(this.byKey.place());
  }

  /** Hides the tip. Returns whether it was there because of a key. */
  dismiss() {
    const wasByKey = this.byKey !== null && !byId('tip').hidden;
    this.hide();
    return wasByKey;
  }

  hide() {
    this.byKey = null;
    byId('tip').hidden = true;
  }

  /** Shows what a tip says below the view. @param {string} head @param {string[]} lines */
  describe(head, lines) {
    this.announce([isolated(cutLabel(head, LONG_HEAD)), ...lines].join(' · '));
  }

  /** Shows text below the view; screen readers speak it. @param {string} text */
  announce(text) {
    byId('details').textContent = text;
  }

  clear() {
    this.announce('');
    this.hide();
  }
}
