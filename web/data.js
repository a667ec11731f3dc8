// SPDX-License-Identifier: Apache-2.0
// The profile in the page: columns, as src/render/page_data.h writes them. All
// numbers are checked here, once, so that nobody behind has to.
import {DataError, Numbers} from './bytes.js';

/**
 * @typedef {{name: string, group: string, unit: string, decimals: number, counts_samples: boolean,
 *   unit_ns: number, is_clock: boolean, role: ''|'before'|'after'}} EventInfo   unit_ns: 0 if it is not one of time
 * @typedef {{colors: string, hash: boolean, deterministic: boolean, negate: boolean, inverted: boolean,
 *   chart: boolean, reversed: boolean, row: number, font: number, count: string, cut_right: boolean}} Look
 * @typedef {{title: string, subtitle: string, look: Look, functions: number, has_time: boolean,
 *   tick_ns: number, start_ns: number, summed: boolean, samples: number, event: string, events: EventInfo[],
 *   threads: [number, number, string][], about: [string, string][],
 *   notes: {text: string, loss: boolean}[], side_samples?: [number, number],
 *   sources?: [number, number][], columns: [string, number, number][]}} Meta
 */

/** Texts, decoded when they are asked for. */
export class Strings {
  /** @param {Uint8Array} text @param {Uint32Array} starts one more than there are strings */
  constructor(text, starts) {
    this.text = text;
    this.starts = starts;
    this.decoder = new TextDecoder();
    /** @type {(string|undefined)[]} */
    this.known = new Array(starts.length - 1);
    /** @type {string|null|undefined} */
    this.whole = undefined;
  }

  get size() {
    return this.starts.length - 1;
  }

  /** @param {number} i @returns {string} */
  at(i) {
    let text = this.known[i];
    if (text !== undefined) return text;
    const from = this.starts[i];
    const to = this.starts[i + 1];
    // Where a byte is a letter, all are decoded at once and cut apart.
    if (this.whole === undefined) {
      const whole = this.decoder.decode(this.text);
      this.whole = whole.length === this.text.length ? whole : null;
    }
    text =
      this.whole !== null
        ? this.whole.slice(from, to)
        : this.decoder.decode(this.text.subarray(from, to));
    this.known[i] = text;
    return text;
  }
}

/** A profile. Node 0 is the root; parents stand before their children. */
export class Data {
  /** @param {Meta} meta @param {Map<string, Column>} columns */
  constructor(meta, columns) {
    this.meta = meta;
    const strings = column(columns, 'string_size');
    this.strings = new Strings(
      column(columns, 'text').bytes,
      startsOf(strings, column(columns, 'text').bytes.length),
    );
    this.functions = count(meta.functions, this.strings.size, 'functions');

    const frames = column(columns, 'frame_function');
    this.frameFunction = sums(frames, this.functions);
    const frameColumn = (/** @type {string} */ name, /** @type {number} */ limit) =>
      plain(column(columns, name), frames.rows, limit);
    this.frameFile = frameColumn('frame_file', this.strings.size);
    this.frameModule = frameColumn('frame_module', this.strings.size);
    this.frameLine = frameColumn('frame_line', 2 ** 31);
    this.frameKind = Uint8Array.from(frameColumn('frame_kind', 256));

    const parents = column(columns, 'node_parent');
    const nodeFrames = column(columns, 'node_frame');
    this.nodes = parents.rows + 1;
    this.nodeParent = parentsOf(parents);
    this.nodeFrame = new Int32Array(this.nodes);
    this.nodeFrame.set(plain(nodeFrames, parents.rows, frames.rows), 1);
    this.nodeFrame[0] = -1;

    const rows = column(columns, 'sample_weight').rows;
    this.samples = rows;
    this.sampleTick = ticks(column(columns, 'sample_tick'), rows);
    this.sampleNode = sums(column(columns, 'sample_node'), this.nodes, rows);
    this.sampleThread = sums(column(columns, 'sample_thread'), meta.threads.length, rows);
    this.sampleEvent = sums(column(columns, 'sample_event'), meta.events.length, rows);
    this.sampleWeight = weights(column(columns, 'sample_weight'));
    /** What its times count if that is not nanoseconds. */
    this.clock = meta.events.find(event => event.is_clock)?.unit ?? '';
    /** Where the last tick, or the last stretch of a trace, ends. */
    this.duration = 0;
    for (let i = 0; i < rows; ++i) {
      const lasts = meta.events[this.sampleEvent[i]].is_clock
        ? this.sampleWeight[i] / meta.tick_ns
        : 1;
      this.duration = Math.max(this.duration, this.sampleTick[i] + Math.max(1, Math.ceil(lasts)));
    }
    for (const row of meta.sources ?? [])
      if (!row.every(i => Number.isInteger(i) && i >= 0 && i < this.strings.size))
        throw new DataError('its data names a text that is not there');
    /** Names that transforms made, behind those of the profile. @type {string[]} */
    this.madeNames = [];
    /** @type {Map<string, number>} */
    this.madeIds = new Map();
  }

  get isDifference() {
    return this.meta.events.some(event => event.role !== '');
  }

  /** The printed name of a function. @param {number} f */
  name(f) {
    return f < this.functions ? this.strings.at(f) : this.madeNames[f - this.functions];
  }

  /** The number of a name that no function of the profile has. @param {string} name */
  madeName(name) {
    let id = this.madeIds.get(name);
    if (id === undefined) {
      id = this.functions + this.madeNames.length;
      this.madeNames.push(name);
      this.madeIds.set(name, id);
    }
    return id;
  }

  /** Forgets all made names but the first ones. @param {number} count */
  forgetNames(count) {
    for (const name of this.madeNames.splice(count)) this.madeIds.delete(name);
  }

  /** How many numbers of functions there are. */
  get names() {
    return this.functions + this.madeNames.length;
  }
}

/** @typedef {{rows: number, bytes: Uint8Array}} Column */

/** @param {Map<string, Column>} columns @param {string} name @returns {Column} */
function column(columns, name) {
  const found = columns.get(name);
  if (!found) throw new DataError(`its data has no column ${name}`);
  return found;
}

/** @param {unknown} value @param {number} most @param {string} what @returns {number} */
function count(value, most, what) {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most)
    throw new DataError(`its data has a wrong number of ${what}`);
  return value;
}

const outOfRange = () => new DataError('its data refers to a row that is not there');

/** @param {Column} from @param {number} rows @param {number} limit */
function plain(from, rows, limit) {
  if (from.rows !== rows) throw new DataError('the columns of its data do not belong together');
  const values = new Int32Array(rows);
  const numbers = new Numbers(from.bytes);
  for (let i = 0; i < rows; ++i) {
    const value = numbers.next();
    if (value >= limit) throw outOfRange();
    values[i] = value;
  }
  numbers.end();
  return values;
}

/**
 * Numbers given as differences.
 * @param {Column} from @param {number} limit @param {number} [rows]
 */
function sums(from, limit, rows) {
  if (rows !== undefined && from.rows !== rows)
    throw new DataError('the columns of its data do not belong together');
  const signed = rows !== undefined;
  const values = new Int32Array(from.rows);
  const numbers = new Numbers(from.bytes);
  let value = 0;
  for (let i = 0; i < values.length; ++i) {
    value += signed ? numbers.nextSigned() : numbers.next();
    if (value < 0 || value >= limit) throw outOfRange();
    values[i] = value;
  }
  numbers.end();
  return values;
}

/** @param {Column} from @param {number} rows @returns {Float64Array} */
function ticks(from, rows) {
  if (from.rows !== rows) throw new DataError('the columns of its data do not belong together');
  const values = new Float64Array(rows);
  const numbers = new Numbers(from.bytes);
  let value = 0;
  for (let i = 0; i < rows; ++i) {
    value += numbers.nextSigned();
    if (value < 0 || !Number.isSafeInteger(value)) throw outOfRange();
    values[i] = value;
  }
  numbers.end();
  return values;
}

/** @param {Column} from */
function weights(from) {
  const values = new Float64Array(from.rows);
  const numbers = new Numbers(from.bytes);
  for (let i = 0; i < values.length; ++i) values[i] = numbers.next();
  numbers.end();
  return values;
}

/** @param {Column} from */
function parentsOf(from) {
  const parents = new Int32Array(from.rows + 1);
  const numbers = new Numbers(from.bytes);
  for (let i = 1; i < parents.length; ++i) {
    const back = numbers.next();
    if (back < 1 || back > i) throw outOfRange();
    parents[i] = i - back;
  }
  numbers.end();
  return parents;
}

/** @param {Column} sizes @param {number} end */
function startsOf(sizes, end) {
  const starts = new Uint32Array(sizes.rows + 1);
  const numbers = new Numbers(sizes.bytes);
  let at = 0;
  for (let i = 0; i < sizes.rows; ++i) {
    at += numbers.next();
    if (at > end) throw outOfRange();
    starts[i + 1] = at;
  }
  numbers.end();
  return starts;
}

/** @param {any} meta @returns {Meta} */
function checkedMeta(meta) {
  const isText = (/** @type {unknown} */ t) => typeof t === 'string';
  const good =
    meta &&
    typeof meta === 'object' &&
    isText(meta.title) &&
    isText(meta.subtitle) &&
    isText(meta.event) &&
    meta.look &&
    isText(meta.look.colors) &&
    isText(meta.look.count) &&
    meta.look.row >= 4 &&
    meta.look.font >= 1 &&
    Array.isArray(meta.events) &&
    meta.events.every(
      (/** @type {any} */ e) =>
        e &&
        isText(e.name) &&
        isText(e.group) &&
        isText(e.unit) &&
        Number.isInteger(e.decimals) &&
        e.decimals >= 0 &&
        Number.isFinite(e.unit_ns) &&
        e.unit_ns >= 0 &&
        isText(e.role),
    ) &&
    Array.isArray(meta.threads) &&
    meta.threads.every((/** @type {any} */ t) => Array.isArray(t) && isText(t[2])) &&
    Array.isArray(meta.about) &&
    meta.about.every((/** @type {any} */ a) => Array.isArray(a) && a.every(isText)) &&
    Array.isArray(meta.notes) &&
    meta.notes.every((/** @type {any} */ n) => n && isText(n.text)) &&
    meta.tick_ns > 0 &&
    Number.isFinite(meta.tick_ns) &&
    Array.isArray(meta.columns) &&
    (meta.sources === undefined ||
      (Array.isArray(meta.sources) && meta.sources.every(Array.isArray))) &&
    (meta.side_samples === undefined ||
      (Array.isArray(meta.side_samples) && meta.side_samples.length === 2));
  if (!good) throw new DataError('the description in its data is not complete');
  return meta;
}

const MAGIC = 'wickpage';
const VERSION = 1;

/**
 * The profile in unpacked bytes; a DataError if they are not one.
 * @param {Uint8Array} bytes @returns {Data}
 */
export function decode(bytes) {
  const head = MAGIC.length + 8;
  if (bytes.length < head || new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC)
    throw new DataError('its data is not a profile of wick');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(MAGIC.length, true);
  if (version !== VERSION)
    throw new DataError(`its data is of version ${version}; this viewer reads version ${VERSION}`);
  let at = head + view.getUint32(MAGIC.length + 4, true);
  if (at > bytes.length) throw new DataError('its data is cut off');
  let parsed;
  try {
    parsed = JSON.parse(new TextDecoder().decode(bytes.subarray(head, at)));
  } catch {
    throw new DataError('the description in its data cannot be read');
  }
  const meta = checkedMeta(parsed);
  /** @type {Map<string, Column>} */
  const columns = new Map();
  for (const [name, rows, size] of meta.columns) {
    count(size, bytes.length - at, 'bytes');
    count(rows, size, 'rows');
    columns.set(name, {rows, bytes: bytes.subarray(at, at + size)});
    at += size;
  }
  if (at !== bytes.length) throw new DataError('its data has another length than it says');
  return new Data(meta, columns);
}
