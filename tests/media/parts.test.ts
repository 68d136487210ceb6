/** A clip that is encoded in parts, which become one file. */
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvFrame } from '../../src/frame.ts';
import type { EncodedPart } from '../../src/media/parts.ts';
import { probeAudio } from '../../src/media/probe/probe-audio.ts';
import { decodeEvenYuv, decodeSmall, type Source } from '../../src/media/read/decode.ts';
import { encodePart, joinClip, onClock } from '../../src/media/write/encode.ts';
import { bannerOf, h264, makeClip, pattern, tone } from '../real/clip.ts';
import { ffmpegPath } from '../real/ffmpeg.ts';
import { at, encodeClip, ffmpeg, largest, probe, soon } from './clips.ts';

const test = suite('parts');

/** Time and duration of each packet, in the stream's ticks, in order of time. */
const packetsOf = async (path: string, stream = 'v'): Promise<string[]> => {
  const args = ['-v', 'error', '-i', path, '-map', `0:${stream}`, '-c', 'copy', '-f', 'framecrc'];
  const { stdout } = await execa(ffmpegPath, [...args, '-']);
  const lines = stdout.split('\n').filter((line) => /^\d/.test(line));
  const packets = lines.map((line) => line.split(',').slice(2, 4).map(Number));
  return packets.sort(([a = 0], [b = 0]) => a - b).map(([time, ticks]) => `${time}+${ticks}`);
};

const framesOf = async (path: string): Promise<YuvFrame[]> => {
  const info = await probe(path);
  const frames: YuvFrame[] = [];
  for await (const frame of decodeEvenYuv(path, info, { ffmpeg, signal: soon() }))
    frames.push(frame);
  return onClock(frames, info);
};

/** Time and colours of every other small picture of a source, which is or becomes `joined`, from inside its second part on. */
const glimpsesOf = async (source: Source, joined: string): Promise<unknown[]> => {
  const info = await probe(joined);
  const glimpses: unknown[] = [];
  const options = { longSide: 32, from: 0.65, every: 2, ffmpeg, signal: soon() };
  for await (const { time, duration, pixels } of decodeSmall(source, info, options))
    glimpses.push({ time, duration, pixels: pixels.toString('base64') });
  assert.ok(glimpses.length > 10);
  return glimpses;
};

const differences = (came: readonly string[], expected: readonly string[]): string[] =>
  Array.from({ length: Math.max(came.length, expected.length) }, (_, i) => i)
    .filter((i) => came[i] !== expected[i])
    .map((i) => `${i}: ${came[i]}, not ${expected[i]}`);

async function* each<T>(items: readonly T[]) {
  yield* items;
}

/** Encodes it whole, and in parts that begin at these frames. */
const both = async (path: string, starts: readonly number[]) => {
  const format = await probe(path);
  const frames = await framesOf(path);
  const seconds = frames.reduce((sum, { duration }) => sum + duration, 0);
  const sound = await makeClip(`${path}.wav`, tone(seconds));
  const info = await probeAudio({ path: sound, ffmpeg, limits: { seconds: 300 }, signal: soon() });
  const under = { path: sound, info, seconds };
  await encodeClip(each(frames), format, under, `${path}.whole.mp4`);
  const parts: EncodedPart[] = [];
  for (const [i, start] of starts.entries()) {
    const some = frames.slice(start, starts[i + 1]);
    const part = `${path}.${i}'s part.mp4`;
    await encodePart(each(some), { format, target: part, ffmpeg, signal: soon() });
    parts.push({ path: part, seconds: some.reduce((sum, { duration }) => sum + duration, 0) });
  }
  await joinClip(parts, {
    format,
    sound: under,
    target: `${path}.joined.mp4`,
    ffmpeg,
    signal: soon(),
  });
  return { frames, parts, whole: `${path}.whole.mp4`, joined: `${path}.joined.mp4` };
};

const clock = ['-fps_mode', 'vfr', '-enc_time_base', '1/90000'];
const clips = {
  'of 25 frames a second': ['a.mp4', pattern(3), h264],
  'with B-frames': ['b.mp4', pattern(3), ['-c:v', 'libx264', '-bf', '3', '-pix_fmt', 'yuv420p']],
  'of 30000/1001 frames a second': ['c.mp4', pattern(3, '30000/1001'), h264],
  'of 24000/1001 frames a second, in milliseconds': ['d.webm', pattern(3, '24000/1001'), []],
  'of 60 frames a second': ['e.mov', pattern(2, 60), h264],
  'of a variable rate': [
    'f.mp4',
    pattern(3, 30),
    ['-vf', "setpts='N*N/900/TB'", ...clock, ...h264],
  ],
  'that begins late': ['g.mp4', pattern(2), ['-vf', "setpts='PTS+0.4/TB'", ...h264]],
} as const;

for (const [name, [file, source, output]] of Object.entries(clips)) {
  test(`parts of a clip ${name} become what it is encoded whole, to the tick`, async () => {
    const path = await makeClip(at(file), source, output);
    const { frames, parts, whole, joined } = await both(path, [0, 17, 18, 41]);
    const [expected, came] = [await packetsOf(whole), await packetsOf(joined)];
    assert.is(came.length, frames.length);
    assert.equal(differences(came, expected), []);
    assert.equal(differences(await packetsOf(joined, 'a'), await packetsOf(whole, 'a')), []);
    const durationOf = (banner: string) => /Duration: \S+ start: \S+/.exec(banner)?.[0];
    assert.is(durationOf(await bannerOf(joined)), durationOf(await bannerOf(whole)));
    assert.equal(await glimpsesOf(parts, joined), await glimpsesOf(joined, joined));
    const again = await framesOf(joined);
    assert.is(again.length, frames.length);
    for (const [i, { pixels }] of again.entries()) {
      const was = frames[i]?.pixels ?? Buffer.alloc(0);
      const apart = pixels.reduce((sum, code, at) => sum + Math.abs(code - (was[at] ?? 255)), 0);
      assert.ok(apart / pixels.length < 3, `${apart / pixels.length} at ${i}`);
    }
    assert.ok(
      largest(
        again.map(({ time }) => time - (again[0]?.time ?? 0)),
        frames.map(({ time }) => time - (frames[0]?.time ?? 0)),
      ) < 1e-4,
    );
  });
}

test('parts that need other parameters are not joined', async () => {
  const format = await probe(await makeClip(at('h.mp4'), pattern(0.4), h264));
  const sound = await makeClip(at('h.wav'), tone(1));
  const info = await probeAudio({ path: sound, ffmpeg, limits: { seconds: 300 }, signal: soon() });
  const parts: EncodedPart[] = [];
  for (const size of ['64x48', '96x48']) {
    const path = await makeClip(at(`h-${size}.mp4`), pattern(0.4, 25, size), h264);
    parts.push({ path, seconds: 0.4 });
  }
  const under = { path: sound, info, seconds: 0.8 };
  const refused = await joinClip(parts, {
    format,
    sound: under,
    target: at('h.out.mp4'),
    ffmpeg,
    signal: soon(),
  }).then(() => 'joined', String);
  assert.match(refused, /other parameter sets/);
});

test.run();
