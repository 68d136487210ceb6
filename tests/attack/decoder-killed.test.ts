/** A decoder that is killed in the middle: never a shorter result, and never the caller's fault. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvFrame } from '../../src/frame.ts';
import { probeVideo } from '../../src/media/probe/probe.ts';
import { probeAudio } from '../../src/media/probe/probe-audio.ts';
import { decodeEvenYuv, decodeSmall, decodeVideo } from '../../src/media/read/decode.ts';
import { decodeAudio, decodeOwnAudio } from '../../src/media/read/decode-audio.ts';
import { framesAt, type IndexedVideo } from '../../src/media/read/indexed-video.ts';
import { openMemory } from '../../src/memory.ts';
import { at, encodeClip, ffmpeg, limits, probe, soon } from '../media/clips.ts';
import { failing } from '../media/failing.ts';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { killDecoders, killEncoders } from '../real/decoders.ts';
import { tempDir } from '../real/run.ts';

const test = suite('a killed decoder');

const clip = await makeClip(
  at('a.mp4'),
  [...pattern(8, 25, '320x180'), ...tone(8)],
  [...h264, '-c:a', 'aac'],
);
const info = await probe(clip);
const sound = await makeClip(at('a.wav'), tone(100));

/** Kills the decoder when so many pictures came, and takes the rest. */
const killedAfter = async (frames: AsyncIterable<{ readonly index: number }>, count: number) => {
  let came = 0;
  for await (const _ of frames) {
    came += 1;
    if (came === count) await killDecoders(process.pid);
  }
  return came;
};

for (const [when, count] of [
  ['before half of the frames', 40],
  ['after half of the frames', 130],
] as const) {
  test(`a video whose decoder is killed ${when} is no shorter video`, async () => {
    for (const frames of [
      decodeVideo(clip, info, { ffmpeg, signal: soon() }),
      decodeEvenYuv(clip, info, { ffmpeg, signal: soon() }),
      decodeSmall(clip, info, { longSide: 300, ffmpeg, signal: soon() }),
    ]) {
      const failure = await failing(killedAfter(frames, count), 'decode_failed');
      assert.ok(failure.retryable);
      assert.is(failure.status, 500);
      assert.match(failure.message, /SIGKILL/);
    }
  });
}

test('a clip whose decoder is killed while it is read a second time is no shorter clip', async () => {
  const times = Array.from({ length: 201 }, (_, i) => i / 25);
  const film: IndexedVideo = { path: clip, info, start: 0, times };
  for (const first of [0, 60]) {
    const places = Array.from({ length: 200 - first }, (_, i) => first + i);
    const means = { ffmpeg, signal: soon(), memory: openMemory() };
    await failing(killedAfter(framesAt(film, places, means), 100), 'decode_failed');
  }
});

test('a decoder that is not wanted any more is no failure', async () => {
  const frames: YuvFrame[] = [];
  for await (const frame of decodeEvenYuv(clip, info, { ffmpeg, signal: soon() })) {
    frames.push(frame);
    if (frames.length === 3) break;
  }
  assert.is(frames.length, 3);
});

test('pictures whose decoder is killed do not become a file', async () => {
  const told = await probeAudio({ path: sound, ffmpeg, limits: limits.audio, signal: soon() });
  const frames = async function* () {
    for await (const frame of decodeEvenYuv(clip, info, { ffmpeg, signal: soon() })) {
      if (frame.index === 130) await killDecoders(process.pid);
      yield frame;
    }
  };
  const made = encodeClip(frames(), info, { path: sound, info: told, seconds: 8 }, at('b.out.mp4'));
  await failing(made, 'decode_failed');
});

test('an encoder that is killed leaves no shorter file, and that is no fault of the pictures', async () => {
  const told = await probeAudio({ path: sound, ffmpeg, limits: limits.audio, signal: soon() });
  const frames = async function* () {
    for await (const frame of decodeEvenYuv(clip, info, { ffmpeg, signal: soon() })) {
      if (frame.index === 130) await killEncoders(process.pid);
      yield frame;
    }
  };
  const made = encodeClip(frames(), info, { path: sound, info: told, seconds: 8 }, at('c.out.mp4'));
  const failure = await failing(made, 'encode_failed');
  assert.ok(failure.retryable);
});

/** An ffmpeg, or ffprobe, that is killed when it has written half of a megabyte, or nothing. */
const dying = (path: string, bytes: number): string => {
  const script = join(tempDir('dying'), 'program');
  writeFileSync(script, `#!/bin/sh\n"${path}" "$@" | head -c ${bytes}\nkill -9 $$\n`);
  chmodSync(script, 0o755);
  return script;
};

test('a sound whose decoder is killed is no shorter sound', async () => {
  const told = await probeAudio({ path: sound, ffmpeg, limits: limits.audio, signal: soon() });
  for (const bytes of [0, 500_000]) {
    const killed = { ...ffmpeg, path: dying(ffmpeg.path, bytes) };
    await failing(decodeAudio(sound, told, { ffmpeg: killed, signal: soon() }), 'decode_failed');
    await failing(
      decodeOwnAudio(clip, info, { from: 0, ffmpeg: killed, signal: soon() }),
      'decode_failed',
    );
  }
});

test('a file whose look is killed is not called unreadable', async () => {
  for (const bytes of [0, 400]) {
    const [path, probePath] = [dying(ffmpeg.path, bytes), dying(ffmpeg.probePath, bytes)];
    for (const killed of [
      { ...ffmpeg, path },
      { ...ffmpeg, probePath },
    ]) {
      await failing(
        probeVideo({ path: clip, ffmpeg: killed, limits: limits.video, signal: soon() }),
        'decode_failed',
      );
      await failing(
        probeAudio({ path: sound, ffmpeg: killed, limits: limits.audio, signal: soon() }),
        'decode_failed',
      );
    }
  }
});

test.run();
