import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvFrame } from '../../../src/frame.ts';
import {
  chunksOf,
  encodeChunks,
  type Finished,
} from '../../../src/operations/lip-sync/render/chunks.ts';
import { openKept } from '../../../src/storage/checkpoints.ts';
import { at, probe, soon } from '../../media/clips.ts';
import { h264, makeClip, pattern, timesOf } from '../../real/clip.ts';
import { testConfig } from '../../real/config.ts';

const test = suite('chunks');

const shotsOf = (durations: readonly number[]) => {
  let time = 0;
  return durations.map((duration) => {
    const shot = { time, duration };
    time += duration;
    return shot;
  });
};
const even = (count: number, duration: number) => shotsOf(Array(count).fill(duration));

test('chunks are about as long as asked, and all shots are in them, once and in order', () => {
  const cases = [
    ...[even(1, 0.04), even(250, 0.04), even(374, 0.04), even(376, 0.04), even(7500, 0.04)],
    ...[even(18_000, 1 / 60), even(3, 25), shotsOf([0.04, 31, 0.04, 0.04, 9, 0.04])],
  ];
  for (const shots of cases) {
    const chunks = chunksOf(shots, 10);
    let next = 0;
    for (const { from, to, seconds } of chunks) {
      assert.is(from, next);
      assert.ok(to > from);
      const shown = shots.slice(from, to).reduce((sum, { duration }) => sum + duration, 0);
      assert.ok(Math.abs(shown - seconds) < 1e-6, `${shown}, not ${seconds}`);
      next = to;
    }
    assert.is(next, shots.length);
  }
  assert.equal(
    chunksOf(even(7500, 0.04), 10).map(({ from }) => from),
    Array.from({ length: 30 }, (_, i) => 250 * i),
  );
  assert.is(chunksOf(even(374, 0.04), 10).length, 1);
});

const look = await probe(await makeClip(at('look.mp4'), pattern(0.2), h264));
const config = testConfig();
const shots = even(75, 0.04);
const chunks = chunksOf(shots, 1);
const pixels = Buffer.alloc((64 * 48 * 3) / 2, 128);

type Given = { readonly opened: number[]; readonly closed: number[]; readonly failsAt?: number };
/** Frames from one on, of which every tenth was passed through. */
const framesOf = ({ opened, closed, failsAt }: Given) =>
  async function* (from: number): AsyncGenerator<Finished> {
    opened.push(from);
    try {
      for (let index = from; index < shots.length; index += 1) {
        if (index === failsAt) throw new Error('the model went away');
        const frame: YuvFrame = { width: 64, height: 48, pixels, index, ...timeOf(index) };
        yield { ...frame, passed: index % 10 === 0 };
      }
    } finally {
      closed.push(from);
    }
  };
const timeOf = (index: number) => shots[index] ?? { time: 0, duration: 0 };

test('a second run begins after the last whole chunk, and counts the first one’s frames', async () => {
  const opened: number[] = [];
  const closed: number[] = [];
  const done: (readonly [number, number | null])[] = [];
  const report = (progress: { framesDone: number; framesTotal: number | null }) =>
    void done.push([progress.framesDone, progress.framesTotal]);
  const task = { config, report, signal: soon() };
  const run = (failsAt?: number) => async () => {
    const kept = await openKept(at('work'), ['options']);
    const given = { opened, closed, ...(failsAt === undefined ? {} : { failsAt }) };
    return encodeChunks(task, kept, chunks, look, framesOf(given));
  };
  const error = await run(60)().then(String, String);
  assert.match(error, /went away/);
  assert.equal([opened, closed, done.at(-1)], [[0], [0], [60, 75]]);
  done.length = 0;
  const { parts, passed } = await run()();
  assert.equal([opened, closed, passed], [[0, 50], [0, 50], 8]);
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
  assert.equal([opened.length, third.passed, third.parts], [2, 8, parts]);
});

test('what is kept is there whole or not at all, and only for what it was made from', async () => {
  const kept = await openKept(at('kept'), { model: 'a' });
  const failed = kept.put('name', async (path) => {
    writeFileSync(path, 'half');
    throw new Error('enough');
  });
  assert.match(await failed.then(String, String), /enough/);
  assert.equal([await kept.has('name'), await kept.read('name')], [false, null]);
  await kept.put('name', async (path) => writeFileSync(path, 'whole'));
  assert.is(await (await openKept(at('kept'), { model: 'a' })).read('name'), 'whole');
  assert.is(await (await openKept(at('kept'), { model: 'b' })).read('name'), null);
});

test('two attempts may make the same thing at once', async () => {
  const kept = [await openKept(at('two'), 1), await openKept(at('two'), 1)];
  const put = kept.map((one) =>
    one.put('name', async (path) => {
      writeFileSync(path, 'the same');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }),
  );
  await Promise.all(put);
  assert.is(await kept[0]?.read('name'), 'the same');
});

test.run();
