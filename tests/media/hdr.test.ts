import { writeFileSync } from 'node:fs';
import { execa } from 'execa';
import sharp from 'sharp';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeImage } from '../../src/media/image/picture.ts';
import { pngChunk } from '../../src/media/image/png-chunk.ts';
import { profileOf } from '../../src/media/image/profile.ts';
import { probeImage } from '../../src/media/probe/probe.ts';
import { ffmpegPath } from '../real/ffmpeg.ts';
import { at, ffmpeg, soon } from './clips.ts';

/** Codes of sRGB and the same light, sRGB's white being 203 candela per square metre, in PQ and BT.2020. */
const pairs = [
  [
    [255, 255, 255],
    [38055, 38055, 38055],
  ],
  [
    [128, 128, 128],
    [28037, 28037, 28037],
  ],
  [
    [0, 0, 0],
    [0, 0, 0],
  ],
  [
    [255, 0, 0],
    [34900, 21431, 14422],
  ],
] as const;
/** 1000 candela per square metre. */
const BRIGHT = [49272, 49272, 49272] as const;

/** A PNG with a square of 8 pixels for each colour; `stated`: primaries, transfer, matrix and range. */
const pngOf = async (name: string, colours: readonly (readonly number[])[], stated: number[]) => {
  const raw = { width: 8 * colours.length, height: 8, channels: 3 } as const;
  const samples = Array.from({ length: 8 }, () => colours.flatMap((c) => Array(8).fill(c).flat()));
  const plain = await sharp(Uint16Array.from(samples.flat()), { raw })
    .toColourspace('rgb16')
    .png()
    .toBuffer();
  const chunk = pngChunk('cICP', Buffer.from(stated));
  writeFileSync(at(name), Buffer.concat([plain.subarray(0, 33), chunk, plain.subarray(33)]));
  return at(name);
};

const decoded = async (path: string, depth?: 16) => {
  const info = await probeImage(path);
  const picture = await decodeImage(path, info, { ffmpeg, signal: soon(), depth });
  const squares = Array.from({ length: picture.width / 8 }, (_, i) => {
    const middle = (4 * picture.width + 8 * i + 4) * picture.channels;
    return [0, 1, 2].map((c) =>
      depth
        ? picture.pixels.readUInt16LE(2 * (middle + c)) / 257
        : (picture.pixels[middle + c] ?? 0),
    );
  });
  return { info, picture, squares };
};

const near = (came: readonly number[], due: readonly number[], by: number, what: string) => {
  const isNear = due.every((value, c) => Math.abs(value - (came[c] ?? 0)) <= by);
  assert.ok(isNear, `${what}: expected ${due}; got ${came}`);
};

const srgb = pairs.map(([codes]) => codes);
const pq = pairs.map(([, codes]) => codes);

test('a PNG in PQ becomes sRGB of the same light, of 8 and of 16 bits', async () => {
  const path = await pngOf('pq.png', pq, [9, 16, 0, 1]);
  assert.is(await profileOf(path, await probeImage(path)), undefined);
  for (const depth of [undefined, 16] as const) {
    const { info, picture, squares } = await decoded(path, depth);
    assert.equal(info.hdr, { transfer: 'pq', primaries: 'bt2020' });
    assert.is(picture.depth, depth);
    for (const [i, due] of srgb.entries()) near(squares[i] ?? [], due, 1, `${depth} ${i}`);
  }
});

test('light beyond white is pressed together: white stays light, and what is brighter differs from it', async () => {
  const path = await pngOf('bright.png', [...pq, BRIGHT], [9, 16, 0, 1]);
  const { squares } = await decoded(path);
  near(squares[4] ?? [], [255, 255, 255], 1, 'bright');
  near(squares[0] ?? [], [229, 229, 229], 4, 'white');
  near(squares[1] ?? [], [128, 128, 128], 1, 'grey');
});

test('HLG is shown as a screen of HDR shows it, and primaries are heeded', async () => {
  const grey = [0.75, 0.5].map((code) => Array(3).fill(Math.round(65_535 * code)));
  const { squares } = await decoded(await pngOf('hlg.png', grey, [9, 18, 0, 1]));
  // 203 and 50.7 candela per square metre.
  near(squares[0] ?? [], [255, 255, 255], 1, 'white');
  near(squares[1] ?? [], [137, 137, 137], 2, 'grey');
  const ofP3 = await decoded(
    await pngOf(
      'p3.png',
      [
        [38055, 38055, 38055],
        [38055, 0, 0],
      ],
      [12, 16, 0, 1],
    ),
  );
  near(ofP3.squares[1] ?? [], [255, 0, 0], 1, 'red');
});

test('a PNG that states a usual transfer is left as it is', async () => {
  const { info, squares } = await decoded(await pngOf('usual.png', pq, [1, 13, 0, 1]));
  assert.is(info.hdr, undefined);
  near(squares[0] ?? [], [148, 148, 148], 1, 'white');
});

test('a picture that states Display P3 has its profile, and is converted where none is kept', async () => {
  // sRGB's (200, 50, 50), (50, 200, 50), and a grey.
  const codes = [
    [182, 63, 56],
    [100, 197, 75],
    [128, 128, 128],
  ].map((colour) => colour.map((code) => 257 * code));
  const path = await pngOf('sdr-p3.png', codes, [12, 13, 0, 1]);
  const { info, squares } = await decoded(path);
  near(squares[0] ?? [], [200, 50, 50], 2, 'red');
  near(squares[1] ?? [], [50, 200, 50], 2, 'green');
  near(squares[2] ?? [], [128, 128, 128], 1, 'grey');
  const profile = await profileOf(path, info);
  assert.ok(profile?.includes('acsp'));
  const kept = await decodeImage(path, info, { ffmpeg, signal: soon(), profile });
  assert.equal([...kept.pixels.subarray(0, 3)], [182, 63, 56]);

  const png = await sharp(path).toColourspace('srgb').png().toBuffer();
  const icc = await sharp(png).withIccProfile('srgb').png().toBuffer();
  const own = pngChunk('cICP', Buffer.from([12, 13, 0, 1]));
  writeFileSync(at('own.png'), Buffer.concat([icc.subarray(0, 33), own, icc.subarray(33)]));
  assert.is((await probeImage(at('own.png'))).p3, undefined);
});

test('an AVIF in PQ becomes sRGB', async () => {
  const png = await pngOf('of-avif.png', pq, [9, 16, 0, 1]);
  const tags = 'color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=pc';
  const codes = `scale=out_color_matrix=bt2020:out_range=pc,format=yuv444p10le,setparams=${tags}`;
  const encoder = ['-c:v', 'libaom-av1', '-cpu-used', '8', '-crf', '4'];
  const io = ['-v', 'error', '-y', '-i', png, '-vf', codes, '-frames:v', '1', ...encoder];
  await execa(ffmpegPath, [...io, at('pq.avif')]);
  const { info, squares } = await decoded(at('pq.avif'));
  assert.equal(info.hdr, { transfer: 'pq', primaries: 'bt2020' });
  for (const [i, due] of srgb.entries()) near(squares[i] ?? [], due, 6, String(i));
});

test.run();
