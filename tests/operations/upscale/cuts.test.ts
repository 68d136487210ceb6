/** A video that is cut at key frames, against the same video in one go. */
import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Frame } from '../../../src/frame.ts';
import type { VideoInfo } from '../../../src/media/info.ts';
import { decodeVideo } from '../../../src/media/read/decode.ts';
import { encodePart, encodeVideo, joinVideo } from '../../../src/media/write/encode.ts';
import { filtersFor } from '../../../src/operations/upscale/cleaning.ts';
import { type Span, seekTo, spansOf } from '../../../src/operations/upscale/cuts.ts';
import {
  areSeamless,
  type Edges,
  framesOfSpan,
} from '../../../src/operations/upscale/span-frames.ts';
import { at, ffmpeg, probe, soon } from '../../media/clips.ts';
import { bannerOf, makeClip, packetsOf, pattern, timesOf, tone, turn } from '../../real/clip.ts';

const test = suite('cuts');

const looked = await probe(await makeClip(at('look.mp4'), pattern(0.2), ['-c:v', 'libx264']));
const video = (durationSeconds: number, keyFrames: readonly number[], startSeconds = 0) =>
  spansOf({ ...looked, durationSeconds, startSeconds, keyFrames }, 10);
const every = (seconds: number, count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => from + seconds * i);

test('spans begin at key frames, are about equally long, and leave out nothing', () => {
  const cases: [Span[], (number | null)[]][] = [
    [video(19.9, every(1, 20)), [null]],
    [video(20, every(1, 20)), [null, 10]],
    [video(45, every(4, 12)), [null, 12, 24, 32]],
    [video(45, every(4, 12, 1.5), 1.5), [null, 13.5, 25.5, 33.5]],
    [video(60, [0, 29]), [null, 29]],
    [video(60, [0]), [null]],
    [video(60, []), [null]],
  ];
  for (const [spans, starts] of cases) {
    assert.equal(
      spans.map(({ from }) => from),
      starts,
    );
    assert.equal(
      spans.map(({ to }) => to),
      [...starts.slice(1), null],
    );
  }
});

test('a probe lists the key frames, not more than 200', async () => {
  const inter = ['-c:v', 'libx264', '-g', '10', '-bf', '2', '-pix_fmt', 'yuv420p'];
  const clip = await probe(await makeClip(at('keys.mp4'), pattern(2), inter));
  assert.equal(clip.keyFrames, [0, 0.4, 0.8, 1.2, 1.6]);
  const many = await probe(await makeClip(at('intra.avi'), pattern(12), ['-c:v', 'mjpeg']));
  assert.ok(many.keyFrames.length > 100 && many.keyFrames.length <= 200);
});

const pictureOf = ({ time, duration, pixels }: Frame): string =>
  `${time.toFixed(6)}+${duration.toFixed(6)} ${createHash('md5').update(pixels).digest('hex')}`;

async function* noting(frames: AsyncIterable<Frame>, pictures: string[]) {
  for await (const frame of frames) {
    pictures.push(pictureOf(frame));
    yield frame;
  }
}

type Cut = { readonly edges: Edges; readonly pictures: readonly string[]; readonly path: string };

/** Reads, and encodes, one span of a video. */
const cut = async (
  path: string,
  info: VideoInfo,
  span: Span,
  cleaning: readonly string[] = [],
): Promise<Cut> => {
  const edges: Edges = { first: null, next: null, end: 0 };
  const pictures: string[] = [];
  const from = seekTo(span, info, cleaning);
  const decoded = decodeVideo(path, info, { ffmpeg, signal: soon(), from, cleaning });
  const frames = noting(framesOfSpan(decoded, span, info, edges), pictures);
  const target = `${path}.${span.from ?? 'first'}.mp4`;
  const output = { quality: 100 };
  await encodePart(frames, { format: info, target, output, ffmpeg, signal: soon() });
  return { edges, pictures, path: target };
};

/** In spans of about a second. */
const inSpans = async (
  path: string,
  info: VideoInfo,
  cleaning?: readonly string[],
): Promise<Cut[]> => {
  const cuts: Cut[] = [];
  for (const span of spansOf(info, 1)) cuts.push(await cut(path, info, span, cleaning));
  return cuts;
};

const inOneGo = async (path: string, info: VideoInfo, cleaning?: readonly string[]) => {
  const target = `${path}.whole.mp4`;
  const pictures: string[] = [];
  const decoded = decodeVideo(path, info, { ffmpeg, signal: soon(), cleaning });
  await encodeVideo(noting(decoded, pictures), {
    source: { path, info },
    target,
    output: { quality: 100 },
    ffmpeg,
    signal: soon(),
  });
  return { target, pictures };
};

const x264 = (...more: string[]) => ['-c:v', 'libx264', '-g', '15', '-pix_fmt', 'yuv420p', ...more];
const tags = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];
const open = ['-x264-params', 'open-gop=1:bframes=3', ...tags];
const uneven = ['-fps_mode', 'vfr', '-enc_time_base', '1/90000', '-vf', "setpts='N*N/900/TB'"];
const laced = ['-flags', '+ildct+ilme', '-vf', 'tinterlace=interleave_top,setfield=tff'];
const clips: Readonly<Record<string, readonly [string, readonly string[], readonly string[]]>> = {
  'with open groups of pictures and sound': [
    'a.mp4',
    [...pattern(3), ...tone(3)],
    [...x264(...open), '-c:a', 'aac'],
  ],
  'of a variable rate': ['b.mp4', pattern(3), x264(...uneven)],
  'that is interlaced': ['c.mp4', pattern(5), x264(...laced)],
  'of 30000/1001 frames a second that begins late, with raw sound': [
    'd.mov',
    [...pattern(3, '30000/1001'), ...tone(3)],
    [...x264('-vf', "setpts='PTS+0.4/TB'"), '-c:a', 'pcm_s16le'],
  ],
  'whose clock begins at 100 s': [
    'h.mov',
    [...pattern(3), ...tone(3)],
    [...x264(), '-c:a', 'aac', '-output_ts_offset', '100'],
  ],
  'of VP9 with hidden frames': [
    'e.webm',
    pattern(3),
    ['-c:v', 'libvpx-vp9', '-g', '15', '-cpu-used', '8'],
  ],
  'of MPEG-4 in AVI': ['f.avi', pattern(3), ['-c:v', 'mpeg4', '-g', '12', '-bf', '2']],
};

for (const [name, [file, source, output]] of Object.entries(clips)) {
  test(`a video ${name} has the same pictures, times and sound in spans as in one go`, async () => {
    const made = await makeClip(at(file), source, output);
    const path = file === 'a.mp4' ? await turn(made, at('turned.mp4')) : made;
    const info = await probe(path);
    const [cuts, whole] = [await inSpans(path, info), await inOneGo(path, info)];
    assert.ok(cuts.length >= 2, `${cuts.length} spans`);
    assert.equal(
      cuts.flatMap(({ pictures }) => pictures),
      whole.pictures,
    );
    assert.ok(areSeamless(cuts.map(({ edges }) => edges)));

    const start = cuts[0]?.edges.first?.time ?? 0;
    const parts = cuts.map(({ path: part, edges: { first, end } }) => ({
      path: part,
      seconds: end - (first?.time ?? 0),
    }));
    const target = `${path}.joined.mp4`;
    const joining = { source: { path, info }, start, target, ffmpeg, signal: soon() };
    await joinVideo(parts, joining);
    assert.equal(await timesOf(target), await timesOf(whole.target));
    for (const { index } of info.audio)
      assert.is(await packetsOf(target, `a:${index}`), await packetsOf(whole.target, `a:${index}`));
    const streamsOf = async (video: string) =>
      (await bannerOf(video)).match(/Stream #0.*|Duration: \S+ start: \S+/g)?.map(withoutRate);
    assert.equal(await streamsOf(target), await streamsOf(whole.target));
  });
}

/** Chunks have key frames of their own, so the two are not equally large. */
const withoutRate = (line: string): string => line.replace(/, \d+ kb\/s/, '');

test('a noisy video has the same pictures in spans as in one go when it is cleaned', async () => {
  const noisy = ['-vf', 'noise=c0s=24:c0f=t:all_seed=3'];
  const path = await makeClip(at('noisy.mp4'), pattern(3), x264(...noisy));
  const info = await probe(path);
  const cleaning = filtersFor(
    { luma: 8, chroma: 4 },
    { model: 'photo', scale: 2, effort: 'realtime' },
  );
  const cuts = await inSpans(path, info, cleaning);
  assert.ok(cuts.length >= 2, `${cuts.length} spans`);
  const { pictures } = await inOneGo(path, info, cleaning);
  assert.equal(
    cuts.flatMap((one) => one.pictures),
    pictures,
  );
  assert.ok(areSeamless(cuts.map(({ edges }) => edges)));
});

test('a picture that comes out otherwise where decoding begins there is noticed', async () => {
  // Its pictures are refreshed column by column: those right after a point of entry are not whole.
  const refreshed = ['-x264-params', 'intra-refresh=1:keyint=15', '-g', '300'];
  const path = await makeClip(at('g.mp4'), pattern(3), ['-c:v', 'libx264', ...refreshed]);
  const info = await probe(path);
  const cuts = await inSpans(path, info);
  assert.ok(cuts.length >= 2, `${cuts.length} spans`);
  assert.not(areSeamless(cuts.map(({ edges }) => edges)));
});

test.run();
