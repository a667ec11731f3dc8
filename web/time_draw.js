// SPDX-License-Identifier: Apache-2.0
// Drawing of the time view, on its canvas and as SVG.
import {ACTIVITIES} from './activity.js';
import {css, inkOn, SEARCH_COLOR} from './color.js';
import {partInSight} from './dom.js';
import {FAINT, svgBox, svgNarrow, svgPage, svgText} from './export.js';
import {foundBy} from './found.js';
import {SEVERAL} from './lane_rows.js';
import {activityColumns, firstAbove} from './lanes.js';
import {cutLabel, threadName} from './names.js';
import {countText, duration, percent, timeMarks} from './numbers.js';
import {LEAST_LABEL, putText, toneOf} from './paint.js';
import {fitCanvas, mixed, parsed, Pixels} from './pixels.js';
import {pageTheme} from './theme.js';
import {AXIS, HEADING, TRACK} from './time_layout.js';

/** @typedef {import('./lane_rows.js').Pieces} Pieces */
/** @typedef {import('./lanes.js').Lane} Lane */
/** @typedef {import('./time_layout.js').Item} Item */
/** @typedef {import('./time_view.js').TimeView} TimeView */
/** @typedef {[number, number]} Range */

/** How far what belongs to a process is moved to the right, and the room of a mark that folds. */
const INDENT = 14;
const MARK = 16;

/** The height of the marks of a search in a track. */
const FOUND_HEIGHT = 3;

/** The colour of the range to compare with. */
export const BASELINE_COLOR = '#888';

/** @param {TimeView} view @param {Lane[]} lanes */
function runningText({app}, lanes) {
  const {clock, meta} = app.data;
  const ticks = lanes.reduce((sum, lane) => sum + lane.track.running, 0);
  const time = duration(ticks * meta.tick_ns, clock);
  return clock ? time : `${time} on the CPU`;
}

/**
 * The heading of an item: its name, what it did, and what its rows leave out.
 * @param {TimeView} view @param {Item} item
 */
export function headingOf(view, {kind, key, lanes, isOpen}) {
  const {app, layout} = view;
  const did = runningText(view, lanes);
  if (kind === 'process') {
    const [pid, , name] = app.data.meta.threads[lanes[0].thread];
    const named = lanes.find(({thread}) => app.data.meta.threads[thread][1] === pid);
    const comm = named ? app.data.meta.threads[named.thread][2] : name;
    return {
      name: `process ${[comm, pid < 0 ? '' : pid].filter(part => part !== '').join(' ')}`,
      facts: `${countText(lanes.length, 'thread')}, ${did}`,
    };
  }
  if (kind === 'idle') {
    const whole = layout.lanes.reduce((sum, lane) => sum + lane.track.running, 0) || 1;
    const part = lanes.reduce((sum, lane) => sum + lane.track.running, 0);
    const name = countText(lanes.length, 'idle thread');
    return {name, facts: `${did}, ${percent(part / whole)} of what all threads ran`};
  }
  const [lane] = lanes;
  const count = app.data.clock
    ? countText(lane.samples.length, 'stretch', 'stretches')
    : countText(lane.samples.length, 'sample');
  const skipped = isOpen ? layout.rowsOf(lane).skipped : [];
  const callers = skipped.map(box => app.painter.name(app.shape.func[box]));
  return {
    name: threadName(app.data, lane.thread),
    facts: [`${did}, ${count}`, ...(callers.length > 0 ? [`in ${callers.join(' › ')}`] : [])].join(
      ' · ',
    ),
  };
}

/** @param {TimeView} view @param {number} width */
function axisMarks({app, visible}, width) {
  const [from, to] = visible.map(tick => tick * app.data.meta.tick_ns);
  return timeMarks(from, to, width, app.data.clock);
}

/**
 * The ticks of each activity of several lanes, by column.
 * @param {Lane[]} lanes @param {Range} visible @param {number} width
 */
function trackColumns(lanes, [from, to], width) {
  const [first, ...rest] = lanes.map(({track}) => activityColumns(track, from, to, width));
  for (const other of rest) for (let i = 0; i < first.length; ++i) first[i] += other[i];
  return first;
}

/**
 * 1 for the columns of pixels in which a search found something.
 * @param {Lane} lane @param {import('./found.js').Found} found @param {Range} visible
 * @param {number} width
 */
function foundColumns(lane, found, [from, to], width) {
  const {begin, end} = lane;
  const sums = found.sumsOf(lane);
  const marks = new Uint8Array(width);
  let first = firstAbove(end, from);
  let next = first;
  for (let x = 0; x < width; ++x) {
    const left = from + ((to - from) * x) / width;
    first = firstAbove(end, left, first);
    next = Math.max(firstAbove(begin, left + (to - from) / width, next), first);
    if (sums[next] > sums[first]) marks[x] = 1;
  }
  return marks;
}

/**
 * Whether a slice has no gaps.
 * @param {Pieces} pieces @param {number} level @param {number} first @param {number} last
 */
function isFull({share, rows}, level, first, last) {
  for (let i = first; i <= last; ++i) if (share[i * rows + level] <= 0.95) return false;
  return true;
}

export class TimeDrawing {
  /** @param {TimeView} view */
  constructor(view) {
    this.view = view;
    this.row = view.app.painter.look.row;
    this.context = /** @type {CanvasRenderingContext2D} */ (view.picture.getContext('2d'));
    this.pixels = new Pixels();
    /**
     * Boxes with room for a label.
     * @type {{box: number, from: number, to: number, y: number}[]}
     */
    this.labels = [];
    /** @type {{from: number, to: number, y: number, color: string, size: number}[]} */
    this.outlines = [];
    this.width = 0;
    /** What the picture on the canvas was drawn for. */
    this.drawnPart = '';
    this.faint = 0;
  }

  /** Whether the canvas has the picture as it is in sight now. */
  get isDrawn() {
    return this.drawnPart === partInSight(this.view.stage);
  }

  draw() {
    const {view, context, pixels} = this;
    const {clientWidth: width, clientHeight: height, scrollTop} = view.stage;
    if (width === 0 || height === 0) return;
    const theme = pageTheme();
    this.drawnPart = partInSight(view.stage);
    const ratio = fitCanvas(view.picture, width, height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    pixels.begin(context, ratio, theme.paper);
    this.width = width;
    this.faint = parsed(theme.faint);
    this.labels = [];
    this.outlines = [];
    const shown = view.layout.itemsWithin(scrollTop + AXIS, scrollTop + height);
    for (const item of shown) this.drawItem(item, item.top - scrollTop, height);
    pixels.end(context);
    this.drawOutlines();
    this.drawLabels();
    this.dimOutside(height);
    for (const item of shown) this.drawHeading(item, item.top - scrollTop);
    this.drawAxis();
    view.app.tips.follow(view);
  }

  /** @param {Item} item @param {number} top @param {number} height of the canvas */
  drawItem(item, top, height) {
    if (item.kind === 'idle' || (item.kind === 'process' && item.isOpen)) return;
    this.drawTrack(item.lanes, top + HEADING);
    if (item.kind === 'lane' && item.isOpen) this.drawRows(item.lanes[0], top, height);
  }

  /** @param {Lane[]} lanes @param {number} top */
  drawTrack(lanes, top) {
    const {view, pixels, width} = this;
    const {app, visible} = view;
    const {dark} = pageTheme();
    const colors = ACTIVITIES.map(activity => (dark ? activity.dark : activity.light));
    const columns = trackColumns(lanes, visible, width);
    const full = (lanes.length * (visible[1] - visible[0])) / width;
    for (let x = 0; x < width; ++x) pixels.column(x, top, TRACK - 2, {columns, full, colors});
    const found = foundBy(app);
    if (!found) return;
    for (const lane of lanes) {
      const marks = foundColumns(lane, found, visible, width);
      for (let x = 0; x < width; ++x)
        if (marks[x] === 1) pixels.rect(x, top, 1, FOUND_HEIGHT, SEARCH_COLOR);
    }
  }

  /** @param {Lane} lane @param {number} top @param {number} height */
  drawRows(lane, top, height) {
    const {view, pixels, row, width} = this;
    const {app, layout, visible} = view;
    const {painter, plainTree: tree} = app;
    const rows = layout.rowsOf(lane);
    const begin = top + HEADING + TRACK;
    const to = Math.min(rows.count, Math.ceil((height - begin) / row));
    const from = Math.max(0, Math.floor((AXIS - begin) / row));
    if (to <= from) return;
    const pieces = rows.piecesOf(visible, width, to, foundBy(app));
    for (let level = from; level < to; ++level) {
      const y = begin + level * row;
      rows.eachPart(pieces, level, (box, first, last) => {
        const start = Math.max(pieces.left[first], -2);
        const end = Math.min(pieces.right[last], width + 2);
        const at = first * pieces.rows + level;
        if (box === SEVERAL) {
          this.addNarrow(pieces.box[at], start, end, pieces.share[at]);
          return;
        }
        const color = painter.rgb(tree, box);
        if (isFull(pieces, level, first, last)) pixels.box(start, end - start, color);
        else this.addPale(color, pieces, level, first, last);
        if (end - start >= LEAST_LABEL) this.labels.push({box, from: start, to: end, y});
      });
      pixels.endRow(y, row - 1);
    }
    this.addOutline(view.hovered, lane, begin, pageTheme().ink, 1);
    this.addOutline(view.selected, lane, begin, pageTheme().ring, 2.5);
  }

  /** @param {number} box @param {number} from @param {number} to @param {number} share */
  addNarrow(box, from, to, share) {
    const {pixels, view, faint} = this;
    const {painter, plainTree: tree} = view.app;
    const color = box === SEVERAL ? -1 : painter.rgb(tree, box);
    const isFound = box !== SEVERAL && painter.isFound(tree.shape.func[box]);
    pixels.narrow(from, to - from, isFound ? color : mixed(faint, pixels.paper, toneOf(share)));
  }

  /**
   * A slice has its colour as far as it is there: gaps narrower than a pixel make it pale.
   * @param {number} color @param {Pieces} pieces @param {number} level
   * @param {number} first @param {number} last
   */
  addPale(color, {left, right, share, rows}, level, first, last) {
    const {pixels} = this;
    for (let i = first; i <= last; ++i) {
      const tone = toneOf(share[i * rows + level]);
      pixels.narrow(left[i], right[i] - left[i], mixed(color, pixels.paper, tone));
    }
  }

  /**
   * @param {import('./time_place.js').Place} place @param {Lane} lane @param {number} top
   * @param {string} color @param {number} size
   */
  addOutline({slice, lane: at, row}, lane, top, color, size) {
    if (!slice || at !== lane || row < 0) return;
    const [from, to] = this.view.visible;
    const scale = this.width / (to - from);
    const [left, right] = [slice.begin, slice.end].map(tick => (tick - from) * scale);
    if (right < 0 || left > this.width) return;
    const y = top + row * this.row;
    const end = Math.min(right, this.width + 4);
    this.outlines.push({from: Math.max(left, -4), to: end, y, color, size});
  }

  drawOutlines() {
    const {context, row} = this;
    for (const {from, to, y, color, size} of this.outlines) {
      context.strokeStyle = color;
      context.lineWidth = size;
      const width = Math.max(to - from - size, 1);
      context.strokeRect(from + size / 2, y + size / 2, width, row - 1 - size);
    }
    context.lineWidth = 1;
  }

  drawLabels() {
    const {context, row} = this;
    const {painter, plainTree: tree} = this.view.app;
    context.font = painter.font;
    context.textBaseline = 'middle';
    for (const {box, from, to, y} of this.labels) {
      const start = Math.max(from, 0);
      context.fillStyle = inkOn(painter.rgb(tree, box));
      const room = to - start;
      putText(context, painter.label(tree, box, room), start + 3, y + row / 2, room - 5);
    }
  }

  /** @param {Item} item @param {number} top */
  drawHeading(item, top) {
    const {context, view, width} = this;
    const {painter} = view.app;
    const theme = pageTheme();
    const {name, facts} = headingOf(view, item);
    const left = 4 + (item.isInner ? INDENT : 0);
    const y = top + HEADING / 2 + 1;
    const cut = (/** @type {string} */ text, /** @type {number} */ room) =>
      cutLabel(text, Math.max(Math.floor(room / painter.letter), 0), () => null);
    if (item === view.cursorItem && document.activeElement === view.picture) {
      context.strokeStyle = theme.ring;
      context.lineWidth = 2;
      context.strokeRect(left - 3, top + 1, width - left, HEADING - 2);
      context.lineWidth = 1;
    }
    context.fillStyle = theme.ink;
    context.fillText(item.isOpen ? '▾' : '▸', left, y);
    const shown = cut(name, width - left - MARK - 4);
    putText(context, shown, left + MARK, y, width - left - MARK - 4);
    const begin = left + MARK + context.measureText(shown).width + 12;
    context.fillStyle = theme.faint;
    const room = width - begin - 4;
    putText(context, cut(facts, room), begin, y, room);
  }

  /** What is outside the range does not count. @param {number} height */
  dimOutside(height) {
    const {context, view, width} = this;
    const {range} = view.app.state;
    if (!range) return;
    const [from, to] = this.pixelsOf(range);
    context.globalAlpha = 0.65;
    context.fillStyle = pageTheme().paper;
    if (from > 0) context.fillRect(0, 0, Math.min(from, width), height);
    if (to < width) context.fillRect(Math.max(to, 0), 0, width, height);
    context.globalAlpha = 1;
  }

  drawAxis() {
    const {context, view, width} = this;
    const {app, pending} = view;
    const theme = pageTheme();
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, AXIS);
    const {range, baseline} = app.state;
    const names = [
      baseline && this.drawRange(baseline, 'baseline', BASELINE_COLOR),
      range && this.drawRange(range, 'range', theme.ring),
      pending && this.drawRange(pending, 'range', theme.ring),
    ].filter(place => place !== null);
    context.fillStyle = theme.faint;
    for (const {x, text} of axisMarks(view, width)) {
      context.fillRect(x, AXIS - 5, 1, 5);
      const end = x + 3 + context.measureText(text).width;
      const isFree = names.every(([left, right]) => end < left || x + 3 > right);
      if (isFree) context.fillText(text, x + 3, AXIS / 2);
    }
  }

  /** @param {Range} range */
  pixelsOf(range) {
    const [first, last] = this.view.visible;
    return range.map(tick => ((tick - first) / (last - first)) * this.width);
  }

  /**
   * @param {Range} range @param {string} name @param {string} color
   * @returns {[number, number]|null} where the name is
   */
  drawRange(range, name, color) {
    const {context, width, view} = this;
    const height = view.stage.clientHeight;
    const [left, right] = this.pixelsOf(range);
    const [from, to] = [Math.max(left, -2), Math.min(right, width + 2)].map(Math.round);
    if (right < 0 || left > width) return null;
    context.fillStyle = color;
    context.globalAlpha = 0.35;
    context.fillRect(from, 0, to - from, AXIS);
    context.globalAlpha = 1;
    context.fillRect(from, 0, 1, height);
    context.fillRect(to - 1, 0, 1, height);
    context.font = view.app.painter.font;
    context.fillStyle = pageTheme().ink;
    const {width: text} = context.measureText(name);
    if (to - from <= text + 8) return null;
    context.fillText(name, to - text - 4, AXIS / 2);
    return [to - text - 4, to - 4];
  }
}

/**
 * All items, including those that are scrolled out of sight.
 * @param {TimeView} view @param {import('./export.js').Heading} heading
 */
export function timeSvg(view, heading) {
  const {layout} = view;
  const width = Math.max(view.stage.clientWidth, 800);
  const top = 10;
  const parts = axisMarks(view, width)
    .filter(({text}) => text !== '')
    .map(({x, text}) => svgText(text, x, top + AXIS + 6));
  for (const item of layout.items) {
    const begin = top + item.top;
    const {name, facts} = headingOf(view, item);
    parts.push(svgText(`${name} · ${facts}`, item.isInner ? INDENT : 4, begin + HEADING));
    if (item.kind === 'idle' || (item.kind === 'process' && item.isOpen)) continue;
    parts.push(...svgTrack(view, item.lanes, begin + HEADING + 4, width));
    if (item.kind === 'lane' && item.isOpen)
      parts.push(...svgRows(view, item.lanes[0], begin + HEADING + TRACK + 4, width));
  }
  return svgPage(view.app.painter, heading, width, top + layout.height + 10, parts);
}

/** @param {TimeView} view @param {Lane[]} lanes @param {number} top @param {number} width */
function svgTrack({visible}, lanes, top, width) {
  const columns = trackColumns(lanes, visible, width);
  const kinds = ACTIVITIES.length;
  const full = (lanes.length * (visible[1] - visible[0])) / width;
  // One path for each activity, with a rectangle for adjacent columns that look the same.
  const paths = ACTIVITIES.map(() => '');
  const drawn = ACTIVITIES.map(() => ({look: '', from: 0}));
  for (let x = 0; x <= width; ++x) {
    let bottom = top + TRACK;
    for (let k = 0; k < kinds; ++k) {
      const height = x < width ? (columns[x * kinds + k] / full) * TRACK : 0;
      const look = height < 0.05 ? '' : `${bottom.toFixed(1)}v${(-height).toFixed(1)}`;
      const {look: before, from} = drawn[k];
      bottom -= height;
      if (look === before) continue;
      if (before !== '') paths[k] += `M${from} ${before}h${x - from}V${before.split('v')[0]}z`;
      drawn[k] = {look, from: x};
    }
  }
  return paths.flatMap((path, k) =>
    path === '' ? [] : [`<path fill="${css(ACTIVITIES[k].light)}" d="${path}"/>\n`],
  );
}

/** @param {TimeView} view @param {Lane} lane @param {number} top @param {number} width */
function svgRows({app, layout, visible}, lane, top, width) {
  const {painter, plainTree: tree} = app;
  const rows = layout.rowsOf(lane);
  const pieces = rows.piecesOf(visible, width, rows.count, foundBy(app));
  /** @type {string[]} */
  const parts = [];
  for (let level = 0; level < rows.count; ++level) {
    const y = top + level * layout.row;
    rows.eachPart(pieces, level, (box, first, last) => {
      const left = pieces.left[first];
      const size = pieces.right[last] - left;
      if (box !== SEVERAL) {
        const tip = painter.name(tree.shape.func[box]);
        parts.push(svgBox(painter, tree, box, {left, y, size, tip}));
        return;
      }
      const tone = toneOf(pieces.share[first * pieces.rows + level]);
      const place = {left, y, size, height: layout.row - 1};
      parts.push(svgNarrow(mixed(FAINT, 0xffffff, tone), 'slices narrower than a pixel', place));
    });
  }
  return parts;
}
