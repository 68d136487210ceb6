/** How coarsely a video was rounded, as its stream states it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  BlocksReader,
  blockStepOf,
  QuantiserReader,
  quantiserOf,
} from '../../src/media/read/quantiser.ts';
import { makeClip } from '../real/clip.ts';
import { at, ffmpeg, soon } from './clips.ts';

const test = suite('quantiser');
const drawing = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=25:d=0.08', '-pix_fmt', 'yuv420p'];
const of = async (name: string, container: 'mov' | 'matroska', ...output: string[]) => {
  const path = await makeClip(at(name), drawing, output);
  return await quantiserOf(path, { container }, { from: 0, ffmpeg, signal: soon() });
};

// Key frames of x264 and x265 get 3 less than what is asked for; a step doubles with six more.
test('H.264 and HEVC state a step, the same with 10 bits', async () => {
  const h264 = await of('a.mp4', 'mov', '-c:v', 'libx264', '-qp', '25');
  assert.equal(h264, { codec: 'h264', step: 8 });
  const options = ['-x265-params', 'qp=19:log-level=error'];
  const hevc = await of('b.mp4', 'mov', '-c:v', 'libx265', ...options);
  assert.equal(hevc, { codec: 'hevc', step: 4 });
  const deep = await of(
    'c.mkv',
    'matroska',
    ...['-c:v', 'libx265', '-pix_fmt', 'yuv420p10le'],
    ...options,
  );
  assert.equal(deep, hevc);
});

test('so do VP9 and AV1', async () => {
  const vp9 = await of(
    'd.webm',
    'matroska',
    '-c:v',
    'libvpx-vp9',
    '-qmin',
    '10',
    '-qmax',
    '10',
    '-b:v',
    '0',
    '-crf',
    '10',
  );
  // libvpx's 10 of 63 is 40 of 255.
  assert.equal(vp9, { codec: 'vp9 or av1', step: 47 / 8 });
  const av1 = await of(
    'e.mp4',
    'mov',
    ...['-c:v', 'libaom-av1', '-cpu-used', '8', '-usage', 'realtime'],
    ...['-qmin', '10', '-qmax', '10', '-crf', '10'],
  );
  assert.equal(av1, vp9);
});

test('MPEG-2, MPEG-4 and Motion JPEG tell a step by decoding', async () => {
  const stepOf = async (codec: string, container: 'avi' | 'mpeg', ...more: string[]) => {
    const output = ['-c:v', codec, '-q:v', '7', ...more];
    const path = await makeClip(at(`blocks.${codec}`), drawing, output);
    return await blockStepOf(path, { container, codec }, { from: 0, ffmpeg, signal: soon() });
  };
  assert.is(await stepOf('mpeg4', 'avi', '-f', 'avi'), 14);
  assert.is(await stepOf('mpeg2video', 'mpeg', '-f', 'mpeg'), 14);
  assert.is(await stepOf('mjpeg', 'avi', '-f', 'avi'), 18);
  assert.is(await stepOf('huffyuv', 'avi', '-f', 'avi'), null);
});

test('blocks are read with and without their places, of the first picture only', () => {
  const reader = new BlocksReader();
  const line = (text: string) => reader.read(`[mpeg4 @ 0x55] [debug] ${text}`);
  assert.is(line('New frame, type: I'), false);
  assert.is(line('    0       64      '), false);
  assert.is(line('  0  5 512'), false);
  assert.is(line('12 3'), false);
  assert.equal(reader.found, [5, 5, 12, 12, 3]);
  assert.is(line('New frame, type: P'), true);
});

test('others do not, nor does what cannot be read', async () => {
  assert.is(await of('f.mov', 'mov', '-c:v', 'prores_ks'), null);
  assert.is(await of('g.avi', 'mov', '-c:v', 'mjpeg'), null);
});

test('the first slice counts, and text before it is read to a limit', () => {
  const reader = new QuantiserReader();
  const line = (name: string, value: number) =>
    reader.read(`[trace_headers @ 0x55] [info] 30          ${name}            0110 = ${value}`);
  assert.is(line('pic_init_qp_minus26', -16), false);
  assert.is(line('slice_qp_delta', 6), true);
  assert.is(line('slice_qp_delta', 12), true);
  assert.equal(reader.found, { codec: 'h264', step: 4 });
  const endless = new QuantiserReader();
  assert.ok(Array.from({ length: 20_000 }, () => endless.read('text')).at(-1));
  assert.is(endless.found, null);
});

test.run();
