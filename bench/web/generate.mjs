// SPDX-License-Identifier: Apache-2.0
// generate.mjs NODES SECONDS FILE: a profile in speedscope's format whose stacks form a tree of NODES
// distinct nodes: eight threads, a sample in each of them every eight milliseconds.
// The same bytes for the same arguments.
import {closeSync, openSync, writeSync} from 'node:fs';

const [nodes, seconds, path] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
const THREADS = 8;
const FUNCTIONS = 6000;
const PERIOD_MS = 8;

let seed = 42;
const random = below => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

const WORDS = [
  'read',
  'write',
  'parse',
  'merge',
  'index',
  'block',
  'cache',
  'entry',
  'node',
  'table',
  'batch',
  'queue',
  'lock',
  'buffer',
  'decode',
  'filter',
  'scan',
  'commit',
  'route',
  'session',
];
const word = () => WORDS[random(WORDS.length)];
const frames = Array.from({length: FUNCTIONS}, (_, i) => ({
  name:
    i % 3 === 0
      ? `app::${word()}::${word()}_${word()}<std::${word()}<${word()}_type>, ${word()}_traits>::${word()}_${i}`
      : `${word()}_${word()}_${word()}_${i}`,
}));

// Children of each node; most walks take the first ones.
const children = [[]];
const func = [0];
let count = 1;
/** The functions of a walk from the root that makes new nodes, until there are enough. */
function walk(thread) {
  const stack = [];
  let node = 0;
  const depth = 14 + random(30);
  for (let level = 0; level < depth; ++level) {
    const pick =
      level === 0
        ? thread
        : Math.floor((4 + ((node * 7 + level) % 20)) * Math.pow(random(1 << 20) / (1 << 20), 10));
    const list = children[node];
    if (list[pick] === undefined) {
      if (count > nodes) break;
      list[pick] = count;
      func[count] = Math.abs(Math.imul(node + 1, 40503) + pick * 977 + level) % FUNCTIONS;
      children[count++] = [];
    }
    node = list[pick];
    stack.push(func[node]);
  }
  return `[${stack}]`;
}
/** The distinct stacks of each thread. */
const distinct = Array.from({length: THREADS}, () => []);
while (count <= nodes)
  for (let thread = 0; thread < THREADS; ++thread) distinct[thread].push(walk(thread));

const out = openSync(path, 'w');
writeSync(
  out,
  `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":${JSON.stringify(frames)}},"profiles":[`,
);
const each = Math.round((seconds * 1000) / PERIOD_MS);
// Each stack comes up in its turn; between, a few come often and most seldom.
const stacks = distinct.map(list =>
  Array.from({length: each}, (_, i) => {
    const turn = Math.floor((i * list.length) / each);
    return list[
      i === 0 || turn > Math.floor(((i - 1) * list.length) / each)
        ? turn
        : Math.floor(list.length * Math.pow(random(1 << 20) / (1 << 20), 3))
    ];
  }),
);
stacks.forEach((list, thread) => {
  writeSync(
    out,
    `${thread > 0 ? ',' : ''}{"type":"sampled","name":"worker-${thread}","unit":"milliseconds","startValue":0,"endValue":${each * PERIOD_MS},"samples":[`,
  );
  for (let i = 0; i < list.length; i += 10000)
    writeSync(out, (i > 0 ? ',' : '') + list.slice(i, i + 10000).join(','));
  writeSync(out, `],"weights":[${new Array(each).fill(PERIOD_MS).join(',')}]}`);
});
writeSync(out, ']}');
closeSync(out);
console.log(`${count - 1} nodes, ${distinct.flat().length} stacks, ${each * THREADS} samples`);
