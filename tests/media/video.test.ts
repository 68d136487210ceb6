/** Whole ways of clips through decoder and encoder, looked at with ffmpeg's own eyes. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Frame } from '../../src/frame.ts';
import { decodeSmall, decodeVideo } from '../../src/media/read/decode.ts';
import { encodeVideo } from '../../src/media/write/encode.ts';
import { writeSubtitles } from '../../src/media/write/subtitles.ts';
import {
  bannerOf,
  frameOf,
  h264,
  makeClip,
  packetsOf,
  pattern,
  timesOf,
  tone,
} from '../real/clip.ts';
import { meanDifference } from '../real/likeness.ts';
import { again, at, decode, ffmpeg, largest, meanOf, probe, soon } from './clips.ts';
import { failing } from './failing.ts';

const test = suite('video');

/** Three plain areas whose colours tell a wrong matrix or range at once. */
const bars = ['-f', 'lavfi', '-i', 'smptebars=size=64x48:rate=25:duration=0.4'];
/** The largest difference of mean colours between a picture of two files, as ffmpeg itself shows them. */
const apart = async (a: string, b: string): Promise<number> =>
  largest(meanOf({ pixels: await frameOf(a, 3) }), meanOf({ pixels: await frameOf(b, 3) }));
const sameTimes = async (source: string, result: string) => {
  const [expected, came] = [await timesOf(source), await timesOf(result)];
  assert.is(came.length, expected.length);
  assert.ok(largest(came, expected) < 2e-5, `expected ${expected}; ${came} came`);
};

test('frames come in order, with exact times, index and pixels', async () => {
  const clip = await makeClip(at('a.mp4'), pattern(1, '30000/1001', '128x96'), h264);
  const frames = await decode(clip);
  assert.is(frames.length, 30);
  for (const [i, { index, time, duration, pixels, width, height, channels }] of frames.entries()) {
    assert.equal([index, width, height, channels, pixels.length], [i, 128, 96, 3, 128 * 96 * 3]);
    assert.ok(Math.abs(time - (i * 1001) / 30000) < 1e-9);
    assert.ok(Math.abs(duration - 1001 / 30000) < 1e-6);
  }
  const hashes = new Set(
    frames.map(({ pixels }) => createHash('md5').update(pixels).digest('hex')),
  );
  assert.is(hashes.size, 30);
});

test('a video whose clock begins at 100 s begins at zero, with its sound and subtitles where they were', async () => {
  const srt = at('late.srt');
  writeFileSync(srt, '1\n00:00:00,300 --> 00:00:00,800\nHello\n\n');
  const late = ['-output_ts_offset', '100'];
  const inputs = [...pattern(1), ...tone(1), '-i', srt];
  const clip = await makeClip(at('late.mov'), inputs, [
    ...h264,
    '-c:a',
    'aac',
    '-c:s',
    'mov_text',
    ...late,
  ]);
  const info = await probe(clip);
  assert.ok(Math.abs(info.mediaStart - 100) < 0.03, `${info.mediaStart}`);
  const source = { path: clip, info, subtitles: `${clip}.subtitles` };
  assert.ok(await writeSubtitles(source, source.subtitles, { ffmpeg, signal: soon() }));
  const target = `${clip}.out.mp4`;
  const frames = decodeVideo(clip, info, { ffmpeg, signal: soon() });
  await encodeVideo(frames, { source, target, output: {}, ffmpeg, signal: soon() });
  const apart = info.startSeconds - info.mediaStart;
  for (const [stream, first, last] of [
    ['v:0', apart, apart + 0.96],
    ['a:0', 0, 1],
    ['s:0', 0, 0.8 + apart],
  ] as const) {
    const times = await timesOf(target, stream);
    const [start = 100, end = 100] = [times[0], times.at(-1)];
    assert.ok(
      Math.abs(start - first) < 0.025 && end <= last + 0.03,
      `${stream}: ${start} to ${end}`,
    );
  }
});

test('of every third frame, index counts those that come and times are its own', async () => {
  const clip = await makeClip(at('third.mp4'), pattern(0.4, 25), h264);
  const options = { longSide: 64, every: 3, ffmpeg, signal: soon() };
  const came = [];
  for await (const { index, time } of decodeSmall(clip, await probe(clip), options))
    came.push({ index, hundredths: Math.round(time * 100) });
  assert.equal(
    came,
    [0, 12, 24, 36].map((hundredths, index) => ({ index, hundredths })),
  );
});

test('a known colour is that colour, whatever matrix and range carry it', async () => {
  const colour = ['-f', 'lavfi', '-i', 'color=0xc8321e:size=64x48:rate=25:duration=0.2'];
  for (const [matrix, range] of [
    ['bt709', 'tv'],
    ['bt709', 'pc'],
    ['smpte170m', 'tv'],
    ['smpte170m', 'pc'],
  ] as const) {
    for (const format of ['yuv420p', 'yuv444p', 'yuv420p10le']) {
      const scale = `scale=out_color_matrix=${matrix}:out_range=${range},format=${format}`;
      const filter = `format=rgb24,${scale},setparams=colorspace=${matrix}:range=${range}`;
      const args = ['-vf', filter, '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '5'];
      const [frame] = await decode(await makeClip(at('b.mp4'), colour, args));
      assert.ok(frame && largest(meanOf(frame), [200, 50, 30]) < 3, `${matrix} ${range} ${format}`);
    }
  }
});

test('times of a constant rate come back exactly', async () => {
  for (const rate of ['25', '30000/1001', '30', '60', '24000/1001']) {
    const clip = await makeClip(at('c.mp4'), pattern(0.5, rate), h264);
    const { target, encoded, info } = await again(clip);
    await sameTimes(clip, target);
    assert.is(encoded.frames, info.frames);
    assert.ok(Math.abs(encoded.durationSeconds - info.durationSeconds) < 1e-5);
  }
});

test('times of a variable rate come back exactly, and the whole length', async () => {
  const slower = ['-vf', "setpts='N*N/900/TB'", '-fps_mode', 'vfr', '-enc_time_base', '1/90000'];
  const clip = await makeClip(at('d.mp4'), [...pattern(1, 30), ...tone(2)], [...slower, ...h264]);
  const { target } = await again(clip);
  await sameTimes(clip, target);
  assert.match(await bannerOf(target), /Duration: 00:00:02\.0/);
});

test('times of WebM and AVI come back exactly', async () => {
  const webm = await makeClip(at('e.webm'), pattern(0.5, 30), ['-c:v', 'libvpx', '-b:v', '1M']);
  await sameTimes(webm, (await again(webm)).target);
  const avi = await makeClip(at('e.avi'), pattern(0.5, 24), [
    '-c:v',
    'mjpeg',
    '-pix_fmt',
    'yuvj420p',
  ]);
  await sameTimes(avi, (await again(avi)).target);
});

test('a first picture later than the sound stays later', async () => {
  const late = ['-itsoffset', '0.5', ...pattern(0.4), ...tone(1)];
  const clip = await makeClip(at('f.mp4'), late, [...h264, '-fps_mode', 'passthrough']);
  const { target } = await again(clip);
  assert.ok(((await timesOf(target))[0] ?? 0) > 0.49);
  await sameTimes(clip, target);
  assert.ok(Math.abs((await timesOf(target, 'a:0'))[0] ?? 1) < 0.03);
});

test('sound that MP4 holds is copied bit for bit, longer or shorter than the pictures', async () => {
  for (const [seconds, name, codec] of [
    [1.5, 'g.mp4', ['-c:a', 'aac']],
    [0.2, 'g.mp4', ['-c:a', 'aac']],
    [0.6, 'g.avi', ['-c:a', 'libmp3lame']],
    [0.6, 'g.mp4', ['-c:a', 'ac3']],
    [0.6, 'g.mov', ['-c:a', 'alac']],
    [0.6, 'g.mp4', ['-c:a', 'flac', '-strict', '-2']],
    [0.6, 'g.webm', ['-c:v', 'libvpx', '-b:v', '1M', '-c:a', 'libopus']],
  ] as const) {
    const video = name === 'g.webm' ? [] : h264;
    const clip = await makeClip(
      at(name),
      [...pattern(0.6), ...tone(seconds)],
      [...video, ...codec],
    );
    const { target } = await again(clip);
    assert.is(await packetsOf(target, 'a:0'), await packetsOf(clip, 'a:0'), codec.join(' '));
  }
});

test('other sound becomes AAC of the same length', async () => {
  for (const [name, video, audio] of [
    ['h.avi', ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'], 'pcm_s16le'],
    ['h.mov', h264, 'pcm_s24be'],
    ['h.webm', ['-c:v', 'libvpx', '-b:v', '1M'], 'libvorbis'],
  ] as const) {
    const clip = await makeClip(at(name), [...pattern(0.6), ...tone(1)], [...video, '-c:a', audio]);
    const { target } = await again(clip);
    assert.match(await bannerOf(target), /Audio: aac/);
    const times = await timesOf(target, 'a:0');
    assert.ok(Math.abs((times.at(-1) ?? 0) - 1) < 0.05, `${audio}: ${times.at(-1)}`);
  }
});

test('every sound track is kept, and none is invented', async () => {
  const maps = ['-map', '0:v', '-map', '1:a', '-map', '2:a', ...h264, '-c:a:0', 'aac'];
  const two = await makeClip(
    at('i.mov'),
    [...pattern(0.4), ...tone(0.4), ...tone(0.4)],
    [...maps, '-c:a:1', 'pcm_s16le'],
  );
  const banner = await bannerOf((await again(two)).target);
  assert.is(banner.match(/Stream #0:\d.*Audio: aac/g)?.length, 2);
  const silent = await makeClip(at('i.mp4'), pattern(0.4), h264);
  assert.not.match(await bannerOf((await again(silent)).target), /Audio:/);
});

test('colours stay, and so do the tags that say what they are', async () => {
  for (const [tags, told] of [
    ['bt709:range=tv:color_primaries=bt709:color_trc=bt709', /tv, bt709/],
    ['bt709:range=pc:color_primaries=bt709:color_trc=bt709', /yuvj420p\(pc, bt709/],
    ['smpte170m:range=tv:color_primaries=smpte170m:color_trc=smpte170m', /tv, smpte170m/],
    ['bt470bg:range=tv:color_primaries=bt470bg:color_trc=bt470bg', /tv, bt470bg/],
    [
      'bt2020nc:range=tv:color_primaries=bt2020:color_trc=smpte2084',
      /tv, bt2020nc\/bt2020\/smpte2084/,
    ],
  ] as const) {
    const [matrix = '', range = ''] = tags.split(':');
    const scale = `scale=out_color_matrix=${matrix.replace('nc', '')}:out_${range}`;
    const filter = `format=rgb24,${scale},format=yuv420p,setparams=colorspace=${tags}`;
    const clip = await makeClip(at('j.mp4'), bars, ['-vf', filter, '-c:v', 'libx264']);
    const { target } = await again(clip);
    assert.match(await bannerOf(target), told);
    assert.ok((await apart(clip, target)) < 1.5, `${tags}: ${await apart(clip, target)}`);
  }
});

test('an untagged clip is tagged as what it was taken for, so that a larger one is shown alike', async () => {
  const untagged = ['-vf', 'format=yuv420p,setparams=colorspace=unknown', ...h264];
  const clip = await makeClip(at('k.mp4'), bars, untagged);
  const { target } = await again(clip);
  // ffmpeg writes one name where matrix, primaries and transfer have the same; browsers want all three.
  assert.match(await bannerOf(target), /\(tv, smpte170m[,)]/);
  assert.ok((await apart(clip, target)) < 1.5);
  const rgb = await makeClip(at('k.mov'), bars, ['-c:v', 'png', '-pix_fmt', 'rgb24']);
  assert.match(await bannerOf((await again(rgb)).target), /\(tv, bt709[,)]/);
});

test('chroma stays in its place', async () => {
  // A hard edge between two colours of equal luma, at an odd place, enlarged with nothing but repetition.
  const edge = "geq=lum=128:cb=128:cr='if(lt(X,32),64,192)'";
  const args = ['-vf', `format=yuv420p,${edge}`, ...h264, '-crf', '1'];
  const clip = await makeClip(at('l.mp4'), pattern(0.2), args);
  const { target } = await again(await makeClip(at('l2.mp4'), ['-i', clip], ['-c', 'copy']));
  const [before, after] = [await frameOf(clip, 1), await frameOf(target, 1)];
  assert.ok(largest([...before], [...after]) <= 12, `${largest([...before], [...after])}`);
});

test('rotation is applied to the pictures, and no longer told', async () => {
  const clip = await makeClip(at('m.mp4'), bars, h264);
  for (const degrees of [90, 180, 270] as const) {
    const path = turned(clip, degrees);
    const [frame] = await decode(path);
    if (!frame) throw new Error('no frame');
    const expected = degrees === 180 ? '64x48' : '48x64';
    assert.is(`${frame.width}x${frame.height}`, expected);
    assert.ok(meanDifference(frame.pixels, await turnedFrame(path, degrees)) < 1, `${degrees}`);
    const banner = await bannerOf((await again(path)).target);
    assert.match(banner, new RegExp(expected));
    assert.not.match(banner, /rotation|displaymatrix/i);
  }
});

test('the shape of pixels stays', async () => {
  const clip = await makeClip(at('n.mp4'), pattern(0.2), ['-vf', 'setsar=16/11', ...h264]);
  assert.match(await bannerOf((await again(clip)).target), /SAR 16:11/);
});

test('odd sizes, ten bits and other layouts decode to their own size', async () => {
  for (const [format, size] of [
    ['yuv444p', '321x179'],
    ['yuv420p10le', '64x48'],
    ['yuv422p10le', '66x46'],
    ['gray', '33x31'],
  ] as const) {
    const args = ['-pix_fmt', format, '-c:v', 'libx264', '-preset', 'ultrafast'];
    const clip = await makeClip(
      at('o.mp4'),
      ['-f', 'lavfi', '-i', `smptebars=size=${size}:rate=25:duration=0.2`],
      args,
    );
    const frames = await decode(clip);
    assert.is(`${frames[0]?.width}x${frames[0]?.height}`, size);
    assert.is(frames.length, 5);
  }
});

test('colours of odd sizes stay in their place up to the right and the bottom', async () => {
  // Red rises by 1.5 a column and falls by half a code a row; chroma lies on the columns 2n, between the rows 2n and 2n + 1.
  const cr = (x: number, y: number): number => 100 + 1.5 * x - 0.5 * (y - 0.5);
  for (const [format, one, size] of [
    ['yuv420p', 1, '33x31'],
    ['yuv420p', 1, '32x31'],
    ['yuv420p10le', 4, '33x32'],
    ['yuv422p10le', 4, '33x31'],
  ] as const) {
    const row = format.includes('422') ? '(Y-0.5)/2' : 'Y';
    const vf = `format=${format},geq=lum=${126 * one}:cb=${128 * one}:cr=${one}*(100+3*X-${row})`;
    const slopeFrom = ['-f', 'lavfi', '-i', `color=size=${size}:rate=25:duration=0.08`];
    const clip = await makeClip(at('odd.mkv'), slopeFrom, ['-vf', vf, '-c:v', 'ffv1']);
    const frames = await decode(clip);
    const [{ width, pixels } = { width: 0, pixels: Buffer.alloc(0) }] = frames;
    assert.equal([`${width}x${frames[0]?.height}`, frames.length], [size, 2]);
    const ends = [4, 16, 28];
    const reds = ends.map((n) => pixels[3 * (n * width + n)] ?? 0);
    const expected = ends.map((n) => 1.164 * (126 - 16) + 1.596 * (cr(n, n) - 128));
    assert.ok(largest(reds, expected) <= 1, `${format} ${size}: ${reds}, not ${expected}`);
  }
});

test('HEVC of ten bits is read', async () => {
  const args = ['-c:v', 'libx265', '-pix_fmt', 'yuv420p10le', '-x265-params', 'log-level=0'];
  const clip = await makeClip(at('p.mp4'), pattern(0.4), [...args, '-preset', 'ultrafast']);
  const { target } = await again(clip);
  await sameTimes(clip, target);
  assert.match(await bannerOf(target), /h264 .*yuv420p/);
});

for (const [name, height, frames, told] of [
  ['interlaced pictures', 96, 15, ['setfield=tff', '+ildct+ilme']],
  ['pictures of two fields that do not say so', 480, 30, ['setfield=prog', '+loop']],
] as const) {
  test(`${name} lose their combs and keep their times`, async () => {
    const source = `testsrc2=size=128x${height}:rate=50:duration=${frames / 25}`;
    const [field, flags] = told;
    const fields = ['-vf', `tinterlace=interleave_top,${field}`, '-flags', flags, ...h264];
    const clip = await makeClip(at('q.mp4'), ['-f', 'lavfi', '-i', source], fields);
    const { target } = await again(clip);
    await sameTimes(clip, target);
    const combs = async (path: string) => {
      const pixels = await frameOf(path, 5);
      let sum = 0;
      for (let i = 768; i < pixels.length - 384; i += 1) {
        sum += Math.abs(2 * (pixels[i] ?? 0) - (pixels[i - 384] ?? 0) - (pixels[i + 384] ?? 0));
      }
      return sum;
    };
    assert.ok((await combs(target)) < 0.9 * (await combs(clip)));
  });
}

for (const [first, number] of [
  ['tff', 0],
  ['bff', 1],
] as const) {
  test(`film that became ${first} fields, two and three in turn, has its whole pictures again`, async () => {
    const film = ['-f', 'lavfi', '-i', 'testsrc2=size=128x96:rate=24000/1001:duration=2'];
    const finely = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '8', '-bf', '0'];
    const telecine = `telecine=first_field=${number}:pattern=23,setfield=${first}`;
    const clip = await makeClip(at('film.mp4'), film, [
      '-vf',
      telecine,
      ...finely,
      '-x264opts',
      first,
    ]);
    const info = await probe(clip);
    assert.equal([info.interlaced, info.telecined], [true, first]);
    const wholes = await decode(await makeClip(at('whole.mp4'), film, finely));
    const frames = await decode(clip);
    assert.is(frames.length, info.frames);
    for (const { index, pixels } of frames.slice(2, -2)) {
      const near = wholes.slice(Math.floor(index * 0.8) - 1, Math.floor(index * 0.8) + 3);
      const off = Math.min(...near.map((whole) => meanDifference(whole.pixels, pixels)));
      assert.ok(off < 1, `${index}: ${off}`);
    }
  });
}

test('cover art is left alone', async () => {
  const plain = await makeClip(at('r1.mp4'), pattern(0.4), h264);
  const art = await makeClip(at('r.png'), pattern(0.04, 25, '32x32'), ['-frames:v', '1']);
  const both = ['-map', '0', '-map', '1', '-c', 'copy', '-disposition:v:1', 'attached_pic'];
  const clip = await makeClip(at('r.mp4'), ['-i', plain, '-i', art], both);
  const { encoded, target } = await again(clip);
  assert.is(encoded.frames, 10);
  assert.match(await bannerOf(target), /64x48/);
});

test('a clip cut without encoding it anew, whose first 75 pictures are hidden', async () => {
  const whole = await makeClip(at('cut1.mp4'), pattern(4), [...h264, '-g', '250']);
  const clip = await makeClip(at('cut2.mp4'), ['-ss', '3', '-i', whole], ['-c', 'copy']);
  const { frames: expected } = await probe(clip);
  const frames = await decode(clip);
  assert.equal([frames.length, expected], [25, 25]);
  assert.equal(frames[0]?.pixels, (await decode(whole))[75]?.pixels);
});

test('a clip of one picture', async () => {
  const clip = await makeClip(at('s.mp4'), pattern(0.04), h264);
  const { encoded } = await again(clip);
  assert.equal([encoded.frames, encoded.durationSeconds, encoded.fps], [1, 0.04, 25]);
});

test('pictures that change size in mid-stream are scaled to the first', async () => {
  const small = await makeClip(at('t1.mp4'), pattern(0.4), [...h264, '-f', 'h264']);
  const large = await makeClip(at('t2.mp4'), pattern(0.4, 25, '96x80'), [...h264, '-f', 'h264']);
  const both = at('t.h264');
  writeFileSync(both, Buffer.concat([readFileSync(small), readFileSync(large)]));
  const clip = await makeClip(at('t.avi'), ['-r', '25', '-f', 'h264', '-i', both], ['-c', 'copy']);
  const frames = await decode(clip);
  assert.ok(frames.length > 15);
  assert.ok(frames.every(({ width, height, pixels }) => width * height * 3 === pixels.length));
  assert.equal([frames.at(-1)?.width, frames.at(-1)?.height], [64, 48]);
});

test('a damaged picture in the middle is concealed', async () => {
  const clip = await makeClip(at('u.mp4'), pattern(1), [...h264, '-movflags', '+faststart']);
  const bytes = readFileSync(clip);
  const middle = Math.floor((bytes.indexOf('mdat') + bytes.length) / 2);
  bytes.fill(0xaa, middle, middle + 64);
  writeFileSync(clip, bytes);
  assert.ok((await decode(clip)).length > 12);
});

test('a playlist inside a video file opens nothing', async () => {
  const secret = await makeClip(at('secret.mp4'), pattern(0.2), h264);
  const info = await probe(secret);
  const list = at('list.mp4');
  for (const text of [
    `#EXTM3U\n#EXTINF:1,\nfile://${secret}\n#EXT-X-ENDLIST\n`,
    `ffconcat version 1.0\nfile ${secret}\n`,
  ]) {
    writeFileSync(list, text);
    await failing(probe(list), 'unsupported_media_type');
    await failing(async () => {
      for await (const _ of decodeVideo(list, info, { ffmpeg, signal: soon() }));
    }, 'media_unreadable');
  }
});

test('quality and losslessness change the file', async () => {
  const clip = await makeClip(at('v.mp4'), pattern(0.4), h264);
  const sizes: number[] = [];
  for (const output of [{ quality: 10 }, {}, { quality: 100 }, { lossless: true }]) {
    sizes.push(readFileSync((await again(clip, output)).target).length);
  }
  assert.equal(
    sizes,
    [...sizes].sort((a, b) => a - b),
  );
});

test('the file can be played while it loads', async () => {
  const clip = await makeClip(at('w.mp4'), pattern(0.4), h264);
  const bytes = readFileSync((await again(clip)).target);
  assert.ok(bytes.indexOf('moov') < bytes.indexOf('mdat'));
});

async function* endless(frame: Frame, until = Number.POSITIVE_INFINITY) {
  for (let index = 0; index < until; index += 1) yield { ...frame, index, time: index / 25 };
}

test('what the frames fail with is what the encoder fails with', async () => {
  const clip = await makeClip(at('x.mp4'), pattern(0.2), h264);
  const [info, [frame]] = [await probe(clip), await decode(clip)];
  if (!frame) throw new Error('no frame');
  const reason = new Error('the model is gone');
  const broken = async function* () {
    yield* endless(frame, 3);
    throw reason;
  };
  try {
    await encodeVideo(broken(), {
      source: { path: clip, info },
      target: at('x.out.mp4'),
      output: {},
      ffmpeg,
      signal: soon(),
    });
    assert.unreachable();
  } catch (error) {
    assert.is(error, reason);
  }
});

test('an encoder that cannot write is encode_failed, and the frames are closed', async () => {
  const clip = await makeClip(at('y.mp4'), pattern(0.2), h264);
  const [info, [frame]] = [await probe(clip), await decode(clip)];
  if (!frame) throw new Error('no frame');
  let closed = false;
  const frames = async function* () {
    try {
      yield* endless(frame);
    } finally {
      closed = true;
    }
  };
  const target = at('none/such.mp4');
  await failing(
    encodeVideo(frames(), {
      source: { path: clip, info },
      target,
      output: {},
      ffmpeg,
      signal: soon(),
    }),
    'encode_failed',
  );
  assert.ok(closed);
  const none = (async function* (): AsyncGenerator<Frame> {})();
  await failing(
    encodeVideo(none, {
      source: { path: clip, info },
      target: at('y.out.mp4'),
      output: {},
      ffmpeg,
      signal: soon(),
    }),
    'encode_failed',
  );
});

/** 1000 frames. */
const long = await makeClip(at('long.mp4'), pattern(40, 25, '320x180'), h264);

test('an abort stops both within a second, with its own reason', async () => {
  const info = await probe(long);
  const reason = new Error('enough');
  const controller = new AbortController();
  let since = 0;
  const frames = async function* () {
    for await (const frame of decodeVideo(long, info, { ffmpeg, signal: controller.signal })) {
      if (frame.index === 5) {
        since = Date.now();
        controller.abort(reason);
      }
      yield frame;
    }
  };
  try {
    await encodeVideo(frames(), {
      source: { path: long, info },
      target: at('z.out.mp4'),
      output: {},
      ffmpeg,
      signal: controller.signal,
    });
    assert.unreachable();
  } catch (error) {
    assert.is(error, reason);
  }
  assert.ok(Date.now() - since < 10_000);
});

test('a decoder that is not wanted any more ends', async () => {
  for await (const frame of decodeVideo(long, await probe(long), { ffmpeg, signal: soon() })) {
    if (frame.index === 2) break;
  }
});

test('memory does not grow with the length of a clip', async () => {
  const info = await probe(long);
  const peaks = [0, 0];
  const frames = async function* () {
    for await (const frame of decodeVideo(long, info, { ffmpeg, signal: soon() })) {
      const half = frame.index < 200 ? 0 : 1;
      peaks[half] = Math.max(peaks[half] ?? 0, process.memoryUsage().rss);
      yield frame;
    }
  };
  const { frames: count } = await encodeVideo(frames(), {
    source: { path: long, info },
    target: at('long.out.mp4'),
    output: {},
    ffmpeg,
    signal: soon(),
  });
  assert.is(count, 1000);
  const [early = 0, late = 0] = peaks;
  // The pictures after the 200th are 138 MB.
  assert.ok(
    late - early < 60e6,
    `${Math.round(early / 1e6)} MB, then ${Math.round(late / 1e6)} MB`,
  );
});

/** The same clip with a turn told in the header of its track. */
const turned = (clip: string, degrees: 90 | 180 | 270): string => {
  const bytes = readFileSync(clip);
  const matrix = bytes.indexOf('tkhd') + 4 + 40;
  const one = 0x10000;
  const entries = {
    90: [0, one, 0, -one, 0, 0],
    180: [-one, 0, 0, 0, -one, 0],
    270: [0, -one, 0, one, 0, 0],
  };
  for (const [i, value] of entries[degrees].entries()) bytes.writeInt32BE(value, matrix + i * 4);
  writeFileSync(`${clip}.${degrees}.mp4`, bytes);
  return `${clip}.${degrees}.mp4`;
};

/** The first picture made RGB before it is turned. */
const turnedFrame = async (clip: string, degrees: 90 | 180 | 270): Promise<Buffer> => {
  const turn = { 90: 'transpose=clock', 180: 'hflip,vflip', 270: 'transpose=cclock' }[degrees];
  const flags = 'flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';
  const scale = `scale=in_h_chr_pos=0:in_v_chr_pos=128:in_color_matrix=bt601:${flags}`;
  const raw = ['-noautorotate', '-i', clip];
  const path = await makeClip(at('turned.rgb'), raw, [
    ...['-frames:v', '1', '-vf', `${scale},format=rgb24,${turn}`],
    ...['-f', 'rawvideo'],
  ]);
  return readFileSync(path);
};

test.run();
