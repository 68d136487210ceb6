/** What ffmpeg writes about streams and pictures, from release 5 to 9. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseClock, parseColour, parseShown } from '../../src/media/showinfo.ts';
import { readStreams } from '../../src/media/streams.ts';

const test = suite('told');
const prefix = '[Parsed_showinfo_0 @ 0x5555e911d280] [info] ';

test('a picture as release 5 tells it', () => {
  const line = `${prefix}n:   3 pts:    512 pts_time:0.04    pos:     8093 fmt:yuv420p sar:12/11 s:180x320 i:P iskey:0 type:B `;
  assert.equal(parseShown(line), {
    ...{ pts: 512, size: { width: 180, height: 320 }, sampleAspect: { num: 12, den: 11 } },
    ...{ pixelFormat: 'yuv420p', interlaced: false },
  });
});

test('a picture as release 9 tells it', () => {
  const line = `${prefix}n:   0 pts:     -7 pts_time:-0.007   duration:    512 duration_time:0.04    fmt:yuv420p10le cl:left sar:0/1 s:320x180 i:T iskey:1 type:I `;
  assert.equal(parseShown(line), {
    ...{ pts: -7, size: { width: 320, height: 180 }, sampleAspect: { num: 1, den: 1 } },
    ...{ pixelFormat: 'yuv420p10le', interlaced: true },
  });
});

test('a picture without a time', () => {
  const line = `${prefix}n:   0 pts: NOPTS pts_time:NOPTS   fmt:gray sar:1/1 s:2x2 i:P iskey:1 type:I `;
  assert.is(parseShown(line)?.pts, null);
});

test('other lines tell of no picture', () => {
  for (const line of [`${prefix}config in time_base: 1/25, frame_rate: 25/1`, '', 'n: 0 pts: 1 ']) {
    assert.is(parseShown(line), null);
  }
});

test('the clock of a filter', () => {
  const clock = parseClock(`${prefix}config in time_base: 1001/30000, frame_rate: 30000/1001`);
  assert.equal(clock, { num: 1001, den: 30000 });
  assert.is(parseClock(`${prefix}config out time_base: 0/0, frame_rate: 0/0`), null);
});

test('colour tags, and their absence', () => {
  const told = 'color_range:pc color_space:bt470bg color_primaries:unknown color_trc:unknown';
  assert.equal(parseColour(`${prefix}${told}`), {
    ...{ fullRange: true, matrix: 'bt470bg', primaries: null, transfer: null },
  });
});

const banner = (...streams: string[]) => [
  "[info] Input #0, mov,mp4,m4a,3gp,3g2,mj2, from 'file:x.mp4':",
  ...streams.map((stream) => `[info]   Stream #0:${stream}`),
  '[info] Stream mapping:',
  '[info]   Stream #0:0 -> #0:0 (copy)',
  "[info] Output #0, framecrc, to 'pipe:1':",
  '[info]   Stream #0:1(und): Audio: aac (LC) (mp4a / 0x6134706D), 44100 Hz',
];

test('video and sound; sound of no known codec is left out, places are kept', () => {
  const read = readStreams(
    banner(
      '0[0x1](und): Audio: none (apac / 0x63617061), 48000 Hz',
      '1[0x2](und): Video: hevc (Main 10) (hvc1 / 0x31637668), yuv420p10le(tv), 1920x1080',
      '2[0x3](eng): Audio: aac (LC) (mp4a / 0x6134706D), 44100 Hz, mono, fltp, 70 kb/s (default)',
      '3: Audio: pcm_s16le ([1][0][0][0] / 0x0001), 48000 Hz',
    ),
  );
  assert.is(read.video, 'hevc');
  assert.equal(read.audio, [
    { index: 1, codec: 'aac', sampleRate: 44_100, mono: true },
    { index: 2, codec: 'pcm_s16le', sampleRate: 48_000, mono: false },
  ]);
});

test('cover art is no video', () => {
  const read = readStreams(banner('0: Audio: mp3', '1: Video: png, rgb24, 9x9 (attached pic)'));
  assert.is(read.video, null);
  assert.ok(read.opened);
});

test('a file that did not open has nothing', () => {
  const read = readStreams(['[mov @ 0x1] [error] moov atom not found']);
  assert.equal([read.opened, read.video, read.audio, read.truncated], [false, null, [], false]);
});

test('a demuxer that runs out of file says so', () => {
  assert.ok(readStreams([...banner(), '[in#0 @ 0x1] [error] File ended prematurely']).truncated);
  assert.ok(
    readStreams([...banner(), '[mov @ 0x1] [error] stream 0, offset 0x6f4e: partial file'])
      .truncated,
  );
});

test.run();
