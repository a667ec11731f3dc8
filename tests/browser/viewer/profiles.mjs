// SPDX-License-Identifier: Apache-2.0
// Profiles whose every number is known. Two processes, three threads, two events, one second.
import {file} from '../browser.mjs';

/** One sample as perf script prints it; frames are "name module", outermost first. */
const sample = (comm, pid, tid, seconds, period, event, ...frames) => ({
  seconds,
  text:
    `${comm} ${pid}/${tid} ${(10 + seconds).toFixed(6)}: ${period} ${event}: \n` +
    frames
      .reverse()
      .map(
        (frame, i) =>
          `\t${(0x1000 + 16 * i).toString(16)} ${frame.replace(/ (\S+)$/, '+0x1 ($1)')}\n`,
      )
      .join('') +
    '\n',
});

/**
 * `app` parses for half a second, then draws; `worker` works beside it, `tool` is another process.
 */
export function timed() {
  const all = [];
  for (let i = 0; i < 100; ++i) {
    const t = i / 100;
    all.push(
      i < 50
        ? sample(
            'app',
            100,
            100,
            t,
            1000,
            'cycles',
            'main /bin/app',
            'parse /bin/app',
            'read /lib/libc.so',
          )
        : sample(
            'app',
            100,
            100,
            t,
            1000,
            'cycles',
            'main /bin/app',
            'draw /bin/app',
            'std::vector<int>::at /bin/app',
          ),
    );
    if (i % 2 === 0)
      all.push(
        sample(
          'worker',
          100,
          101,
          t + 0.001,
          1000,
          'cycles',
          'start /bin/app',
          'work /bin/app',
          'work /bin/app',
          'leaf /bin/app',
        ),
      );
    if (i % 5 === 0)
      all.push(
        sample(
          'tool',
          200,
          200,
          t + 0.002,
          1000,
          'cycles',
          'main /bin/tool',
          'std::vector<char>::at /bin/tool',
        ),
      );
    if (i % 10 === 0)
      all.push(
        sample('app', 100, 100, t + 0.003, 7, 'cache-misses', 'main /bin/app', 'parse /bin/app'),
      );
  }
  return file(
    all
      .sort((a, b) => a.seconds - b.seconds)
      .map(s => s.text)
      .join(''),
  );
}

export const SAMPLES = `\
main;parse;read 30
main;parse;Reader::next 10
main;draw;flush 40
main;draw 10
idle 10
`;
