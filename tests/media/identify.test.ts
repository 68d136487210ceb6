import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identify, identifySound } from '../../src/media/probe/identify.ts';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';
import { failing } from './failing.ts';
import { tiffOf } from './tiff.ts';

const folder = tempDir('identify');
const at = (name: string) => join(folder, name);
const write = (name: string, content: string | Buffer) => {
  writeFileSync(at(name), content);
  return at(name);
};
const dot = () => sharp({ create: { width: 8, height: 8, channels: 3, background: '#c83' } });
/** Two pages, as a looping image has them. */
const loop = () => {
  const input = Buffer.alloc(8 * 16 * 3, 90).fill(200, 0, 8 * 8 * 3);
  return sharp(input, { raw: { width: 8, height: 16, channels: 3, pageHeight: 8 } });
};

const test = suite('identify');

test('images and videos are known by their content, whatever they are called', async () => {
  for (const format of ['png', 'jpeg', 'webp', 'avif', 'tiff', 'gif'] as const) {
    const path = write('picture.txt', await dot()[format]().toBuffer());
    const expected = { kind: 'image', mime: `image/${format}` };
    assert.equal(await identify(path), expected);
  }
  const bmp = await makeClip(at('picture.bmp'), pattern(0.04), ['-frames:v', '1']);
  assert.equal(await identify(bmp), { kind: 'image', mime: 'image/bmp' });
  const videos = {
    mp4: 'video/mp4',
    mov: 'video/quicktime',
    '3gp': 'video/3gpp',
    avi: 'video/vnd.avi',
  };
  for (const [format, mime] of Object.entries(videos)) {
    const path = await makeClip(at('clip.png'), pattern(0.2), [...h264, '-f', format]);
    assert.equal((({ kind, mime }) => ({ kind, mime }))(await identify(path)), {
      kind: 'video',
      mime,
    });
  }
  for (const format of ['webm', 'matroska']) {
    const path = await makeClip(at('clip.mp4'), pattern(0.2), ['-c:v', 'libvpx', '-f', format]);
    assert.is((await identify(path)).mime, `video/${format}`);
  }
});

test('an old MOV without a file type box is a MOV', async () => {
  const path = await makeClip(at('new.mov'), pattern(0.2), h264);
  const bytes = readFileSync(path);
  assert.is(
    (await identify(write('old.mov', bytes.subarray(bytes.readUInt32BE(0))))).mime,
    'video/quicktime',
  );
});

test('animated images are videos, but for AVIF', async () => {
  const gif = write('a.gif', await loop().gif().toBuffer());
  const webp = write('a.webp', await loop().webp().toBuffer());
  const apng = await makeClip(at('a.png'), pattern(0.2), ['-f', 'apng']);
  for (const [path, mime] of [
    [gif, 'image/gif'],
    [webp, 'image/webp'],
    [apng, 'image/apng'],
  ] as const) {
    const type = await identify(path);
    assert.equal([type.kind, type.mime], ['video', mime]);
    const failed = await failing(identifySound(path), 'unsupported_media_type');
    assert.match(failed.message, `; got an animated image (${mime}).`);
  }
  const still = await dot().avif().toBuffer();
  const avif = write(
    'a.avif',
    Buffer.from(still.toString('latin1').replace('avif', 'avis'), 'latin1'),
  );
  const failed = await failing(identify(avif), 'unsupported_media_type');
  assert.match(failed.message, /; got an animated image \(image\/avif\): convert it /);
});

test('a TIFF of several pages is refused as such', async () => {
  const grey = { width: 2, height: 2, bits: 8, data: Buffer.alloc(4) } as const;
  assert.is((await identify(write('a.tiff', tiffOf(grey)))).mime, 'image/tiff');
  const tiff = write('a.tiff', tiffOf(grey, { pages: 2 }));
  const { message } = await failing(identify(tiff), 'unsupported_media_type');
  assert.match(message, /TIFF, BMP, GIF\) .*; got an image of several pages/);
});

test('a BigTIFF of several pages is refused as such', async () => {
  for (const little of [true, false]) {
    const bigTiff = (next: number) => {
      const bytes = Buffer.alloc(60);
      const put = (at: number, size: number, value: number) =>
        little ? bytes.writeUIntLE(value, at, size) : bytes.writeUIntBE(value, at, size);
      bytes.write(little ? 'II' : 'MM', 'latin1');
      put(2, 2, 43);
      put(4, 2, 8);
      // The low 6 of 8 bytes: the first directory, its one entry of 20 bytes, and where the next directory is.
      const low = little ? 0 : 2;
      put(8 + low, 6, 16);
      put(16 + low, 6, 1);
      put(44 + low, 6, next);
      return write('big.tiff', bytes);
    };
    assert.is((await identify(bigTiff(0))).mime, 'image/tiff');
    const { message } = await failing(identify(bigTiff(52)), 'unsupported_media_type');
    assert.match(message, /got an image of several pages/);
  }
});

test('anything else is refused, and what came is told', async () => {
  const others: [string, RegExp][] = [
    [write('empty.png', ''), /empty/],
    [write('a.png', 'This is a text.\nReally.'), /text/],
    // What curl sends for `-F image=my photo.JPG`, and for an address.
    [write('a.jpg', 'my photo.JPG'), /got text, the name of a file: curl .* @ .*\.$/],
    [write('b.tif', 'scan.m2ts'), /got text, the name of a file: /],
    [
      write('b.jpg', 'https://example.org/a'),
      /got text, the address of a file: .* image_url, video_url or audio_url\.$/,
    ],
    [write('l.png', 'version https://git-lfs.github.com/spec/v1\n'), /Git LFS .*"git lfs pull"\.$/],
    [write('d.png', randomBytes(99).toString('base64')), /got text in base64: send the bytes/],
    [write('a.txt', 'Have a look at a.png\nand b.png'), /got text\.$/],
    [write('noise.jpg', Buffer.from([0, 1, 2, 3, 250, 251])), /unknown/],
    [write('list.mp4', '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'), /text/],
    [write('a.svg', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'), /xml|text/],
    [write('short.png', Buffer.from([0x89, 0x50])), /unknown/],
    [await makeClip(at('a.mp4'), pattern(0.2), ['-f', 'nut']), /got a NUT file\.$/],
    [write('dts.wav', Buffer.from('7ffe800100000000', 'hex')), /got DTS sound\.$/],
    [write('a.latm', Buffer.from('56e0ffb1', 'hex')), /got AAC in LATM, as broadcasters send it/],
    [write('mlp.wav', Buffer.from('b03c1a2bf8726fba', 'hex')), /got Dolby TrueHD or MLP sound\.$/],
    [write('tta.wav', 'TTA1\u0001\u0000'), /got True Audio \(TTA\) sound\.$/],
    [
      write('voc.wav', 'Creative Voice File\u001a'),
      /got a Creative Voice sound \(audio\/x-voc\)\.$/,
    ],
    [await makeClip(at('raw.mp4'), pattern(0.2), [...h264, '-f', 'h264']), /got a bare H\.264 /],
  ];
  for (const [path, came] of others) {
    assert.match((await failing(identify(path), 'unsupported_media_type')).message, came);
  }
});

test('MPEG streams are known, of any kind', async () => {
  for (const [format, more, mime] of [
    ['mpegts', [], 'video/mp2t'],
    ['mpegts', ['-mpegts_m2ts_mode', '1'], 'video/mp2t'],
    ['vob', [], 'video/MP2P'],
    ['mpeg', [], 'video/MP1S'],
  ] as const) {
    const path = await makeClip(at('clip.mp4'), pattern(0.2), [...more, '-f', format]);
    assert.is((await identify(path)).mime, mime);
  }
});

test('Ogg, DV and MXF are known', async () => {
  const dv = ['-s', '720x576', '-pix_fmt', 'yuv420p', '-frames:v', '1'];
  for (const [name, output, mime] of [
    ['a.ogv', ['-c:v', 'libtheora'], 'video/ogg'],
    ['a.dv', dv, 'video/DV'],
    ['a.mxf', ['-c:v', 'mpeg2video'], 'application/mxf'],
  ] as const) {
    const path = await makeClip(at(name), pattern(0.2), output);
    const { kind, mime: found } = await identify(path);
    assert.equal([kind, found, (await identifySound(path)).mime], ['video', mime, mime]);
  }
  const skeleton = `OggS\0\x02${'\0'.repeat(20)}\x01@fishead\0`;
  assert.is((await identify(write('a.txt', Buffer.from(skeleton, 'latin1')))).kind, 'video');
});

test('Windows Media and Flash Video are known', async () => {
  for (const [format, mime] of [
    ['asf', 'video/x-ms-asf'],
    ['flv', 'video/x-flv'],
  ] as const) {
    const path = await makeClip(at('clip.mp4'), pattern(0.2), ['-f', format]);
    assert.is((await identify(path)).mime, mime);
  }
  const wma = await makeClip(at('a.mp3'), tone(0.2), ['-f', 'asf']);
  const { kind, mime } = await identifySound(wma);
  assert.equal([kind, mime], ['audio', 'audio/x-ms-asf']);
});

test('a sound behind an ID3 tag is told as one where ffmpeg does not read it', async () => {
  const tag = Buffer.from([...Buffer.from('ID3\x04\0\0'), 0, 0, 0, 9, ...Buffer.alloc(9)]);
  const tagged = async (name: string) => {
    const sound = readFileSync(await makeClip(at(name), tone(0.2)));
    return write(`tagged-${name}`, Buffer.concat([tag, sound]));
  };
  for (const [name, mime] of [
    ['b.wav', 'audio/wav'],
    ['b.m4a', 'audio/x-m4a'],
  ] as const) {
    const { message } = await failing(identifySound(await tagged(name)), 'unsupported_media_type');
    assert.ok(message.includes(`got ${mime} behind an ID3 tag, where it cannot be read`), message);
  }
  for (const name of ['b.flac', 'b.aac', 'b.mp3'])
    assert.is((await identifySound(await tagged(name))).container, name.slice(2));
});

test('a format whose media type few know is told by its name too', async () => {
  for (const [head, came] of [
    ['II*\0\x10\0\0\0CR\x02\0', /got a camera's raw file, .* \(image\/x-canon-cr2\)\.$/],
    ['.RMF\0\0\0\x12', /got RealMedia \(application\/vnd\.rn-realmedia\)\.$/],
    [`\0\0\x02${'\0'.repeat(9)}\x02\0\x02\0\x18\0`, /got a Targa image: .* \(image\/x-targa\)\.$/],
    ['\0\0\x01\0\x01\0\x10\x10', /got an icon: .* \(image\/x-icon\)\.$/],
    ['%PDF-1.7\n', /got a PDF: .* \(application\/pdf\)\.$/],
  ] as const) {
    const path = write('a.bin', Buffer.from(head, 'latin1'));
    assert.match((await failing(identify(path), 'unsupported_media_type')).message, came);
  }
});

test('an SVG is told as a drawing without pixels, not as text or XML', async () => {
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
  for (const before of ['', '<?xml version="1.0"?>\n<!-- a logo -->\n<!DOCTYPE svg>\n']) {
    assert.match(
      (await failing(identify(write('logo.svg', before + drawing)), 'unsupported_media_type'))
        .message,
      /got an SVG drawing \(image\/svg\+xml\), which has no pixels/,
    );
  }
});

test('a web page is told as one: links to a file often lead to a page that shows it', async () => {
  for (const page of [
    '<!DOCTYPE html>\n<meta charset="utf-8">',
    '\n<html lang="en">',
    '<!-- --><HEAD>',
  ])
    assert.match(
      (await failing(identify(write('photo.jpg', page)), 'unsupported_media_type')).message,
      /got a web page \(text\/html\); a link must lead to the file itself/,
    );
});

test('the kinds that are taken are told with their formats', async () => {
  const path = write('notes.png', 'once upon a time');
  assert.match(
    (await failing(identify(path), 'unsupported_media_type')).message,
    'Expected an image (PNG, JPEG, WebP, AVIF, HEIC, TIFF, BMP, GIF) or a video (MP4, MOV, AVI, WebM, MKV, MPEG, WMV, FLV, OGV, DV, MXF, animated GIF, PNG or WebP); got text.',
  );
  assert.match(
    (await failing(identify(path, ['image', 'video', 'audio']), 'unsupported_media_type')).message,
    /^Expected an image \(.*\), a video \(.*\) or a sound \(.*\); got text\.$/,
  );
});

test.run();
