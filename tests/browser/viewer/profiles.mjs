// SPDX-License-Identifier: Apache-2.0
// Profiles whose every number is known.
import {file} from '../browser.mjs';

const APP = {comm: 'app', pid: 100, tid: 100};
const WORKER = {comm: 'worker', pid: 100, tid: 101};
const TOOL = {comm: 'tool', pid: 200, tid: 200};
const CYCLES = {event: 'cycles', period: 1000};
const MISSES = {event: 'cache-misses', period: 7};

const PARSE = ['main /bin/app', 'parse /bin/app', 'read /lib/libc.so'];
const DRAW = ['main /bin/app', 'draw /bin/app', 'std::vector<int>::at /bin/app'];
const WORK = ['start /bin/app', 'work /bin/app', 'work /bin/app', 'leaf /bin/app'];
const USE_TOOL = ['main /bin/tool', 'std::vector<char>::at /bin/tool'];
const MISS = ['main /bin/app', 'parse /bin/app'];

/** A sample as perf script prints it; frames are "name module", outermost first. */
function sample(seconds, {comm, pid, tid}, {event, period}, frames) {
  const time = (10 + seconds).toFixed(6);
  const line = (frame, i) =>
    `\t${(0x1000 + 16 * i).toString(16)} ${frame.replace(/ (\S+)$/, '+0x1 ($1)')}\n`;
  const stack = [...frames].reverse().map(line).join('');
  return {seconds, text: `${comm} ${pid}/${tid} ${time}: ${period} ${event}: \n${stack}\n`};
}

/**
 * Two processes, three threads, two events, one second.
 * `app` parses for half a second, then draws; `worker` runs in parallel; `tool` is another process.
 */
export function timed() {
  const all = [];
  for (let i = 0; i < 100; ++i) {
    const t = i / 100;
    all.push(sample(t, APP, CYCLES, i < 50 ? PARSE : DRAW));
    if (i % 2 === 0) all.push(sample(t + 0.001, WORKER, CYCLES, WORK));
    if (i % 5 === 0) all.push(sample(t + 0.002, TOOL, CYCLES, USE_TOOL));
    if (i % 10 === 0) all.push(sample(t + 0.003, APP, MISSES, MISS));
  }
  all.sort((a, b) => a.seconds - b.seconds);
  return file(all.map(({text}) => text).join(''));
}

export const SAMPLES = `\
main;parse;read 30
main;parse;Reader::next 10
main;draw;flush 40
main;draw 10
idle 10
`;
