// SPDX-License-Identifier: Apache-2.0
// The rows of the table: functions, and below those that are open their callers. A profile can
// have a hundred thousand functions, so only what is near the visible rows is in the document.
import {oncePerFrame} from './dom.js';
import {pathTo} from './tree.js';

/** @typedef {import('./tree.js').Tree} Tree */
/**
 * A caller below a function, or how many more there are.
 * @typedef {object} Caller
 * @property {Tree} tree the callers of the function
 * @property {number} box
 * @property {number} depth 1 for callers of the function itself
 * @property {boolean} isOpen
 * @property {number} rest the number of callers that are not listed; 0: this is a caller
 */
/** @typedef {number|Caller} Row   a function, or a caller below it */

/** How many callers of one function are listed. */
const MOST_CALLERS = 50;

/** In a tree of callers, the function is the first box. */
const OWN_BOX = 1;

/** @param {Tree} tree @param {number} box */
const hasCallers = ({shape, extent}, box) => {
  for (let c = shape.firstChild[box]; c < shape.firstChild[box + 1]; ++c)
    if (extent[c] > 0) return true;
  return false;
};

/** @param {Tree} tree @param {number} box @param {number} depth @returns {Caller[]} */
function callersIn(tree, box, depth) {
  const {shape, extent} = tree;
  const boxes = [];
  for (let c = shape.firstChild[box]; c < shape.firstChild[box + 1]; ++c)
    if (extent[c] > 0) boxes.push(c);
  boxes.sort((a, b) => extent[b] - extent[a] || a - b);
  const row = {tree, depth, isOpen: false, rest: 0};
  const rows = boxes.slice(0, MOST_CALLERS).map(b => ({...row, box: b}));
  const rest = boxes.length - rows.length;
  return rest > 0 ? [...rows, {...row, box, rest}] : rows;
}

export class RowList {
  /** @param {number[]} functions @param {(f: number) => Tree} callersOf */
  constructor(functions, callersOf) {
    this.functions = functions;
    this.callersOf = callersOf;
    /** @type {Row[]} */
    this.rows = functions.slice();
    /** @type {Set<number>} */
    this.open = new Set();
  }

  /** @param {number} i */
  isOpen(i) {
    const row = this.rows[i];
    return typeof row === 'number' ? this.open.has(row) : row.isOpen;
  }

  /** Whether a row may have callers. @param {number} i */
  canOpen(i) {
    const row = this.rows[i];
    return typeof row === 'number' || (row.rest === 0 && hasCallers(row.tree, row.box));
  }

  /** Shows or hides the callers of a row. @param {number} i */
  toggle(i) {
    const row = this.rows[i];
    if (this.isOpen(i)) this.close(i);
    else if (typeof row === 'number') {
      this.open.add(row);
      this.rows.splice(i + 1, 0, ...callersIn(this.callersOf(row), OWN_BOX, 1));
    } else if (this.canOpen(i)) {
      row.isOpen = true;
      this.rows.splice(i + 1, 0, ...callersIn(row.tree, row.box, row.depth + 1));
    }
  }

  /** @param {number} i */
  close(i) {
    const row = this.rows[i];
    const depth = typeof row === 'number' ? 0 : row.depth;
    if (typeof row === 'number') this.open.delete(row);
    else row.isOpen = false;
    let end = i + 1;
    for (let next = this.rows[end]; typeof next === 'object' && next.depth > depth;)
      next = this.rows[++end];
    this.rows.splice(i + 1, end - i - 1);
  }

  /** The row that a row is below; -1: none. @param {number} i */
  parentOf(i) {
    const row = this.rows[i];
    if (typeof row === 'number') return -1;
    for (let at = i - 1; at >= 0; --at) {
      const other = this.rows[at];
      if (typeof other === 'number' || other.depth < row.depth) return at;
    }
    return -1;
  }

  /** Opens again what is open in another list. @param {RowList} other */
  openAs(other) {
    for (const f of other.open) {
      const i = this.rows.indexOf(f);
      if (i >= 0) this.toggle(i);
    }
  }
}

/** How deep the names of callers are indented at most. */
export const MOST_INDENT = 20;

/** The functions from a caller to the one whose callers are shown. @param {Caller} row */
export const pathOf = ({tree, box}) => pathTo(tree.shape, box).map(b => tree.shape.func[b]);

/** How many rows above and below the visible ones are in the document. */
const SPARE = 50;

/** Fills a table with the rows that are near the visible ones. */
export class RowWindow {
  /**
   * @param {HTMLElement} scroller @param {(i: number) => HTMLTableRowElement} makeRow
   */
  constructor(scroller, makeRow) {
    this.scroller = scroller;
    this.makeRow = makeRow;
    /** @type {HTMLTableElement|null} */
    this.table = null;
    this.count = 0;
    this.from = 0;
    this.to = 0;
    this.height = 0;
    scroller.addEventListener(
      'scroll',
      oncePerFrame(() => this.update()),
    );
  }

  /**
   * Begins anew with a table that has no rows.
   * @param {HTMLTableElement} table @param {number} count
   */
  fill(table, count) {
    this.table = table;
    this.count = count;
    this.height = 0;
    this.from = this.to = 0;
    this.put(0, Math.min(count, 2 * SPARE));
    this.height = table.tBodies[0].rows[0]?.offsetHeight ?? 0;
    this.update();
  }

  /** Shows the rows anew, of which there are now so many. @param {number} count */
  refill(count) {
    this.count = count;
    this.put(this.from, Math.min(count, this.from + 2 * SPARE));
    this.update();
  }

  /** The rows that are visible. @returns {[number, number]} */
  visible() {
    const {scroller, height, count} = this;
    if (height === 0 || !this.table) return [0, Math.min(count, SPARE)];
    const top = this.table.tBodies[0].getBoundingClientRect().top - this.from * height;
    const from = Math.floor((scroller.getBoundingClientRect().top - top) / height);
    const to = from + Math.ceil(scroller.clientHeight / height) + 1;
    return [Math.min(Math.max(from, 0), count), Math.min(Math.max(to, 0), count)];
  }

  update() {
    const [from, to] = this.visible();
    const isWithin =
      (from - SPARE / 2 >= this.from || this.from === 0) &&
      (to + SPARE / 2 <= this.to || this.to === this.count);
    if (!isWithin) this.put(Math.max(from - SPARE, 0), Math.min(to + SPARE, this.count));
  }

  /** @param {number} from @param {number} to */
  put(from, to) {
    const {table, scroller} = this;
    if (!table) return;
    const focused = this.rowOf(document.activeElement);
    this.from = from;
    this.to = to;
    const rows = [];
    for (let i = from; i < to; ++i) rows.push(this.makeRow(i));
    table.tBodies[0].replaceChildren(...rows);
    table.style.marginTop = `${from * this.height}px`;
    table.style.marginBottom = `${(this.count - to) * this.height}px`;
    if (focused < 0) return;
    // A row that was scrolled away gives the focus to the table.
    if (focused >= from && focused < to) this.rowAt(focused)?.querySelector('button')?.focus();
    else scroller.focus({preventScroll: true});
  }

  /** The number of the row with this element; -1: none. @param {Element|null} element */
  rowOf(element) {
    const row = element?.closest('tbody tr');
    return row && this.table?.contains(row)
      ? this.from + /** @type {HTMLTableRowElement} */ (row).sectionRowIndex
      : -1;
  }

  /** @param {number} i @returns {HTMLTableRowElement|undefined} */
  rowAt(i) {
    return this.table?.tBodies[0].rows[i - this.from];
  }

  /** Scrolls until a row is visible. @param {number} i */
  reveal(i) {
    const {scroller, height} = this;
    const [from, to] = this.visible();
    if (i < this.from || i >= this.to) {
      scroller.scrollTop += (i - Math.floor((from + to) / 2)) * height;
      this.update();
      if (!this.rowAt(i)) this.put(Math.max(i - SPARE, 0), Math.min(i + SPARE, this.count));
    }
    this.rowAt(i)?.scrollIntoView({block: 'nearest'});
  }
}
