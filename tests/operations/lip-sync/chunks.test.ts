import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvFrame } from '../../../src/frame.ts';
import {
  chunksOf,
  encodeChunks,
  type FinishedFrame,
} from '../../../src/operations/lip-sync/render/chunks.ts';
import { openCheckpoints } from '../../../src/storage/checkpoints.ts';
import { at, probe, soon } from '../../media/clips.ts';
import { h264, makeClip, pattern, timesOf } from '../../real/clip.ts';
import { testConfig } from '../../real/config.ts';

const test = suite('chunks');

const timesOfFrames = (durations: readonly number[]) => {
  let time = 0;
  return durations.map((duration) => {
    const frame = { time, duration };
    time += duration;
    return frame;
  });
};
const even = (count: number, duration: number) => timesOfFrames(Array(count).fill(duration));

test('chunks are about as long as asked, and all frames are in them, once and in order', () => {
  const cases = [
    ...[even(1, 0.04), even(250, 0.04), even(374, 0.04), even(376, 0.04), even(7500, 0.04)],
    ...[even(18_000, 1 / 60), even(3, 25), timesOfFrames([0.04, 31, 0.04, 0.04, 9, 0.04])],
  ];
  for (const frames of cases) {
    const chunks = chunksOf(frames, 10);
    let next = 0;
    for (const { from, to, seconds } of chunks) {
      assert.is(from, next);
      assert.ok(to > from);
      const shown = frames.slice(from, to).reduce((sum, { duration }) => sum + duration, 0);
      assert.ok(Math.abs(shown - seconds) < 1e-6, `${shown}, not ${seconds}`);
      next = to;
    }
    assert.is(next, frames.length);
  }
  assert.equal(
    chunksOf(even(7500, 0.04), 10).map(({ from }) => from),
    Array.from({ length: 30 }, (_, i) => 250 * i),
  );
  assert.is(chunksOf(even(374, 0.04), 10).length, 1);
});

const format = await probe(await makeClip(at('look.mp4'), pattern(0.2), h264));
const config = testConfig();
const frames = even(75, 0.04);
const chunks = chunksOf(frames, 1);
const pixels = Buffer.alloc((64 * 48 * 3) / 2, 128);

type Given = { readonly opened: number[]; readonly closed: number[]; readonly failsAt?: number };
/** Frames from one on, of which every tenth was passed through. */
const framesOf = ({ opened, closed, failsAt }: Given) =>
  async function* (from: number): AsyncGenerator<FinishedFrame> {
    opened.push(from);
    try {
      for (let index = from; index < frames.length; index += 1) {
        if (index === failsAt) throw new Error('the model went away');
        const frame: YuvFrame = { width: 64, height: 48, pixels, index, ...timeOf(index) };
        yield { ...frame, passedThrough: index % 10 === 0 };
      }
    } finally {
      closed.push(from);
    }
  };
const timeOf = (index: number) => frames[index] ?? { time: 0, duration: 0 };

test('a second run begins after the last whole chunk, and counts the first one’s frames', async () => {
  const opened: number[] = [];
  const closed: number[] = [];
  const done: (readonly [number, number | null])[] = [];
  const report = (progress: { framesDone: number; framesTotal: number | null }) =>
    void done.push([progress.framesDone, progress.framesTotal]);
  const task = { config, report, signal: soon() };
  const run = (failsAt?: number) => async () => {
    const checkpoints = await openCheckpoints({ folder: at('work') }, ['options']);
    const given = { opened, closed, ...(failsAt === undefined ? {} : { failsAt }) };
    return encodeChunks(task, { checkpoints, chunks, format, open: framesOf(given) });
  };
  const error = await run(60)().then(String, String);
  assert.match(error, /went away/);
  assert.equal([opened, closed, done.at(-1)], [[0], [0], [60, 75]]);
  done.length = 0;
  const { parts, passedThrough } = await run()();
  assert.equal([opened, closed, passedThrough], [[0, 50], [0, 50], 8]);
  assert.equal(
    [done[0], done.at(-1)],
    [
      [50, 75],
      [75, 75],
    ],
  );
  assert.is(parts.length, 3);
  for (const { path, seconds } of parts) {
    assert.ok(Math.abs(seconds - 1) < 1e-9);
    assert.is((await timesOf(path)).length, 25);
  }
  const third = await run()();
  assert.equal([opened.length, third.passedThrough, third.parts], [2, 8, parts]);
});

test('a checkpoint is there whole or not at all, and only for its own origin', async () => {
  const checkpoints = await openCheckpoints({ folder: at('kept') }, { model: 'a' });
  const failed = checkpoints.put('name', async (path) => {
    writeFileSync(path, 'half');
    throw new Error('enough');
  });
  assert.match(await failed.then(String, String), /enough/);
  assert.equal([await checkpoints.has('name'), await checkpoints.read('name')], [false, null]);
  await checkpoints.put('name', async (path) => writeFileSync(path, 'whole'));
  assert.is(
    await (await openCheckpoints({ folder: at('kept') }, { model: 'a' })).read('name'),
    'whole',
  );
  assert.is(
    await (await openCheckpoints({ folder: at('kept') }, { model: 'b' })).read('name'),
    null,
  );
});

test('two attempts may write the same checkpoint at once', async () => {
  const checkpoints = [
    await openCheckpoints({ folder: at('two') }, 1),
    await openCheckpoints({ folder: at('two') }, 1),
  ];
  const put = checkpoints.map((one) =>
    one.put('name', async (path) => {
      writeFileSync(path, 'the same');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }),
  );
  await Promise.all(put);
  assert.is(await checkpoints[0]?.read('name'), 'the same');
});

test.run();
