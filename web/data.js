// SPDX-License-Identifier: Apache-2.0
// The profile in the page, as src/render/page_data.h describes it. Everything is checked here,
// once, so that other modules can rely on it.
import {DataError} from './bytes.js';
import {
  ascendingNumbers,
  plainNumbers,
  readParents,
  readTicks,
  readWeights,
  Strings,
  summedNumbers,
} from './columns.js';
import {isLasting} from './filter.js';
import {MadeNames} from './shape.js';

/** @typedef {import('./columns.js').Column} Column */

/**
 * @typedef {''|'on-cpu'|'off-cpu'|'wall'|'trace-clock'} Time
 */
/**
 * @typedef {object} EventInfo
 * @property {string} name
 * @property {string} group events of one group are shown as one
 * @property {string} unit
 * @property {number} decimals of weights
 * @property {boolean} counts_samples
 * @property {number} samples that a profiler took of it; 0: not known
 * @property {number} weight of all of them
 * @property {number} unnamed the part of it that ended in code without a name
 * @property {number} begin its first sample, since that of the profile, in nanoseconds
 * @property {number} end its last one; of a trace, the end of the whole, in units of its clock
 * @property {number} unit_ns 0: the unit is not one of time
 * @property {boolean} is_clock its samples are stretches of a trace
 * @property {Time} time what its samples stand for
 * @property {''|'before'|'after'} role in a difference
 */
/**
 * How pictures look, chosen when the page was written.
 * @typedef {object} Look
 * @property {string} colors
 * @property {boolean} [colors_chosen] by an option of the command line
 * @property {boolean} hash
 * @property {boolean} deterministic
 * @property {boolean} negate
 * @property {boolean} [absolute] a difference is not normalised at first
 * @property {boolean} inverted
 * @property {boolean} chart
 * @property {boolean} reversed
 * @property {number} row
 * @property {number} font
 * @property {string} count the unit; '': that of the event
 * @property {boolean} cut_right
 */
/**
 * Something that is missing.
 * @typedef {object} Note
 * @property {string} text
 * @property {boolean} loss it takes something from the result
 * @property {boolean} cut_off the input ends in the middle
 * @property {boolean} repeats another loss, which took this too, is a note of its own
 * @property {number} [share] of the whole that it takes, where that is known
 */
/**
 * @typedef {object} Meta
 * @property {string} title
 * @property {string} subtitle
 * @property {Look} look
 * @property {number} functions how many names there are, including those of threads
 * @property {number[]} thread_names which of them are names of threads and processes
 * @property {boolean} has_time
 * @property {number} tick_ns
 * @property {number} start_ns
 * @property {boolean} summed samples were added up
 * @property {number} samples
 * @property {string} event the group to show first
 * @property {EventInfo[]} events
 * @property {[number, number, string][]} threads pid, tid (-1: unknown) and name
 * @property {[string, string][]} about
 * @property {{command: string, date: string, cpus: number}} recorded '' or 0: not known
 * @property {Note[]} notes
 * @property {[number, number]} [side_samples] of a difference
 * @property {[number, number][]} [sources] strings: file and its text
 * @property {[number, number, number, string][]} [code] functions: the strings of module, name and
 *   instructions, and the address in hexadecimal
 * @property {[string, number, number][]} columns name, rows and bytes
 */

/** A profile. Node 0 is the root; parents precede their children. */
export class Data {
  /** @param {Meta} meta @param {Map<string, Column>} columns */
  constructor(meta, columns) {
    this.meta = meta;
    const column = (/** @type {string} */ name) => {
      const found = columns.get(name);
      if (!found) throw new DataError(`its data has no column ${name}`);
      return found;
    };
    this.strings = new Strings(column('string_size'), column('text'));
    this.functions = checkedCount(meta.functions, this.strings.size, 'functions');

    /** 1 for names of threads. */
    this.isThreadName = new Uint8Array(this.functions);
    for (const f of meta.thread_names)
      this.isThreadName[checkedCount(f, this.functions - 1, 'a thread name')] = 1;

    const frames = column('frame_function').rows;
    this.frameFunction = ascendingNumbers(column('frame_function'), this.functions);
    this.frameFile = plainNumbers(column('frame_file'), frames, this.strings.size);
    this.frameModule = plainNumbers(column('frame_module'), frames, this.strings.size);
    this.frameLine = plainNumbers(column('frame_line'), frames, 2 ** 31);
    this.frameKind = Uint8Array.from(plainNumbers(column('frame_kind'), frames, 256));
    /** 1 for code whose function is not known by name. */
    this.frameUnnamed = Uint8Array.from(plainNumbers(column('frame_unnamed'), frames, 2));

    const isInCode = columns.has('frame_code');
    /** 1 + the number of the code that a frame ends a stack in; 0: none; null: there is no code. */
    this.frameCode = isInCode
      ? plainNumbers(column('frame_code'), frames, (meta.code ?? []).length + 1)
      : null;
    /** The instruction, counted from the beginning of the function. */
    this.frameOffset = isInCode ? plainNumbers(column('frame_offset'), frames, 2 ** 31) : null;

    this.nodeParent = readParents(column('node_parent'));
    this.nodes = this.nodeParent.length;
    this.nodeFrame = new Int32Array(this.nodes);
    this.nodeFrame.set(plainNumbers(column('node_frame'), this.nodes - 1, frames), 1);
    this.nodeFrame[0] = -1;

    const rows = column('sample_weight').rows;
    this.samples = rows;
    this.sampleTick = readTicks(column('sample_tick'), rows);
    this.sampleNode = summedNumbers(column('sample_node'), rows, this.nodes);
    this.sampleThread = summedNumbers(column('sample_thread'), rows, meta.threads.length);
    this.sampleEvent = summedNumbers(column('sample_event'), rows, meta.events.length);
    this.sampleWeight = readWeights(column('sample_weight'));
    /** The unit of times if it is not nanoseconds. */
    this.clock = meta.events.find(event => event.is_clock)?.unit ?? '';
    /** The end of the last sample, in ticks. */
    this.duration = this.lastEnd();
    this.checkSources();
    /** The names that the shown transforms made. */
    this.made = new MadeNames(this.functions);
  }

  /** What has a duration lasts as long as its weight, any other sample for a tick. */
  lastEnd() {
    const lasting = this.meta.events.map(isLasting);
    const {tick_ns: tickNs} = this.meta;
    let end = 0;
    for (let i = 0; i < this.samples; ++i) {
      const ticks = lasting[this.sampleEvent[i]]
        ? Math.max(1, Math.ceil(this.sampleWeight[i] / tickNs))
        : 1;
      end = Math.max(end, this.sampleTick[i] + ticks);
    }
    return end;
  }

  checkSources() {
    const isString = (/** @type {unknown} */ i) =>
      Number.isInteger(i) && Number(i) >= 0 && Number(i) < this.strings.size;
    for (const row of this.meta.sources ?? [])
      if (!row.every(isString))
        throw new DataError('its data refers to a string that does not exist');
    for (const row of this.meta.code ?? [])
      if (!row.slice(0, 3).every(isString) || !/^[0-9a-f]{1,16}$/.test(row[3]))
        throw new DataError('its data refers to code that does not exist');
  }

  /** Functions whose instructions are in the page. */
  get code() {
    return (this.meta.code ?? []).map(([module, name, text, start]) => ({
      module: this.strings.at(module),
      name: this.strings.at(name),
      text,
      start: BigInt('0x' + start),
    }));
  }

  get isDifference() {
    return this.meta.events.some(event => event.role !== '');
  }

  /** The printed name of a function. @param {number} f */
  name(f) {
    return f < this.functions ? this.strings.at(f) : this.made.names[f - this.functions];
  }

  /** Whether a name is that of a function, not of a thread. @param {number} f */
  isFunction(f) {
    return f >= this.functions || this.isThreadName[f] === 0;
  }

  /** How many functions there are, without made names. */
  get functionCount() {
    return this.functions - new Set(this.meta.thread_names).size;
  }

  /**
   * The number of a name: of a function and a thread of one name, the function; -1: there is none.
   * @param {string} name
   */
  functionNamed(name, made = this.made) {
    for (let f = 0; f < this.functions; ++f) if (this.name(f) === name) return f;
    return made.ids.get(name) ?? -1;
  }

  /** The number of functions and made names. */
  get names() {
    return this.made.end;
  }
}

/** @param {unknown} value @param {number} most @param {string} what @returns {number} */
function checkedCount(value, most, what) {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most)
    throw new DataError(`the number of ${what} in its data is wrong`);
  return value;
}

/** @param {unknown} value */
const isText = value => typeof value === 'string';

/** @param {unknown} value @param {(item: any) => boolean} isValid */
const isListOf = (value, isValid) => Array.isArray(value) && value.every(isValid);

/** @param {unknown} value */
const isNumberFrom0 = value => Number.isFinite(value) && Number(value) >= 0;

/** @param {any} look */
const isLook = look =>
  look && isText(look.colors) && isText(look.count) && look.row >= 4 && look.font >= 1;

/** @param {any} event */
const isEvent = event =>
  event &&
  [event.name, event.group, event.unit, event.role].every(isText) &&
  Number.isInteger(event.decimals) &&
  event.decimals >= 0 &&
  [event.unit_ns, event.samples, event.weight, event.unnamed].every(isNumberFrom0) &&
  [event.begin, event.end].every(isNumberFrom0);

/** @param {any} note */
const isNote = note =>
  note && isText(note.text) && (note.share === undefined || isNumberFrom0(note.share));

/** @param {any} recorded */
const isRecorded = recorded =>
  recorded && [recorded.command, recorded.date].every(isText) && isNumberFrom0(recorded.cpus);

/** @param {any} meta @returns {Meta} */
function checkedMeta(meta) {
  const isValid =
    meta &&
    typeof meta === 'object' &&
    [meta.title, meta.subtitle, meta.event].every(isText) &&
    isLook(meta.look) &&
    isListOf(meta.events, isEvent) &&
    isListOf(meta.threads, thread => Array.isArray(thread) && isText(thread[2])) &&
    Array.isArray(meta.thread_names) &&
    isListOf(meta.about, fact => isListOf(fact, isText)) &&
    isListOf(meta.notes, isNote) &&
    isRecorded(meta.recorded) &&
    meta.tick_ns > 0 &&
    Number.isFinite(meta.tick_ns) &&
    Array.isArray(meta.columns) &&
    isListOf(meta.sources ?? [], Array.isArray) &&
    isListOf(meta.code ?? [], Array.isArray) &&
    (meta.side_samples === undefined ||
      (Array.isArray(meta.side_samples) && meta.side_samples.length === 2));
  if (!isValid) throw new DataError('the description in its data is incomplete');
  return meta;
}

const MAGIC = 'wickpage';
const VERSION = 1;

/** The description, and where it ends. @param {Uint8Array} bytes @returns {[Meta, number]} */
function decodeMeta(bytes) {
  const text = (/** @type {number} */ from, /** @type {number} */ to) =>
    new TextDecoder().decode(bytes.subarray(from, to));
  const begin = MAGIC.length + 8;
  if (bytes.length < begin || text(0, MAGIC.length) !== MAGIC)
    throw new DataError('its data is not a wick profile');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(MAGIC.length, true);
  if (version !== VERSION)
    throw new DataError(
      `its data has version ${version}, but this viewer reads version ${VERSION}`,
    );
  const end = begin + view.getUint32(MAGIC.length + 4, true);
  if (end > bytes.length) throw new DataError('its data is cut off');
  try {
    return [JSON.parse(text(begin, end)), end];
  } catch {
    throw new DataError('the description in its data cannot be read');
  }
}

/**
 * The profile in unpacked bytes. Throws a DataError if they are damaged.
 * @param {Uint8Array} bytes @returns {Data}
 */
export function decode(bytes) {
  const [description, end] = decodeMeta(bytes);
  const meta = checkedMeta(description);
  /** @type {Map<string, Column>} */
  const columns = new Map();
  let at = end;
  for (const [name, rows, size] of meta.columns) {
    checkedCount(size, bytes.length - at, 'bytes');
    checkedCount(rows, size, 'rows');
    columns.set(name, {rows, bytes: bytes.subarray(at, at + size)});
    at += size;
  }
  if (at !== bytes.length) throw new DataError('its data has the wrong length');
  return new Data(meta, columns);
}
