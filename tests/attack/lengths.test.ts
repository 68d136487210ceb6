/** Files whose headers or packets say that they are short, and that are long once they are decoded. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HEARD_RATE } from '../../src/media/heard.ts';
import { probeAudio } from '../../src/media/probe/probe-audio.ts';
import { decodeEvenYuv, decodeSmall, decodeVideo } from '../../src/media/read/decode.ts';
import { decodeAudio, decodeOwnAudio } from '../../src/media/read/decode-audio.ts';
import { realApi } from '../http/api.ts';
import { refused } from '../http/told.ts';
import { at, ffmpeg, probe, soon } from '../media/clips.ts';
import { failing } from '../media/failing.ts';
import { h264, makeClip, pattern } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';

const test = suite('lengths that lie');
const LIMIT = 300;
const api = await realApi();
const { http } = await api.caller();
const folder = tempDir('lengths');

const silence = (rate: number, seconds: number) => [
  ...['-f', 'lavfi', '-i', `anullsrc=r=${rate}:cl=mono`, '-t', String(seconds)],
];
const probeSound = (path: string) =>
  probeAudio({ path, ffmpeg, limits: { seconds: LIMIT }, signal: soon() });

/** Sounds of another rate behind a short one of a high rate, which a reader of headers takes for the rate of all. */
const joined = async (name: string, codec: readonly string[], rates: readonly [number, number]) => {
  const extension = name.slice(name.lastIndexOf('.'));
  const [fast, slow] = [join(folder, `fast${extension}`), join(folder, `slow${extension}`)];
  await makeClip(fast, silence(rates[0], 1), codec);
  await makeClip(slow, silence(rates[1], 1600), codec);
  writeFileSync(join(folder, name), Buffer.concat([readFileSync(fast), readFileSync(slow)]));
  return join(folder, name);
};

/** An MP4 whose table of times gives each packet so much less than it lasts (ISO 14496-12, 8.6.1.2). */
const hurried = async (
  path: string,
  source: readonly string[],
  codec: readonly string[],
  by: number,
) => {
  await makeClip(path, source, codec);
  const bytes = readFileSync(path);
  for (let stts = bytes.indexOf('stts'); stts > 0; stts = bytes.indexOf('stts', stts + 4)) {
    const entries = bytes.readUInt32BE(stts + 8);
    for (let i = 0; i < entries; i += 1) {
      const delta = stts + 12 + 8 * i + 4;
      bytes.writeUInt32BE(Math.max(1, Math.floor(bytes.readUInt32BE(delta) / by)), delta);
    }
  }
  writeFileSync(path, bytes);
  return path;
};

const lying: readonly [what: string, path: string][] = [
  [
    'an AAC that says 96 kHz and goes on with 7350 Hz',
    await joined('a.aac', ['-c:a', 'aac', '-b:a', '8k'], [96_000, 7350]),
  ],
  [
    'an MP3 that says 48 kHz and goes on with 8 kHz',
    await joined(
      'a.mp3',
      ['-c:a', 'libmp3lame', '-b:a', '8k', '-id3v2_version', '0', '-write_xing', '0'],
      [48_000, 8000],
    ),
  ],
  [
    'an M4A whose times are a hundredth of its samples',
    await hurried(join(folder, 'a.m4a'), silence(8000, 1600), ['-c:a', 'aac', '-b:a', '8k'], 100),
  ],
];

for (const [what, path] of lying) {
  test(`${what} is told to be too long, and no more of it than the limit is decoded`, async () => {
    assert.ok(statSync(path).size < 2_000_000);
    const peak = process.memoryUsage().rss;
    const from = performance.now();
    const { facts } = await failing(probeSound(path), 'media_too_long');
    assert.is(facts.limit_seconds, LIMIT);
    assert.ok(
      Number(facts.came_seconds) < LIMIT + 2 || path.endsWith('mp3'),
      `${facts.came_seconds}`,
    );
    assert.ok(performance.now() - from < 20_000);
    assert.ok(process.memoryUsage().rss - peak < 100e6);
  });
}

test('such a sound is refused over HTTP before there is a job', async () => {
  const form = new FormData();
  form.append('model', 'fast');
  const clip = await makeClip(join(folder, 'c.mp4'), pattern(1), h264);
  form.append('video', new Blob([Uint8Array.from(readFileSync(clip))]), 'x');
  form.append('audio', new Blob([Uint8Array.from(readFileSync(lying[0]?.[1] ?? ''))]), 'y');
  refused(await http.post('/v1/lipsync/estimate', form), 413, 'media_too_long');
});

test('a sound that changes its rate is refused, and that is said', async () => {
  const [fast, slow] = [join(folder, 'd1.aac'), join(folder, 'd2.aac')];
  await makeClip(fast, silence(48_000, 2), ['-c:a', 'aac']);
  await makeClip(slow, silence(8000, 3), ['-c:a', 'aac']);
  const path = join(folder, 'd.aac');
  writeFileSync(path, Buffer.concat([readFileSync(fast), readFileSync(slow)]));
  const { message } = await failing(probeSound(path), 'media_unreadable');
  assert.match(message, /^The sound .* sample rate or number of channels changes/);
});

test('of a sound that was measured to be short no more is ever held', async () => {
  const path = await makeClip(join(folder, 'e.wav'), silence(16_000, 100));
  const info = { ...(await probeSound(path)), durationSeconds: 2 };
  assert.is((await decodeAudio(path, info, { ffmpeg, signal: soon() })).length, 3 * HEARD_RATE);
  const both = [...pattern(2), ...silence(16_000, 100)];
  const clip = await makeClip(join(folder, 'e.mp4'), both, [...h264, '-c:a', 'aac']);
  const heard = await decodeOwnAudio(clip, await probe(clip), { from: 0, ffmpeg, signal: soon() });
  assert.is(heard.length, 3 * HEARD_RATE);
});

test('a video that has more pictures than its packets said is stopped', async () => {
  const clip = await makeClip(at('f.mp4'), pattern(4), h264);
  const info = { ...(await probe(clip)), frames: 20 };
  for (const frames of [
    decodeVideo(clip, info, { ffmpeg, signal: soon() }),
    decodeEvenYuv(clip, info, { ffmpeg, signal: soon() }),
    decodeSmall(clip, info, { longSide: 64, ffmpeg, signal: soon() }),
  ]) {
    let came = 0;
    const read = async () => {
      for await (const _ of frames) came += 1;
    };
    await failing(read(), 'media_unreadable');
    assert.ok(came < 40, `${came}`);
  }
});

test('a video whose first picture is small and whose others are larger than may come is not decoded', async () => {
  const picture = async (name: string, size: string) => {
    const path = await makeClip(join(folder, name), pattern(0.04, 25, size), ['-c:v', 'mjpeg']);
    return readFileSync(path);
  };
  const [small, large] = [await picture('s.mjpeg', '16x16'), await picture('l.mjpeg', '5008x5008')];
  const stream = join(folder, 'jumps.mjpeg');
  writeFileSync(stream, Buffer.concat([small, large, large, large]));
  const clip = at('jumps.avi');
  await makeClip(clip, ['-framerate', '25', '-f', 'mjpeg', '-i', stream], ['-c', 'copy']);
  const info = await probe(clip);
  assert.equal(info.size, { width: 16, height: 16 });
  const read = async () => {
    for await (const _ of decodeVideo(clip, info, { ffmpeg, signal: soon() }));
  };
  const { facts } = await failing(read(), 'media_unreadable');
  assert.match(String(facts.reason), /1 of 4 pictures could be decoded/);
});

test('more sound than anybody pays for is refused, though each track is small', async () => {
  const clip = at('tracks.mov');
  const tracks = Array.from({ length: 5 }, () => ['-map', '1:a']).flat();
  const sound = ['-f', 'lavfi', '-i', 'anullsrc=cl=7.1:r=8000', '-t', '0.2'];
  const source = [...pattern(0.2, 25, '32x32'), ...sound];
  await makeClip(clip, source, ['-map', '0:v', ...tracks, ...h264, '-c:a', 'pcm_s16le']);
  const { facts } = await failing(probe(clip), 'media_unreadable');
  assert.match(String(facts.reason), /40 audio channels/);
});

test('a second of 10,000 pictures is refused by their number, before all of them are listed', async () => {
  const many = ['-f', 'lavfi', '-i', 'color=black:size=16x16:rate=25:duration=2000'];
  const codec = [
    '-vf',
    'setpts=N/(50000*TB)',
    '-fps_mode',
    'passthrough',
    '-enc_time_base',
    '1/50000',
  ];
  const path = await makeClip(join(folder, 'g.mp4'), many, [...codec, ...h264, '-bf', '0']);
  const strict = await realApi({ VIDEO_MAX_FPS: '1', VIDEO_MAX_SECONDS: '600' });
  try {
    const form = new FormData();
    form.append('model', 'photo');
    form.append('scale', '2');
    form.append('video', new Blob([Uint8Array.from(readFileSync(path))]), 'x');
    const caller = await strict.caller();
    const { detail } = refused(
      await caller.http.post('/v1/upscale/estimate', form),
      413,
      'media_too_long',
    );
    assert.match(detail, /at most 600 frames; got 601/);
  } finally {
    await strict.close();
  }
});

test.after(api.close);
test.run();
