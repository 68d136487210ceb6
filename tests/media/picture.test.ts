import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Color, type Sharp } from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ImageFormat } from '../../src/contract/media.ts';
import { type Picture, within } from '../../src/frame.ts';
import { encodeStoppably } from '../../src/media/image/encode.ts';
import { decodeImage, encodeImage } from '../../src/media/image/picture.ts';
import { withChunks } from '../../src/media/image/png-chunk.ts';
import { profileOf } from '../../src/media/image/profile.ts';
import type { EncodingOptions } from '../../src/media/output.ts';
import { probeImage } from '../../src/media/probe/probe.ts';
import { compiled } from '../../src/stack/compiled.mjs';
import { makeClip, pattern } from '../real/clip.ts';
import { meanDifference } from '../real/likeness.ts';
import { tempDir } from '../real/run.ts';
import { bmpOf } from './bmp.ts';
import { ffmpeg, soon } from './clips.ts';
import { failing } from './failing.ts';
import { tiffOf } from './tiff.ts';

const folder = tempDir('picture');
const never = new AbortController().signal;
const at = (name: string) => join(folder, name);
const solid = (background: Color = { r: 200, g: 50, b: 30 }, channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { width: 16, height: 16, channels, background } });

/** A scene with edges and noise, so that every kind of damage meets data. */
const scene = (channels: 3 | 4 = 3, [width, height] = [96, 64]): Picture => {
  const pixels = Buffer.alloc(width * height * channels);
  for (let i = 0; i < pixels.length; i += 1) {
    const [channel, x, y] = [
      i % channels,
      Math.floor(i / channels) % width,
      Math.floor(i / channels / width),
    ];
    pixels[i] =
      channel === 3
        ? (x * 5) % 256
        : (x * 3 + y * 7 * (channel + 1) + ((x * y * 31) % 17) * 6) % 256;
  }
  return { width, height, channels, pixels };
};
const raw = ({ pixels, width, height, channels }: Picture): Sharp =>
  sharp(pixels, { raw: { width, height, channels } });

const decode = async (picture: Sharp | Buffer): Promise<Picture> => {
  const path = at('source');
  writeFileSync(path, Buffer.isBuffer(picture) ? picture : await picture.toBuffer());
  return decodeImage(path, await probeImage(path), { ffmpeg, signal: soon() });
};
const near = (picture: Picture, expected: readonly number[], tolerance = 2) => {
  const came = [...picture.pixels.subarray(0, picture.channels)];
  assert.is(came.length, expected.length);
  const close = came.every((value, i) => Math.abs(value - (expected[i] ?? 0)) <= tolerance);
  assert.ok(close, `expected ${expected}; ${came} came`);
};
const encode = async (
  picture: Picture,
  format: ImageFormat,
  output: EncodingOptions = {},
  source: Sharp = solid().png(),
) => {
  writeFileSync(at('from'), await source.toBuffer());
  const info = await probeImage(at('from'));
  await encodeImage(picture, {
    source: { path: at('from'), info },
    target: at('to'),
    format,
    output,
  });
  const encoded = readFileSync(at('to'));
  const header = await sharp(encoded).metadata();
  const pixels = await sharp(encoded).toColourspace('srgb').raw().toBuffer();
  return { header, pixels, encoded };
};
/** Of a picture that was made from the last encoded one's source, to a file of its own. */
const encodingOf = async (format: ImageFormat, output: EncodingOptions) => ({
  source: { path: at('from'), info: await probeImage(at('from')) },
  target: at(`apart.${format}`),
  format,
  output,
});

const test = suite('picture');

test('a picture is reduced to even sides, and one that is small enough keeps its own', () => {
  const most = { longSide: 4096, shortSide: 2304 };
  const reduced = (width: number, height: number) => Object.values(within({ width, height }, most));
  assert.equal(reduced(4000, 6000), [2304, 3456]);
  assert.equal(reduced(9001, 3), [4096, 2]);
  assert.equal(reduced(4096, 2303), [4096, 2303]);
});

test('every format gives its colour', async () => {
  for (const format of ['png', 'jpeg', 'webp', 'avif'] as const) {
    near(await decode(solid()[format]({ quality: 100 })), [200, 50, 30], 3);
  }
});

test('a Display P3 picture becomes sRGB, of 8 bits and of 16', async () => {
  const p3 = solid().withIccProfile('p3');
  near(await decode(p3.clone().png()), [200, 50, 30]);
  near(await decode(p3.clone().avif({ quality: 100 })), [200, 50, 30], 3);
  near(await decode(p3.clone().toColourspace('rgb16').png()), [200, 50, 30]);
  near(await decode(p3.clone().avif({ quality: 100, bitdepth: 10 })), [200, 50, 30], 3);
});

test('the codes of a Display P3 picture do not pass for sRGB', async () => {
  const codes = await solid().withIccProfile('p3').png().toBuffer();
  const unread = await sharp(codes, { ignoreIcc: true }).raw().toBuffer();
  assert.ok(Math.abs((unread[0] ?? 0) - 200) > 8, 'the profile makes no difference');
});

test('the result of a picture with more colours than sRGB has its profile and its codes', async () => {
  const wide = solid().withIccProfile('p3');
  const { icc } = await sharp(await wide.clone().png().toBuffer()).metadata();
  for (const made of [
    wide.clone().png(),
    wide.clone().png({ palette: true }),
    wide.clone().toColourspace('rgb16').png(),
    wide
      .clone()
      .jpeg({ quality: 100 })
      .withExif({ IFD0: { Artist: 'who drew it' } }),
    wide.clone().webp({ quality: 100 }),
  ]) {
    writeFileSync(at('wide'), await made.toBuffer());
    const info = await probeImage(at('wide'));
    const profile = await profileOf(at('wide'), info);
    assert.equal(profile, icc);
    const source = { path: at('wide'), info };
    for (const format of ['png', 'jpeg', 'webp', 'avif'] as const) {
      const depth = format === 'png' ? info.depth : undefined;
      const picture = await decodeImage(at('wide'), info, {
        ffmpeg,
        signal: soon(),
        depth,
        profile,
      });
      for (const metadata of ['strip', 'keep'] as const) {
        const output = { metadata, quality: 100 };
        await encodeImage(picture, { source, target: at('to'), format, output, profile });
        const written = await sharp(readFileSync(at('to'))).metadata();
        assert.equal(written.icc, icc);
        assert.is(written.exif !== undefined, metadata === 'keep' && info.metadata);
        near(await decode(readFileSync(at('to'))), [200, 50, 30], 3);
      }
    }
  }
});

test('a profile of sRGB, of linear light, of grey or of ink is not kept', async () => {
  const wide = await solid().withIccProfile('p3').png().toBuffer();
  const { icc = Buffer.alloc(0) } = await sharp(wide).metadata();
  const linear = Buffer.from(icc);
  for (let tone = linear.indexOf('para'); tone >= 0; tone = linear.indexOf('para', tone + 1)) {
    linear.writeUInt16BE(0, tone + 8);
    linear.writeUInt32BE(0x10000, tone + 12);
  }
  for (const bytes of [
    await solid().withIccProfile('srgb').png().toBuffer(),
    withChunks(await solid().png().toBuffer(), { icc: linear }),
    withChunks(await solid().toColourspace('b-w').png().toBuffer(), { icc }),
    await solid().toColourspace('cmyk').withIccProfile('cmyk').jpeg().toBuffer(),
    await solid().png().toBuffer(),
  ]) {
    writeFileSync(at('narrow'), bytes);
    assert.is(await profileOf(at('narrow'), await probeImage(at('narrow'))), undefined);
  }
});

test('16 bits, 1 bit, palettes and 10-bit AVIF become 8-bit RGB', async () => {
  near(await decode(solid().toColourspace('rgb16').png()), [200, 50, 30]);
  near(
    await decode(solid({ r: 255, g: 255, b: 255 }).png({ palette: true, colours: 2 })),
    [255, 255, 255],
  );
  near(await decode(solid().png({ palette: true })), [200, 50, 30]);
  near(await decode(solid().avif({ bitdepth: 10, quality: 100 })), [200, 50, 30], 3);
});

test('grey becomes RGB, with its alpha', async () => {
  const grey = { r: 120, g: 120, b: 120 };
  near(await decode(solid(grey).toColourspace('b-w').png()), [120, 120, 120]);
  near(await decode(solid(grey).toColourspace('grey16').png()), [120, 120, 120]);
  near(await decode(solid(grey).toColourspace('b-w').jpeg()), [120, 120, 120]);
  const faint = solid({ ...grey, alpha: 0.5 }, 4)
    .toColourspace('b-w')
    .png();
  near(await decode(faint), [120, 120, 120, 128]);
});

test('alpha stays, in a palette too', async () => {
  const faint = { r: 200, g: 50, b: 30, alpha: 0.5 };
  near(await decode(solid(faint, 4).png()), [200, 50, 30, 128]);
  near(await decode(solid(faint, 4).png({ palette: true })), [200, 50, 30, 128]);
  near(await decode(solid(faint, 4).webp({ lossless: true })), [200, 50, 30, 128]);
  near(await decode(solid(faint, 4).avif({ quality: 100 })), [200, 50, 30, 128], 3);
});

test('a CMYK JPEG becomes RGB, with a profile and without', async () => {
  const cmyk = solid().toColourspace('cmyk');
  near(await decode(cmyk.clone().withIccProfile('cmyk').jpeg({ quality: 100 })), [200, 50, 30], 12);
  near(await decode(cmyk.clone().jpeg({ quality: 100 })), [200, 50, 30], 40);
  const white = solid({ r: 255, g: 255, b: 255 }).toColourspace('cmyk').jpeg();
  near(await decode(white), [255, 255, 255], 4);
});

test('EXIF orientation is applied, once', async () => {
  const upright = scene(3, [40, 20]);
  const turned = raw(upright).rotate(270).png().withMetadata({ orientation: 6 });
  writeFileSync(at('turned'), await turned.toBuffer());
  const info = await probeImage(at('turned'));
  assert.equal(info.size, { width: 40, height: 20 });
  assert.equal(
    (await decodeImage(at('turned'), info, { ffmpeg, signal: soon() })).pixels,
    upright.pixels,
  );
});

test('a probe tells size, alpha, grey and format from the header', async () => {
  writeFileSync(at('a'), await solid({ r: 1, g: 1, b: 1, alpha: 0 }, 4).webp().toBuffer());
  const facts = { kind: 'image', size: { width: 16, height: 16 }, profile: null, metadata: false };
  const { lossyBits, ...webp } = await probeImage(at('a'));
  assert.equal(webp, { ...facts, alpha: true, gray: false, format: 'webp' });
  assert.ok(lossyBits);
  writeFileSync(at('a'), await solid().toColourspace('b-w').jpeg().toBuffer());
  const { jpegStep, ...jpeg } = await probeImage(at('a'));
  assert.equal(jpeg, { ...facts, alpha: false, gray: true, format: 'jpeg' });
  assert.ok(jpegStep);
});

test('a probe tells by how much a JPEG rounded its low frequencies, from its own table', async () => {
  const step = async (picture: Sharp) => {
    writeFileSync(at('rounded'), await picture.toBuffer());
    return (await probeImage(at('rounded'))).jpegStep ?? 0;
  };
  // White has no frequency that would show it.
  const white = solid({ r: 255, g: 255, b: 255 });
  for (const [quality, expected] of [
    [5, 132],
    [30, 22],
    [50, 13.2],
    [75, 6.6],
    [90, 2.6],
  ] as const)
    for (const options of [{}, { progressive: true }, { chromaSubsampling: '4:4:4' }]) {
      const told = await step(white.clone().jpeg({ quality, ...options }));
      assert.ok(Math.abs(told / expected - 1) < 0.2, `${quality}: ${told}`);
    }
  assert.is(await step(white.clone().png()), 0);
});

test('a probe tells what a pixel takes in a lossy WebP and in an AVIF, metadata aside', async () => {
  const bits = async (picture: Sharp) => {
    writeFileSync(at('lossy'), await picture.toBuffer());
    return (await probeImage(at('lossy'))).lossyBits ?? 0;
  };
  const noted = { IFD0: { Artist: 'who drew it'.repeat(100) } };
  for (const format of ['webp', 'avif'] as const) {
    const [poor, good] = [{ quality: 20 }, { quality: 90 }];
    const few = await bits(raw(scene()).toFormat(format, poor));
    assert.ok(few > 0 && 2 * few < (await bits(raw(scene()).toFormat(format, good))));
  }
  const plain = await bits(raw(scene()).webp());
  assert.is(await bits(raw(scene()).webp().withExif(noted)), plain);
  for (const other of [raw(scene()).webp({ lossless: true }), raw(scene()).jpeg()])
    assert.is(await bits(other), 0);
});

test('TIFF and BMP are read exactly, whatever way they are written', async () => {
  for (const picture of [scene(), scene(4), scene(3, [95, 3])]) {
    for (const compression of ['none', 'lzw', 'deflate'] as const) {
      const tiff = raw(picture).tiff({ compression, tile: compression === 'deflate' });
      assert.equal((await decode(tiff)).pixels, picture.pixels, compression);
    }
    for (const topDown of [false, true])
      assert.equal((await decode(bmpOf(picture, { topDown }))).pixels, picture.pixels);
  }
});

test('a BMP with a palette, of 16 bits a pixel, or with alpha that nobody filled in is read', async () => {
  for (const format of ['pal8', 'gray', 'rgb565le']) {
    const path = await makeClip(at('p.bmp'), pattern(0.04), ['-frames:v', '1', '-pix_fmt', format]);
    const { width, height, channels } = await decode(readFileSync(path));
    assert.equal([width, height, channels], [64, 48, 3], format);
  }
  const unfilled = scene(4);
  for (let at = 3; at < unfilled.pixels.length; at += 4) unfilled.pixels[at] = 0;
  const { pixels, channels } = await decode(bmpOf(unfilled));
  assert.equal(channels === 4 ? [...new Set(pixels.filter((_, i) => i % 4 === 3))] : [255], [255]);
});

test('a GIF of one picture is read, with what is transparent in it', async () => {
  assert.equal([...(await decode(solid().gif())).pixels.subarray(0, 3)], [200, 50, 30]);
  const clear = solid({ r: 9, g: 9, b: 9, alpha: 0 }, 4).gif();
  assert.is((await decode(clear)).pixels[3], 0);
});

test('a header that says what no BMP has is refused', async () => {
  for (const [at, value] of [
    [18, 0],
    [18, -5],
    [22, 0],
    [28, 7],
    [30, 99],
  ] as const) {
    const bytes = bmpOf(scene());
    bytes.writeInt32LE(value, at);
    await failing(decode(bytes), 'media_unreadable');
  }
});

test('a TIFF whose samples are floats is refused by what it has', async () => {
  const data = Buffer.from(Float32Array.from([0, 0.5, 1, 2]).buffer);
  const tiff = tiffOf({ width: 2, height: 2, bits: 32, data }, { more: [[339, 3]] });
  assert.match((await failing(decode(tiff), 'media_unreadable')).message, /8 or 16 bits/);
});

test('a TIFF in Lab is refused by what it has', async () => {
  const tiff = tiffOf({ width: 2, height: 2, bits: 8, data: Buffer.alloc(12) });
  // The directory stands behind 12 bytes of samples: its fifth entry is the colours, the seventh their number.
  tiff.writeUInt32LE(8, 8 + 12 + 2 + 4 * 12 + 8);
  tiff.writeUInt32LE(3, 8 + 12 + 2 + 6 * 12 + 8);
  assert.match((await failing(decode(tiff), 'media_unreadable')).message, /its colours are Lab/);
});

test('a TIFF of Y, Cb and Cr is decoded as RGB, by the codes of black and white that it states', async () => {
  const [SHORT, RATIONAL] = [3, 5];
  const subsampling = [530, 0x1_0001, SHORT, 2] as const;
  const shown = async (data: readonly number[], stated: readonly number[]) => {
    const codes = Buffer.from(data);
    const rationals = Buffer.from(Uint32Array.from(stated.flatMap((code) => [code, 1])).buffer);
    const reference = [532, 8 + codes.length, RATIONAL, 6] as const;
    const more = stated.length > 0 ? [subsampling, reference] : [subsampling];
    const tiff = tiffOf(
      { width: 2, height: 2, bits: 8, data: Buffer.concat([codes, rationals]) },
      { more },
    );
    const entries = 8 + codes.length + rationals.length + 2;
    tiff.writeUInt32LE(6, entries + 4 * 12 + 8); // the colours
    tiff.writeUInt32LE(3, entries + 6 * 12 + 8); // their number
    return [...(await decode(tiff)).pixels];
  };
  const whole = [255, 128, 128, 76, 85, 255, 150, 44, 21, 29, 255, 107];
  const rgb = [255, 255, 255, 254, 0, 0, 0, 255, 1, 0, 0, 254];
  assert.equal(await shown(whole, []), rgb);
  const limited = [235, 128, 128, 81, 91, 239, 16, 128, 128, 126, 128, 128];
  const seen = await shown(limited, [16, 235, 128, 240, 128, 240]);
  assert.equal(seen.slice(0, 3), [255, 255, 255]);
  assert.equal(seen.slice(6), [0, 0, 0, 128, 128, 128]);
  for (const [i, code] of [255, 0, 0].entries())
    assert.ok(Math.abs((seen[3 + i] ?? 99) - code) <= 4);
});

/** A smooth slope, no two samples of a row alike; `channels` 1 is grey. */
const slope = (channels: 1 | 3 | 4): Uint16Array =>
  Uint16Array.from({ length: 96 * 64 * channels }, (_, i) => 20_000 + ((i * 13) % 30_000));
const deepOf = (channels: 1 | 3 | 4): Sharp =>
  sharp(slope(channels), { raw: { width: 96, height: 64, channels } }).toColourspace(
    channels === 1 ? 'grey16' : 'rgb16',
  );
const samplesIn = ({ pixels }: Picture): number[] => [
  ...new Uint16Array(new Uint8Array(pixels).buffer),
];
const deep = async (bytes: Buffer): Promise<Picture> => {
  writeFileSync(at('deep'), bytes);
  const info = await probeImage(at('deep'));
  assert.is(info.depth, 16);
  return decodeImage(at('deep'), info, { ffmpeg, signal: soon(), depth: 16 });
};

test('16 bits a sample are kept from PNG and TIFF to PNG, with alpha, in grey and with metadata', async () => {
  for (const channels of [1, 3, 4] as const) {
    const own = [...slope(channels)];
    const expected = channels === 1 ? own.flatMap((value) => [value, value, value]) : own;
    const noted = { IFD0: { Artist: 'who drew it' } };
    for (const source of [
      deepOf(channels).png().withExif(noted),
      deepOf(channels).tiff({ compression: 'lzw' }),
    ]) {
      const bytes = await source.toBuffer();
      const picture = await deep(bytes);
      assert.equal(samplesIn(picture), expected);
      writeFileSync(at('from'), bytes);
      const info = await probeImage(at('from'));
      for (const metadata of ['strip', 'keep'] as const) {
        const told = { source: { path: at('from'), info }, target: at('to') };
        await encodeImage(picture, { ...told, format: 'png', output: { metadata } });
        const written = readFileSync(at('to'));
        const { space, exif } = await sharp(written).metadata();
        assert.is(space, channels === 1 ? 'grey16' : 'rgb16');
        assert.is(exif !== undefined, metadata === 'keep' && info.metadata);
        const came = samplesIn(await deep(written));
        const off = Math.max(...came.map((value, i) => Math.abs(value - (expected[i] ?? 0))));
        // Alpha is blended where metadata is kept.
        assert.ok(off <= (metadata === 'keep' && channels === 4 ? 1 : 0), `off by ${off}`);
      }
    }
  }
});

test('16 bits a sample with a colour profile become sRGB, not rounded to 8 bits', async () => {
  const profiled = await deepOf(3).withIccProfile('p3').png().toBuffer();
  const codes = slope(3);
  const came = samplesIn(await deep(profiled));
  const { pixels } = await decode(profiled);
  const off = Math.max(...came.map((value, i) => Math.abs(value / 257 - (pixels[i] ?? 0))));
  assert.ok(off < 2, `off by ${off} of 255 from the same with 8 bits`);
  const unread = Math.max(...came.map((value, i) => Math.abs(value - (codes[i] ?? 0)) / 257));
  assert.ok(unread > 8, 'the profile makes no difference');
  assert.ok(new Set(came).size > 10_000, `${new Set(came).size} values`);
});

test('a PNG or TIFF of 8 bits, and what else has more, counts as 8', async () => {
  for (const picture of [solid().png(), solid().tiff(), deepOf(3).avif({ bitdepth: 10 })]) {
    writeFileSync(at('a'), await picture.toBuffer());
    assert.is((await probeImage(at('a'))).depth, undefined);
  }
});

test('a PNG that claims 30000x30000 pixels costs nothing to probe', async () => {
  const bomb = await solid().png().toBuffer();
  bomb.writeUInt32BE(30_000, 16);
  bomb.writeUInt32BE(30_000, 20);
  bomb.writeUInt32BE(0x51c4e9a1, 29);
  const before = process.memoryUsage().rss;
  writeFileSync(at('bomb'), bomb);
  assert.equal((await probeImage(at('bomb'))).size, { width: 30_000, height: 30_000 });
  assert.ok(process.memoryUsage().rss - before < 50e6, 'memory was spent');
});

test('a file cut off anywhere is refused, of each type', async () => {
  const whole = {
    png: await raw(scene()).png().toBuffer(),
    interlaced: await raw(scene()).png({ progressive: true }).toBuffer(),
    jpeg: await raw(scene()).jpeg().toBuffer(),
    progressive: await raw(scene()).jpeg({ progressive: true }).toBuffer(),
    webp: await raw(scene()).webp().toBuffer(),
    lossless: await raw(scene()).webp({ lossless: true }).toBuffer(),
    avif: await raw(scene()).avif().toBuffer(),
    tiff: await raw(scene()).tiff({ compression: 'lzw' }).toBuffer(),
    gif: await raw(scene()).gif().toBuffer(),
    bmp: bmpOf(scene()),
  };
  for (const [type, bytes] of Object.entries(whole)) {
    await decode(bytes);
    for (const part of [0.3, 0.6, 0.9, 0.99]) {
      const cut = bytes.subarray(0, Math.floor(bytes.length * part));
      const { message } = await failing(decode(cut), 'media_unreadable');
      assert.match(
        message,
        /^The image could not be decoded: (the file is cut off: it ends before its content does|it is damaged or cut off)\.$/,
        type,
      );
    }
  }
  writeFileSync(at('cut.png'), whole.png.subarray(0, Math.floor(whole.png.length * 0.9)));
  await failing(probeImage(at('cut.png')), 'media_unreadable');
});

test('a file with garbage in its middle is refused where its type can tell', async () => {
  const whole = [
    await raw(scene()).png().toBuffer(),
    await raw(scene()).png({ progressive: true }).toBuffer(),
    await raw(scene()).avif().toBuffer(),
  ];
  for (const bytes of whole) {
    bytes.fill('garbage', Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 200);
    await failing(decode(bytes), 'media_unreadable');
  }
});

test('a JPEG whose middle is missing is refused', async () => {
  for (const progressive of [false, true]) {
    const bytes = await raw(scene(3, [256, 256]))
      .jpeg({ progressive })
      .toBuffer();
    const [from, to] = [Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.6)];
    const holed = Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    await failing(decode(holed), 'media_unreadable');
  }
});

test('a JPEG with bytes between its parts, as cameras write them, is read', async () => {
  const jpeg = await raw(scene()).jpeg().toBuffer();
  const end = jpeg.length - 2;
  const odd = Buffer.concat([jpeg.subarray(0, end), Buffer.alloc(8, 1), jpeg.subarray(end)]);
  assert.is((await decode(odd)).width, 96);
});

test('a changed file is not decoded at another size than was probed', async () => {
  writeFileSync(at('a'), await solid().png().toBuffer());
  const info = await probeImage(at('a'));
  writeFileSync(at('a'), await raw(scene()).png().toBuffer());
  await failing(decodeImage(at('a'), info, { ffmpeg, signal: soon() }), 'media_unreadable');
});

test('every output is what was given: exact where lossless, close elsewhere', async () => {
  for (const channels of [3, 4] as const) {
    const picture = scene(channels);
    assert.equal((await encode(picture, 'png')).pixels, picture.pixels);
    assert.equal((await encode(picture, 'webp', { lossless: true })).pixels, picture.pixels);
    assert.equal((await encode(picture, 'avif', { lossless: true })).pixels, picture.pixels);
  }
});

test('a lossy output is close to what was given', async () => {
  const ramp = scene();
  for (let i = 0; i < ramp.pixels.length; i += 1)
    ramp.pixels[i] = Math.floor(i / 288) * 3 + (i % 3) * 20;
  for (const format of ['jpeg', 'webp', 'avif'] as const) {
    const { pixels, header } = await encode(ramp, format);
    const difference = meanDifference(pixels, ramp.pixels);
    assert.ok(difference < 2, `${format}: ${difference}`);
    assert.is(header.format, format === 'avif' ? 'heif' : format);
  }
});

test('quality changes the size of what has quality', async () => {
  for (const format of ['jpeg', 'webp', 'avif'] as const) {
    const [low, high] = [
      await encode(scene(), format, { quality: 20 }),
      await encode(scene(), format, { quality: 98 }),
    ];
    assert.ok(low.encoded.length < high.encoded.length, format);
  }
});

test('JPEG keeps full chroma', async () => {
  assert.is((await encode(scene(), 'jpeg')).header.chromaSubsampling, '4:4:4');
});

test('JPEG puts white, or what is asked, behind transparency', async () => {
  const clear: Picture = { ...scene(4), pixels: Buffer.alloc(96 * 64 * 4) };
  const white = await encode(clear, 'jpeg');
  assert.equal([...white.pixels.subarray(0, 3)], [255, 255, 255]);
  const { pixels, header } = await encode(clear, 'jpeg', { background: '#00ff00' });
  assert.ok(meanDifference(pixels.subarray(0, 3), Buffer.from([0, 255, 0])) < 3);
  assert.is(header.channels, 3);
  const output = { background: '#00ff00', metadata: 'keep' } as const;
  const source = solid().withExif({ IFD0: { Artist: 'Somebody' } });
  const kept = await encode(clear, 'jpeg', output, source.jpeg());
  assert.ok(meanDifference(kept.pixels.subarray(0, 3), Buffer.from([0, 255, 0])) < 3);
  assert.ok(kept.header.exif?.includes('Somebody'));
});

test('a background that was asked for keeps its colour under a grey picture', async () => {
  const clear = { ...scene(4), pixels: Buffer.alloc(96 * 64 * 4) };
  const grey = solid({ r: 9, g: 9, b: 9, alpha: 0.5 }, 4).toColourspace('b-w').png();
  const [red, none] = [{ background: '#ff0000' }, { background: '#808080' }];
  assert.is((await encode(clear, 'jpeg', red, grey)).header.channels, 3);
  assert.is((await encode(clear, 'jpeg', none, grey)).header.channels, 1);
  assert.is((await encode(clear, 'jpeg', {}, grey)).header.channels, 1);
});

test('a source without colour gives an output without', async () => {
  const grey = { ...scene(), pixels: Buffer.alloc(96 * 64 * 3, 77) };
  const source = solid().toColourspace('b-w').png();
  for (const format of ['png', 'jpeg'] as const) {
    const { header, pixels } = await encode(grey, format, {}, source.clone());
    assert.is(header.channels, 1);
    assert.ok(pixels.every((value) => Math.abs(value - 77) <= 1));
  }
});

test('metadata is stripped, or kept with the orientation reset', async () => {
  const source = raw(scene())
    .withExif({ IFD0: { Artist: 'Somebody' } })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
    .withMetadata({ orientation: 6 })
    .jpeg();
  for (const format of ['png', 'jpeg', 'webp', 'avif'] as const) {
    const stripped = (await encode(scene(), format, {}, source.clone())).header;
    assert.is(stripped.exif, undefined);
    assert.is(stripped.xmp, undefined);
    const kept = (await encode(scene(), format, { metadata: 'keep' }, source.clone())).header;
    assert.ok(kept.exif?.includes('Somebody'), format);
    assert.ok(kept.xmp?.includes('xmpmeta'), format);
    assert.is(kept.orientation ?? 1, 1);
    assert.equal([kept.width, kept.height], [96, 64]);
  }
});

test('keeping metadata changes no opaque pixel', async () => {
  const source = raw(scene())
    .withExif({ IFD0: { Artist: 'Somebody' } })
    .jpeg();
  for (const channels of [3, 4] as const) {
    const picture = scene(channels);
    const { pixels } = await encode(picture, 'png', { metadata: 'keep' }, source.clone());
    if (channels === 3) assert.equal(pixels, picture.pixels);
    else {
      for (let i = 0; i < pixels.length; i += 4) {
        assert.is(pixels[i + 3], picture.pixels[i + 3]);
        if (pixels[i + 3] === 255) assert.is(pixels[i], picture.pixels[i]);
      }
    }
  }
});

test('keep where there is nothing to keep is no fault', async () => {
  assert.equal((await encode(scene(), 'png', { metadata: 'keep' })).pixels, scene().pixels);
});

test('a place that cannot be written to is encode_failed', async () => {
  writeFileSync(at('a'), await solid().png().toBuffer());
  const source = { path: at('a'), info: await probeImage(at('a')) };
  await failing(
    encodeImage(scene(), { source, target: at('none/such'), format: 'png', output: {} }),
    'encode_failed',
  );
});

test('a large picture is encoded by another process, as it is by this one', async () => {
  await compiled('encoder');
  const large = scene(4, [1_000, 520]);
  const { encoded } = await encode(large, 'avif', { quality: 30 });
  const encoding = await encodingOf('avif', { quality: 30 });
  const confines = { environment: {}, network: 'blocked' as const, signal: never };
  await encodeStoppably(large, encoding, confines);
  assert.equal(readFileSync(encoding.target), encoded);
  rmSync(encoding.target);
  const nowhere = { ...encoding, target: at('none/such') };
  await failing(encodeStoppably(large, nowhere, confines), 'encode_failed');
});

test('the encoding of a large picture ends at once when it is not wanted any more', async () => {
  await compiled('encoder');
  const [width, height] = [3_000, 2_000];
  const noise: Picture = { width, height, channels: 3, pixels: randomBytes(width * height * 3) };
  const encoding = await encodingOf('avif', { lossless: true });
  const unwanted = new AbortController();
  const confines = { environment: {}, network: 'open' as const, signal: unwanted.signal };
  const encoded = encodeStoppably(noise, encoding, confines);
  setTimeout(() => unwanted.abort(new Error('not wanted any more')), 1_500);
  const reason = await encoded.then(String, String);
  assert.is(reason, 'Error: not wanted any more');
  assert.not.ok(existsSync(encoding.target));
});

test('a picture without a width is refused in a whole sentence', async () => {
  const bytes = await solid().png().toBuffer();
  bytes.writeUInt32BE(0, 16);
  writeFileSync(at('flat.png'), bytes);
  const { message } = await failing(probeImage(at('flat.png')), 'media_unreadable');
  assert.match(message, /[a-z]\.$/);
});

test.run();
