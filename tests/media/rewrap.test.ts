import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { crc32 as checksumOfPng } from 'node:zlib';
import sharp from 'sharp';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { identify, toBeRewrapped } from '../../src/media/probe/identify.ts';
import { rewrap } from '../../src/media/probe/rewrap.ts';
import { decodeOwnAudio } from '../../src/media/read/decode-audio.ts';
import { leftOutOfLipSync, leftOutOfVideo } from '../../src/operations/left-out.ts';
import { pictureWarnings } from '../../src/operations/media.ts';
import { h264, makeClip, pattern } from '../real/clip.ts';
import { again, at, decode, ffmpeg, limits, meanOf, probe, soon } from './clips.ts';
import { failing } from './failing.ts';

/** Two seconds; white and a tone from 1 s to 1.2 s, black and silence else. */
const flash = (output: readonly string[], size = '64x48') => [
  ...['-f', 'lavfi', '-i', `color=black:size=${size}:rate=25:duration=2`],
  ...['-f', 'lavfi', '-i', 'sine=frequency=1000:sample_rate=48000:duration=2'],
  ...['-vf', "drawbox=color=white:thickness=fill:enable='between(t,0.99,1.19)'"],
  ...['-af', "asetnsamples=48,volume='between(t,1,1.2)':eval=frame"],
  ...output,
];
const blueRay = ['-mpegts_m2ts_mode', '1'];
const mpeg2 = ['-c:v', 'mpeg2video', '-b:v', '1M'];
/** What a stream is made with, and its sound's codec in the Matroska. */
const streams: Readonly<Record<string, readonly [output: readonly string[], codec: string]>> = {
  'hours.ts': [[...h264, '-c:a', 'aac', '-output_ts_offset', '9000'], 'aac'],
  // The clock has 33 bits of a 90,000th of a second: it begins again after 95443.7 s.
  'again-at-0.ts': [[...h264, '-c:a', 'aac', '-output_ts_offset', '95442'], 'aac'],
  'ac3.mts': [[...h264, '-c:a', 'ac3', ...blueRay, '-f', 'mpegts'], 'ac3'],
  'lpcm.m2ts': [
    [...h264, '-c:a', 'pcm_bluray', '-ac', '2', ...blueRay, '-f', 'mpegts'],
    'pcm_s24le',
  ],
  'mp2.ts': [[...mpeg2, '-c:a', 'mp2'], 'mp2'],
  'dvd.vob': [[...mpeg2, '-c:a', 'ac3', '-f', 'vob'], 'ac3'],
  'lpcm.vob': [[...mpeg2, '-c:a', 'pcm_s16be', '-ac', '2', '-f', 'vob'], 'pcm_s24le'],
  'a.wmv': [['-c:v', 'wmv2', '-b:v', '1M', '-c:a', 'wmav2', '-f', 'asf'], 'wmav2'],
  'a.flv': [['-c:v', 'flv1', '-b:v', '1M', '-c:a', 'mp3', '-ar', '44100'], 'mp3'],
  'h264.flv': [[...h264, '-c:a', 'aac'], 'aac'],
  // Each a whole picture: one that is like the one before it is an empty packet, which ends in the Matroska's gap.
  'a.ogv': [['-c:v', 'libtheora', '-g', '1', '-c:a', 'libvorbis'], 'vorbis'],
  'a.dv': [['-s', '720x576', '-c:v', 'dvvideo', '-c:a', 'pcm_s16le', '-ac', '2'], 'pcm_s16le'],
  'a.mxf': [[...mpeg2, '-c:a', 'pcm_s24le'], 'pcm_s24le'],
  'a.mpg': [['-c:v', 'mpeg1video', '-b:v', '1M', '-c:a', 'mp2', '-f', 'mpeg'], 'mp2'],
};

const rewrapped = async (path: string): Promise<string> => {
  const target = `${path}.mkv`;
  const container = toBeRewrapped(await identify(path)) ?? 'mpeg';
  await rewrap({ path, container, bytes: 1, limits: limits.video, target, ffmpeg, signal: soon() });
  return target;
};

for (const [name, [output, codec]] of Object.entries(streams)) {
  test(`${name} keeps its length, its rate, and its sound with its pictures`, async () => {
    const path = await rewrapped(await makeClip(at(name), flash(output)));
    const { info, target, encoded } = await again(path);
    assert.equal([info.container, info.frames, info.constantRate], ['matroska', 50, true]);
    assert.equal([info.fps, info.durationSeconds, info.audio[0]?.codec], [25, 2, codec]);
    assert.equal([encoded.frames, encoded.durationSeconds], [50, 2]);
    assert.is(info.statedSeconds, undefined);
    const result = await probe(target);
    const from = result.startSeconds;
    const lit = (await decode(target)).find((frame) => (meanOf(frame)[0] ?? 0) > 128);
    const samples = await decodeOwnAudio(target, result, { ffmpeg, signal: soon(), from });
    const heard = samples.findIndex((sample) => Math.abs(sample) > 0.05) / 16_000;
    const late = heard - ((lit?.time ?? 0) - from);
    // A few milliseconds before it begins, as codecs of sound hear it.
    assert.ok(Math.abs(late) < 0.01, `heard ${late} s later`);
  });
}

test('a stream of interlaced pictures stays one, and has its colours', async () => {
  const tags = 'setparams=field_mode=tff:colorspace=bt709:color_primaries=bt709:color_trc=bt709';
  const fields = ['-vf', tags, '-flags', '+ilme+ildct', ...h264, '-c:a', 'ac3', ...blueRay];
  const path = await makeClip(at('i.mts'), flash([...fields, '-f', 'mpegts'], '96x64'));
  const { interlaced, colour, frames } = await probe(await rewrapped(path));
  assert.equal([interlaced, frames], [true, 50]);
  assert.equal([colour.matrix, colour.primaries, colour.transfer], ['bt709', 'bt709', 'bt709']);
});

test('a stream that breaks off, or has a hole, is taken as far as it goes', async () => {
  const noise = ['-f', 'lavfi', '-i', 'nullsrc=size=96x64:rate=25:duration=2,geq=random(1)*255'];
  const path = await makeClip(at('whole.ts'), [...noise, ...h264, '-g', '5']);
  const bytes = readFileSync(path);
  const part = async (name: string, content: Buffer) => {
    writeFileSync(at(name), content);
    return probe(await rewrapped(at(name)));
  };
  const cut = await part('cut.ts', bytes.subarray(0, Math.round(bytes.length * 0.6) + 77));
  assert.ok(cut.frames >= 25 && cut.frames <= 35, `${cut.frames} of 50`);
  const middle = 188 * Math.round(bytes.length / 376);
  const hole = Buffer.concat([bytes.subarray(0, middle), bytes.subarray(middle + 188 * 100)]);
  const { durationSeconds, frames } = await part('hole.ts', hole);
  assert.is(durationSeconds, 2);
  assert.ok(frames >= 30 && frames < 50, `${frames} of 50`);
});

test('an Ogg whose header is damaged is told as unreadable, not as a fault of the service', async () => {
  const path = await makeClip(at('whole.ogv'), flash(['-c:v', 'libtheora', '-c:a', 'libvorbis']));
  const bytes = readFileSync(path);
  bytes.write('?', bytes.indexOf('\x05vorbis', 0, 'latin1') + 20);
  writeFileSync(at('damaged.ogv'), bytes);
  await failing(rewrapped(at('damaged.ogv')), 'media_unreadable');
});

test('a WMV or FLV that is cut off says how long it was to be', async () => {
  for (const name of ['a.wmv', 'a.flv', 'h264.flv']) {
    const [output] = streams[name] ?? [[]];
    const long = flash(output).map((arg) => arg.replace('duration=2', 'duration=6'));
    const bytes = readFileSync(await makeClip(at(`whole-${name}`), long));
    writeFileSync(at(`cut-${name}`), bytes.subarray(0, bytes.length >> 1));
    const info = await probe(await rewrapped(at(`cut-${name}`)));
    const { statedSeconds = 0, mediaSeconds } = info;
    assert.ok(Math.abs(statedSeconds - 6) < 0.2, `${name}: ${statedSeconds} s`);
    assert.ok(mediaSeconds < 5, `${name}: ${mediaSeconds} s`);
    const [warning] = pictureWarnings(info);
    assert.is(warning?.code, 'video_cut_short');
  }
});

/** The checksum of MPEG's tables. */
const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  }
  return crc >>> 0;
};

/** The second stream of an MPEG stream as its table would name one of teletext. */
const asTeletext = (stream: Buffer): Buffer => {
  const copy = Buffer.from(stream);
  for (let at = 0; at < copy.length; at += 188) {
    const packet = copy.subarray(at, at + 188);
    if ((packet.readUInt16BE(1) & 0x1fff) !== 0x1000) continue;
    const table = packet.subarray(5 + (packet[4] ?? 0));
    const end = 3 + (table.readUInt16BE(1) & 0xfff) - 4;
    const second = 12 + 5 + (table.readUInt16BE(15) & 0xfff);
    const pid = table.subarray(second + 1, second + 3);
    const entry = [6, ...pid, 0xf0, 7, 0x56, 5, 0x65, 0x6e, 0x67, 0x10, 0x88]; // English, page 888
    const whole = Buffer.concat([table.subarray(0, second), Buffer.from(entry), Buffer.alloc(4)]);
    assert.ok(second < end);
    whole.writeUInt16BE(0xb000 + whole.length - 3, 1);
    whole.writeUInt32BE(crc32(whole.subarray(0, -4)), whole.length - 4);
    table.fill(0xff).set(whole);
  }
  return copy;
};

test('teletext, which no Matroska holds, is told to be left out', async () => {
  const path = await makeClip(at('two-streams.ts'), flash([...h264, '-c:a', 'mp2']));
  writeFileSync(at('teletext.ts'), asTeletext(readFileSync(path)));
  const info = await probe(await rewrapped(at('teletext.ts')));
  assert.equal([info.hasAudio, info.others.subtitles], [false, []]);
  const left = '; left out: 1 subtitle track';
  assert.match(leftOutOfVideo(info)[0]?.detail ?? '', `${left} (dvb_teletext).`);
  assert.match(leftOutOfLipSync(info)[0]?.detail ?? '', `${left}.`);
});

test('of several programmes the first one is taken; all sounds are', async () => {
  const two = [
    ...flash([]).slice(0, 8),
    ...['-f', 'lavfi', '-i', 'color=red:size=96x64:rate=25:duration=2'],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '1', ...h264, '-c:a', 'mp2'],
    ...['-program', 'program_num=1:st=0:st=1', '-program', 'program_num=2:st=2:st=3'],
  ];
  const info = await probe(await rewrapped(await makeClip(at('two.ts'), two)));
  assert.equal([info.size.width, info.audio.length, info.frames], [64, 2, 50]);
});

/** A red disc that moves over transparency, each picture stated to be shown as long as the next one of `delays`, in milliseconds. */
const delays = [10, 300, 50, 20, 10, 700, 0, 10];
const disc = () => {
  const [width, height] = [60, 40];
  const pixels = Buffer.alloc(width * height * delays.length * 4);
  for (let at = 0; at < width * height * delays.length; at += 1) {
    const [x, y, picture] = [
      at % width,
      Math.floor(at / width) % height,
      Math.floor(at / width / height),
    ];
    if (Math.hypot(x - 10 - 8 * picture, y - 20) < 8) pixels.set([200, 40, 40, 255], at * 4);
  }
  const raw = { width, height: height * delays.length, channels: 4, pageHeight: height } as const;
  return sharp(pixels, { raw });
};

test('an animated image becomes a video of its pictures, on white, for as long as each is shown', async () => {
  const animations = {
    'a.gif': await disc().gif({ delay: delays }).toBuffer(),
    'a.webp': await disc().webp({ delay: delays, lossless: true }).toBuffer(),
  };
  for (const [name, content] of Object.entries(animations)) {
    writeFileSync(at(name), content);
    const path = await rewrapped(at(name));
    const frames = await decode(path);
    assert.equal(
      frames.map(({ duration }) => Math.round(duration * 1000)),
      delays.map((delay) => (delay <= 10 ? 100 : delay)),
    );
    const [corner, inside] = [0, (20 * 60 + 10 + 8 * 3) * 3];
    const pixelAt = (from: number) => [...(frames[3]?.pixels.subarray(from, from + 3) ?? [])];
    assert.equal(
      [pixelAt(corner), pixelAt(inside)],
      [
        [255, 255, 255],
        [200, 40, 40],
      ],
      name,
    );
    const { hasAudio, alpha } = await probe(path);
    assert.equal([hasAudio, alpha], [false, true]);
  }
  const apng = await rewrapped(await makeClip(at('a.png'), pattern(0.4), ['-f', 'apng']));
  const { frames, alpha, durationSeconds } = await probe(apng);
  assert.equal([frames, alpha, durationSeconds], [10, false, 0.4]);
  const brief = ['-f', 'lavfi', '-i', 'testsrc2=size=64x48:rate=100:duration=0.04'];
  const png = await makeClip(at('b.png'), brief, ['-f', 'apng']);
  const bytes = readFileSync(png);
  const control = bytes.indexOf('fcTL', bytes.indexOf('fcTL') + 4);
  bytes.writeUInt16BE(0, control + 24); // the delay of the second picture
  bytes.writeUInt32BE(checksumOfPng(bytes.subarray(control, control + 30)), control + 30);
  writeFileSync(png, bytes);
  const shown = await decode(await rewrapped(png));
  assert.equal(
    shown.map(({ duration }) => Math.round(duration * 1000)),
    [100, 100, 100, 100],
  );
});

test('a larger animation than a video may be is refused by its header', async () => {
  const [width, height] = [2400, 2400];
  const pixels = Buffer.alloc(width * height * 2 * 3, 90).fill(200, 0, width * height * 3);
  const raw = { width, height: height * 2, channels: 3, pageHeight: height } as const;
  await sharp(pixels, { raw }).gif({ effort: 1 }).toFile(at('large.gif'));
  const { message } = await failing(rewrapped(at('large.gif')), 'resolution_too_large');
  assert.match(message, '2400x2400');
});

test('a stream without anything to see or hear is refused, and leaves no file', async () => {
  const packets = Buffer.alloc(188 * 40, 0xff);
  for (let packet = 0; packet < packets.length; packet += 188) {
    packets.set([0x47, 0x1f, 0xff, 0x10], packet);
  }
  writeFileSync(at('nothing.ts'), packets);
  await failing(rewrapped(at('nothing.ts')), 'media_unreadable');
  assert.not(existsSync(at('nothing.ts.mkv')));
});

test.run();
