/** The pictures of a clip in any order, against the same clip decoded from its start. */
import { existsSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type YuvFrame, yuvBytes } from '../../src/frame.ts';
import { decodeEvenYuv, decodeSmall } from '../../src/media/read/decode.ts';
import { framesAt, type IndexedVideo } from '../../src/media/read/indexed-video.ts';
import { hasRoom, openSpool } from '../../src/media/read/spool.ts';
import { openMemory } from '../../src/memory.ts';
import { numberedClip, numberOf } from '../real/frame-numbers.ts';
import { at, ffmpeg, probe, soon } from './clips.ts';
import { failing } from './failing.ts';

const test = suite('indexed video');

const open = async (path: string) => {
  const info = await probe(path);
  const frames: YuvFrame[] = [];
  for await (const frame of decodeEvenYuv(path, info, { ffmpeg, signal: soon() }))
    frames.push(frame);
  const start = frames[0]?.time ?? 0;
  const last = frames.at(-1);
  const end = last ? last.time + last.duration - start : 0;
  const film: IndexedVideo = {
    path,
    info,
    start,
    times: [...frames.map(({ time }) => time - start), end],
  };
  return { film, frames };
};

const read = async (film: IndexedVideo, places: readonly number[]) => {
  const frames: YuvFrame[] = [];
  const memory = openMemory();
  for await (const frame of framesAt(film, places, { ffmpeg, signal: soon(), memory }))
    frames.push(frame);
  return frames;
};

const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);
const vfr = ["setpts='(N*N/900+N/50+0.3)/TB'"];
const kept = ['-fps_mode', 'passthrough'];
const open264 = ['-c:v', 'libx264', '-x264-params', 'open-gop=1'];

const clips: Readonly<Record<string, readonly [string, readonly string[], (readonly string[])?]>> =
  {
    'with B-frames and one key frame': ['a.mp4', ['-c:v', 'libx264', '-bf', '3', '-g', '300']],
    'with open groups': ['b.mov', [...open264, '-bf', '3', '-g', '30']],
    'of 5 frames a second with open groups': [
      'c.mov',
      [...kept, ...open264, '-bf', '8', '-g', '40'],
      ['setpts=PTS*5', 'fps=5'],
    ],
    'in HEVC with open groups': [
      'd.mp4',
      ['-c:v', 'libx265', '-x265-params', 'log-level=error:keyint=50:open-gop=1'],
    ],
    'of a variable rate': [
      'e.mp4',
      ['-fps_mode', 'vfr', '-enc_time_base', '1/90000', '-c:v', 'libx264', '-bf', '3'],
      vfr,
    ],
    'of a variable rate in WebM': ['f.webm', [...kept, '-c:v', 'libvpx-vp9', '-b:v', '500k'], vfr],
    'in VP8': ['g.webm', ['-c:v', 'libvpx', '-g', '100', '-b:v', '500k']],
    'that begins late': ['h.mp4', [...kept, '-c:v', 'libx264', '-bf', '3'], ['setpts=PTS+0.52/TB']],
    interlaced: ['i.mp4', ['-c:v', 'libx264', '-flags', '+ilme+ildct', '-bf', '2', '-g', '50']],
    'of MPEG-4 with B-frames in AVI': [
      'j.avi',
      ['-c:v', 'mpeg4', '-bf', '2', '-g', '50', '-q:v', '2'],
    ],
    'of H.264 with B-frames in AVI': ['k.avi', ['-c:v', 'libx264', '-bf', '2', '-g', '50']],
    'of JPEGs in AVI': ['l.avi', ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '2']],
  };

for (const [name, [file, output, filters]] of Object.entries(clips)) {
  test(`a clip ${name} gives the same pictures from any place on, and backwards`, async () => {
    const { film, frames } = await open(await numberedClip(at(file), 150, output, filters));
    assert.equal(frames.map(numberOf), from(0, 150));
    const places = [
      ...[...from(30, 3), ...from(49, 3), 148, 149],
      ...[0, 2, 2, 2, 7, 19, 40],
      ...[...from(90, 30), ...from(60, 59).reverse(), 61, 60, 60, 59],
    ];
    const came = await read(film, places);
    assert.equal(
      came.map(({ index }) => index),
      places,
    );
    for (const [i, { pixels, time }] of came.entries()) {
      const was = frames[places[i] ?? -1];
      assert.ok(was && pixels.equals(was.pixels), `${i}, for ${places[i]}`);
      assert.ok(Math.abs(time - was.time) < 1e-4, `${time} at ${i}`);
    }
  });
}

test('a clip of 300 frames goes backwards in windows, to its start', async () => {
  const { film } = await open(
    await numberedClip(at('m.mp4'), 300, ['-c:v', 'libx264', '-bf', '3']),
  );
  const places = from(0, 300).reverse();
  assert.equal((await read(film, places)).map(numberOf), places);
});

test('a picture that comes twice is in memory of its own, and memory is used again', async () => {
  const { film } = await open(await numberedClip(at('n.mp4'), 40, ['-c:v', 'libx264']));
  const [first, second] = await read(film, [20, 20]);
  first?.pixels.fill(0);
  assert.is(second && numberOf(second), 20);
  const memory = openMemory();
  const seen = new Set<ArrayBufferLike>();
  const places = [...from(0, 40), ...from(1, 38).reverse(), 0, 0, 1];
  for await (const { pixels } of framesAt(film, places, { ffmpeg, signal: soon(), memory })) {
    seen.add(pixels.buffer);
    memory.give(pixels);
  }
  // The longest way back, and what the decoder holds.
  assert.ok(seen.size <= 41, `${seen.size} pictures in memory`);
});

test('pictures that were kept are those of the decoder; those beyond are decoded', async () => {
  // Through the pipe come the very pictures that are kept, or small copies.
  const sources = [
    { shape: [], longSide: 4096 },
    { shape: ['format=yuv444p', 'crop=iw-1:ih-1'], longSide: 64 },
  ];
  for (const [i, { shape, longSide }] of sources.entries()) {
    const clip = await numberedClip(at(`kept${i}.mp4`), 60, ['-c:v', 'libx264'], shape);
    const { film, frames } = await open(clip);
    const keep = at(`it's kept|[${i}].yuv`);
    const small = decodeSmall(clip, film.info, { longSide, keep, ffmpeg, signal: soon() });
    let came = 0;
    for await (const { pixels, index } of small) {
      const kept = frames[index];
      assert.ok(longSide === 64 || kept?.pixels.equals(pixels), `small picture ${index}`);
      came += 1;
    }
    assert.is(came, 60);
    // As when the decoder was stopped in the middle of a picture.
    await truncate(keep, 40 * yuvBytes(film.info.size) + 1000);
    const spool = await openSpool(keep, film.info.size);
    assert.not.ok(existsSync(keep));
    assert.is(spool.pictures, 40);
    const places = [...from(0, 60), 40, 3, 3, 59, 0];
    const seen = await read({ ...film, spool }, places);
    await spool.close();
    assert.equal(
      seen.map(({ index }) => index),
      places,
    );
    for (const { index, pixels, time, duration } of seen) {
      const same = frames[index];
      assert.ok(same && pixels.equals(same.pixels), `picture ${index}`);
      assert.ok(Math.hypot(same.time - time, same.duration - duration) < 1e-9, `time ${index}`);
    }
  }
});

test('pictures are kept where a gigabyte holds them, and the disk has room beside its reserve', async () => {
  const size = { width: 1280, height: 720 };
  const place = { folder: at('.'), reserveBytes: 0 };
  assert.is(await hasRoom(place, size, 300), true);
  assert.is(await hasRoom(place, size, 800), false);
  assert.is(await hasRoom({ ...place, reserveBytes: 1e18 }, size, 300), false);
});

test('a clip whose times are not those that it had is decoded from its start', async () => {
  const { film, frames } = await open(await numberedClip(at('o.mp4'), 60, ['-c:v', 'libx264']));
  const [end = 0] = film.times.slice(-1);
  const other = {
    ...film,
    times: film.times.map((time) => time + (time > 1 && time < end ? 0.013 : 0)),
  };
  const [came] = await read(other, [50]);
  assert.ok(came?.pixels.equals(frames[50]?.pixels ?? Buffer.alloc(0)));
});

test('a picture that does not come again is told', async () => {
  const { film } = await open(await numberedClip(at('p.mp4'), 30, ['-c:v', 'libx264']));
  const longer = { ...film, times: [...film.times, 2, 3, 4] };
  const { facts } = await failing(read(longer, [31]), 'decode_failed');
  assert.match(String(facts.reason), /frame 31/);
});

test.run();
