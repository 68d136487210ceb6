/** The clip's pictures for all output frames, in every mode, from any frame on. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeEvenYuv } from '../../../src/media/read/decode.ts';
import type { IndexedVideo } from '../../../src/media/read/indexed-video.ts';
import { openMemory } from '../../../src/memory.ts';
import { layOut } from '../../../src/operations/lip-sync/plan/timeline.ts';
import { readSourceFrames } from '../../../src/operations/lip-sync/render/source-frames.ts';
import { at, ffmpeg, probe, soon } from '../../media/clips.ts';
import { numberedClip, numberOf } from '../../real/frame-numbers.ts';

const test = suite('source frames');

const filmOf = async (path: string): Promise<IndexedVideo> => {
  const info = await probe(path);
  const times: number[] = [];
  let end = 0;
  for await (const { time, duration } of decodeEvenYuv(path, info, { ffmpeg, signal: soon() })) {
    times.push(time);
    end = time + duration;
  }
  const [start = 0] = times;
  return { path, info, start, times: [...times, end].map((time) => time - start) };
};

const even = await filmOf(
  await numberedClip(at('even.mp4'), 60, ['-c:v', 'libx264', '-bf', '3', '-g', '300']),
);
const uneven = await filmOf(
  await numberedClip(
    at('uneven.webm'),
    60,
    ['-fps_mode', 'passthrough', '-c:v', 'libvpx-vp9', '-b:v', '500k'],
    ["setpts='(N*N/900+N/50+0.3)/TB'"],
  ),
);

for (const sync_mode of ['cut_off', 'loop', 'bounce', 'silence', 'remap'] as const) {
  for (const [name, film] of Object.entries({ even, uneven })) {
    test(`${sync_mode} shows of an ${name} clip what is laid out`, async () => {
      for (const soundSeconds of [1.5, 11]) {
        const frames = layOut(film.times, soundSeconds, { sync_mode });
        for (const from of [0, 21, Math.max(0, frames.length - 30)]) {
          const came: string[] = [];
          const means = { ffmpeg, signal: soon(), memory: openMemory() };
          for await (const frame of readSourceFrames(film, frames, from, means)) {
            const { crossfade, index, time, duration } = frame;
            const below = crossfade ? ` over ${numberOf(crossfade)} at ${crossfade.share}` : '';
            came.push(`${index}: ${numberOf(frame)}${below}, ${time} + ${duration}`);
          }
          const wanted = frames.map(({ source, crossfade, time, duration }, index) => {
            const below = crossfade ? ` over ${crossfade.source} at ${crossfade.share}` : '';
            return `${index}: ${source}${below}, ${time} + ${duration}`;
          });
          assert.equal(came, wanted.slice(from));
        }
      }
    });
  }
}

test('a receiver that stops early leaves no decoder behind', async () => {
  const laidOut = layOut(even.times, 11, { sync_mode: 'loop' });
  const frames = readSourceFrames(even, laidOut, 0, {
    ffmpeg,
    signal: soon(),
    memory: openMemory(),
  });
  for await (const { crossfade } of frames) if (crossfade) break;
  assert.is((await frames.next()).done, true);
});

test.run();
