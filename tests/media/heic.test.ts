import { readFileSync, writeFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeImage, encodeImage } from '../../src/media/image/picture.ts';
import { identify } from '../../src/media/probe/identify.ts';
import { probeImage } from '../../src/media/probe/probe.ts';
import { meanDifference } from '../real/likeness.ts';
import { at, ffmpeg, soon } from './clips.ts';
import { failing } from './failing.ts';
import { makeHeic } from './heic.ts';

/** Soft slopes, so that what HEVC loses is little; no quarter looks like another. */
const scene = (width: number, height: number): Sharp => {
  const pixels = Buffer.alloc(width * height * 3);
  for (let i = 0; i < pixels.length; i += 1) {
    const x = Math.floor(i / 3) % width;
    const y = Math.floor(i / 3 / width);
    pixels[i] = [(200 * x) / width + 30, (200 * y) / height + 30, 120][i % 3] ?? 0;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
};

const decode = async (path: string) =>
  decodeImage(path, await probeImage(path), { ffmpeg, signal: soon() });

test('a HEIC is read, of one picture and of tiles, as it is to be turned', async () => {
  for (const [name, tile, turns] of [
    ['one', undefined, 0],
    ['tiles', 64, 0],
    ['turned', 64, 3],
    ['turned-one', undefined, 1],
  ] as const) {
    const path = await makeHeic(at(`${name}.heic`), scene(200, 120), {
      ...(tile && { tile }),
      turns,
    });
    const { mime } = await identify(path);
    assert.match(mime, /^image\/hei[cf]$/, name);
    const seen = scene(200, 120).rotate(-90 * turns);
    const { width, height, channels, pixels } = await decode(path);
    const { data, info } = await seen.raw().toBuffer({ resolveWithObject: true });
    assert.equal([width, height, channels], [info.width, info.height, 3], name);
    assert.ok(meanDifference(pixels, data) < 1.5, `${name}: ${meanDifference(pixels, data)}`);
  }
});

test('the colour profile of a HEIC is heeded, in tiles as well', async () => {
  const wide = await sharp(await scene(8, 8).png().toBuffer())
    .withIccProfile('p3')
    .png()
    .toBuffer();
  const { icc } = await sharp(wide).metadata();
  const codes = sharp({ create: { width: 128, height: 64, channels: 3, background: '#c8321e' } });
  for (const tile of [undefined, 64]) {
    const path = await makeHeic(at('p3.heic'), codes, { profile: icc, ...(tile && { tile }) });
    const [r = 0, g = 0, b = 0] = (await decode(path)).pixels;
    // These codes of Display P3 are a red beyond sRGB's: more of it, and no green.
    const near = [r - 218, g - 21, b - 12].every((off) => Math.abs(off) < 12);
    assert.ok(near, `${tile}: ${r}, ${g}, ${b} came`);
  }
});

test('a HEIC in HDR becomes sRGB, whether the picture or its tiles say so', async () => {
  // Three quarters of HLG are the light of white paper.
  const white = sharp({ create: { width: 128, height: 64, channels: 3, background: '#bfbfbf' } });
  for (const hlg of ['picture', 'tiles', undefined] as const) {
    const path = await makeHeic(at('hlg.heic'), white, { tile: 64, ...(hlg && { hlg }) });
    assert.is((await probeImage(path)).hdr?.transfer, hlg && 'hlg');
    const [r = 0] = (await decode(path)).pixels;
    assert.ok(Math.abs(r - (hlg ? 255 : 191)) < 5, `${hlg}: ${r} came`);
  }
});

test('its EXIF is kept where that is asked', async () => {
  const noted = scene(64, 64)
    .withExif({ IFD0: { Artist: 'Somebody', Orientation: '6' } })
    .jpeg();
  const { exif } = await sharp(await noted.toBuffer()).metadata();
  if (!exif) throw new Error('expected EXIF in what sharp wrote; none is there');
  const path = await makeHeic(at('exif.heic'), scene(64, 128), { exif: exif.subarray(6) });
  const info = await probeImage(path);
  assert.ok(info.metadata);
  for (const [metadata, artist] of [
    ['keep', true],
    ['strip', false],
  ] as const) {
    const target = at('exif.jpg');
    const picture = await decode(path);
    const source = { path, info };
    await encodeImage(picture, { source, target, format: 'jpeg', output: { metadata } });
    assert.is(readFileSync(target).includes('Somebody'), artist);
    // How a HEIC is to be turned is said by its own properties, whatever its EXIF says.
    const { orientation = 1, width } = await sharp(target).metadata();
    assert.equal([orientation, width], [1, 64]);
  }
});

test('a HEIC that is transparent or cut off is refused, with the reason', async () => {
  const clear = await makeHeic(at('clear.heic'), scene(64, 64), { alpha: true });
  assert.match((await failing(probeImage(clear), 'media_unreadable')).message, /transparency.*PNG/);
  const whole = readFileSync(await makeHeic(at('whole.heic'), scene(128, 64), { tile: 64 }));
  for (const part of [0.05, 0.3, 0.6, 0.9]) {
    writeFileSync(at('cut.heic'), whole.subarray(0, Math.floor(part * whole.length)));
    const { message } = await failing(decode(at('cut.heic')), 'media_unreadable');
    assert.not.match(message, /enhance-|undefined|vips|\/tmp/i, message);
    if (part > 0.05) assert.match(message, 'the file is cut off: it ends before its content does');
  }
});

test.run();
