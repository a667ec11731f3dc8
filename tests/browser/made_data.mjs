// SPDX-License-Identifier: Apache-2.0
// The data of a page, made from a list of samples as src/render/page_data.h describes it: for tests
// with more profiles than wick can be run for.
import {fromBase64, gunzip} from '../../web/bytes.js';
import {decode} from '../../web/data.js';
import {madePage} from './made_page.mjs';

/** LEB128. */
function varint(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}
const zigzag = value => (value < 0 ? -2 * value - 1 : 2 * value);
const differences = (values, encode = v => v) =>
  values.map((value, i) => encode(value - (i > 0 ? values[i - 1] : 0)));

/** By bytes, as wick sorts names. */
const inOrder = names => [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

/** The tree of all stacks in preorder, siblings by name. */
function nodesOf(stacks) {
  const root = {children: new Map(), frame: null};
  for (const stack of stacks) {
    let node = root;
    for (const frame of stack) {
      if (!node.children.has(frame.name))
        node.children.set(frame.name, {children: new Map(), frame, parent: node});
      node = node.children.get(frame.name);
    }
  }
  const nodes = [];
  const walk = node => {
    node.number = nodes.length;
    nodes.push(node);
    for (const name of inOrder(node.children.keys())) walk(node.children.get(name));
  };
  walk(root);
  const find = stack => stack.reduce((node, {name}) => node.children.get(name), root).number;
  return {nodes, find};
}

/** The description in a page of wick, for what does not matter to a test. */
async function usualMeta() {
  const page = madePage('a 1\n');
  const bytes = await gunzip(fromBase64(page.match(/id="data">([^<]*)</)[1]));
  const end = 16 + Buffer.from(bytes).readUInt32LE(12);
  return JSON.parse(Buffer.from(bytes.subarray(16, end)).toString());
}
const USUAL = await usualMeta();

/**
 * @typedef {{name: string, module: string, kind: number}} Frame one for each name
 * @typedef {{stack: Frame[], thread: number, event: number, tick: number, weight: number}} Sample
 */
/**
 * @param {{samples: Sample[], events: object[], threads: [number, number, string][],
 *   hasTime?: boolean, tickNs?: number, sideSamples?: number[]}} profile
 */
export function madeData({samples, events, threads, ...rest}) {
  const {hasTime = false, tickNs = 1, sideSamples} = rest;
  const {nodes, find} = nodesOf(samples.map(({stack}) => stack));
  const frameOf = new Map();
  for (const {frame} of nodes) if (frame) frameOf.set(frame.name, frame);
  const functions = inOrder(frameOf.keys());
  const frames = functions.map(name => frameOf.get(name));
  const modules = [...new Set(frames.map(({module}) => module))];
  const strings = [...functions, '', ...modules].map(text => Buffer.from(text));
  const column = pick => samples.map(pick);
  const columns = [
    ['frame_function', differences(frames.map((_, i) => i))],
    ['frame_file', frames.map(() => functions.length)],
    ['frame_module', frames.map(({module}) => functions.length + 1 + modules.indexOf(module))],
    ['frame_line', frames.map(() => 0)],
    ['frame_kind', frames.map(({kind}) => kind)],
    ['frame_unnamed', frames.map(() => 0)],
    ['node_parent', nodes.slice(1).map(node => node.number - node.parent.number)],
    ['node_frame', nodes.slice(1).map(({frame}) => functions.indexOf(frame.name))],
    [
      'sample_tick',
      differences(
        column(s => s.tick),
        zigzag,
      ),
    ],
    [
      'sample_node',
      differences(
        column(s => find(s.stack)),
        zigzag,
      ),
    ],
    [
      'sample_thread',
      differences(
        column(s => s.thread),
        zigzag,
      ),
    ],
    [
      'sample_event',
      differences(
        column(s => s.event),
        zigzag,
      ),
    ],
    ['sample_weight', column(s => s.weight)],
    ['string_size', strings.map(text => text.length)],
  ].map(([name, values]) => ({name, rows: values.length, bytes: values.flatMap(varint)}));
  const text = Buffer.concat(strings);
  columns.push({name: 'text', rows: text.length, bytes: [...text]});
  const meta = JSON.stringify({
    ...USUAL,
    // Weights are plain numbers, also those of time.
    look: {...USUAL.look, count: 'units'},
    event: events[0].group,
    events: events.map(event => ({...USUAL.events[0], ...event})),
    threads,
    thread_names: [],
    functions: functions.length,
    has_time: hasTime,
    tick_ns: tickNs,
    samples: samples.length,
    ...(sideSamples ? {side_samples: sideSamples} : {}),
    columns: columns.map(({name, rows, bytes}) => [name, rows, bytes.length]),
  });
  const head = Buffer.alloc(16);
  head.write('wickpage');
  head.writeUInt32LE(1, 8);
  head.writeUInt32LE(Buffer.byteLength(meta), 12);
  const body = columns.map(({bytes}) => Buffer.from(bytes));
  return decode(new Uint8Array(Buffer.concat([head, Buffer.from(meta), ...body])));
}
