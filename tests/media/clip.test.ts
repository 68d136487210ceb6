/** The way of a clip whose pictures stay in the codes of its source, and the sound that is put under them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sizeText, type YuvFrame } from '../../src/frame.ts';
import { probeAudio } from '../../src/media/probe/probe-audio.ts';
import { decodeEvenYuv, decodeSmall } from '../../src/media/read/decode.ts';
import { evenLuma } from '../../src/media/yuv.ts';
import { bannerOf, frameOf, h264, makeClip, pattern, timesOf, tone, turn } from '../real/clip.ts';
import { at, decode, encodeClip, ffmpeg, largest, meanOf, probe, soon } from './clips.ts';

const test = suite('clip');

const yuvOf = async (path: string, from = 0): Promise<YuvFrame[]> => {
  const frames: YuvFrame[] = [];
  for await (const frame of decodeEvenYuv(path, await probe(path), {
    ffmpeg,
    signal: soon(),
    from,
  }))
    frames.push(frame);
  return frames;
};

/** Decodes and encodes with another sound; the result lies at `${path}.out.mp4`. */
const again = async (path: string, sound: string, seconds: number) => {
  const [look, info] = [
    await probe(path),
    await probeAudio({ path: sound, ffmpeg, limits: { seconds: 300 }, signal: soon() }),
  ];
  const target = `${path}.out.mp4`;
  const frames = decodeEvenYuv(path, look, { ffmpeg, signal: soon() });
  const encoded = await encodeClip(frames, look, { path: sound, info, seconds }, target);
  return { target, encoded, info: await probe(target) };
};
const wav = (seconds: number) => makeClip(at(`tone-${seconds}.wav`), tone(seconds), []);

/** The mean of each plane. */
const codesOf = ({ width, height, pixels }: YuvFrame): number[] => {
  const chroma = (width / 2) * (height / 2);
  const planes = [0, width * height, width * height + chroma, width * height + 2 * chroma];
  return planes.slice(0, 3).map((from, i) => {
    const plane = pixels.subarray(from, planes[i + 1]);
    return plane.reduce((sum, code) => sum + code, 0) / plane.length;
  });
};

test('codes come and go untouched, whatever matrix and range they are of', async () => {
  for (const [matrix, range] of [
    ['bt709', 'tv'],
    ['smpte170m', 'pc'],
    ['bt2020nc', 'tv'],
  ] as const) {
    const flat = `format=yuv420p,geq=lum=60:cb=90:cr=200,setparams=range=${range}:colorspace=${matrix}`;
    const clip = await makeClip(at('a.mp4'), pattern(0.2), ['-vf', flat, ...h264, '-crf', '1']);
    const [source] = await yuvOf(clip);
    assert.ok(source && largest(codesOf(source), [60, 90, 200]) < 0.5, `${matrix} ${range}`);
    const { target } = await again(clip, await wav(1), 0.2);
    const [result] = await yuvOf(target);
    assert.ok(result && largest(codesOf(result), [60, 90, 200]) < 0.6, `${matrix} ${range}`);
    assert.match(await bannerOf(target), new RegExp(`${range}, ${matrix}`));
  }
});

test('codes stay where the pictures state no matrix, in other layouts too', async () => {
  const high = ['-f', 'lavfi', '-i', 'color=size=16x720:rate=25:duration=0.04'];
  const flat = 'format=yuv444p,geq=lum=60:cb=90:cr=200';
  for (const format of ['yuv420p10le', 'yuv422p', 'yuv444p']) {
    const vf = `${flat},format=${format}`;
    const clip = await makeClip(at('u.mp4'), high, ['-vf', vf, '-c:v', 'libx264', '-crf', '1']);
    assert.is((await probe(clip)).colour.matrix, 'bt709');
    const [source] = await yuvOf(clip);
    assert.ok(source && largest(codesOf(source), [60, 90, 200]) < 0.5, format);
  }
});

test('every other layout becomes 4:2:0 of the same colour', async () => {
  const colour = ['-f', 'lavfi', '-i', 'color=0xc8321e:size=64x48:rate=25:duration=0.2'];
  for (const [format, codec] of [
    ['yuv420p10le', 'libx264'],
    ['yuv422p', 'libx264'],
    ['yuv444p', 'libx264'],
    ['rgb24', 'libx264rgb'],
    ['yuvj420p', 'mjpeg'],
  ] as const) {
    const vf = `scale=out_color_matrix=bt709,format=${format}${format === 'rgb24' ? '' : ',setparams=colorspace=bt709'}`;
    const clip = await makeClip(at('b.mov'), colour, ['-vf', vf, '-c:v', codec, '-q:v', '1']);
    const { target } = await again(clip, await wav(1), 0.2);
    const [before, after] = [(await decode(clip))[0], (await decode(target))[0]];
    assert.ok(before && after && largest(meanOf(before), meanOf(after)) < 3, format);
    assert.match(await bannerOf(target), /yuvj?420p/);
  }
});

test('chroma stays in its place, turned or not', async () => {
  const edge = "geq=lum=128:cb=128:cr='if(lt(X,32),64,192)'";
  const args = ['-vf', `format=yuv420p,${edge}`, ...h264, '-crf', '1'];
  const straight = await makeClip(at('c.mp4'), pattern(0.2), args);
  for (const clip of [straight, await turn(straight, at('c-turned.mp4'))]) {
    const { target, info } = await again(clip, await wav(1), 0.2);
    assert.equal(info.size, (await probe(clip)).size);
    const [before, after] = [await frameOf(clip, 1), await frameOf(target, 1)];
    assert.ok(largest([...before], [...after]) <= 12, `${largest([...before], [...after])}`);
  }
});

test('chroma comes to the left column from where the file states it, of 8 and 10 bits', async () => {
  // Red falls from row to row: chroma that lies half a row higher has other codes by 2.
  const slope = 'format=yuv444p,geq=lum=128:cb=128:cr=64+4*Y';
  const slopeFrom = ['-f', 'lavfi', '-i', 'color=size=32x32:rate=25:duration=0.04'];
  for (const [format, place, row] of [
    ['yuv420p', 'topleft', 0],
    ['yuv420p10le', 'topleft', 0],
    ['yuv420p', 'left', 128],
    ['yuv420p', 'bottomleft', 256],
  ] as const) {
    const toFormat = `scale=out_h_chr_pos=0:out_v_chr_pos=${row}:flags=bilinear+accurate_rnd,format=${format}`;
    const tags = `setparams=chroma_location=${place}`;
    const args = ['-vf', `${slope},${toFormat},${tags}`, '-c:v', 'libx264', '-crf', '1'];
    const clip = await makeClip(at('p.mp4'), slopeFrom, args);
    const info = await probe(clip);
    assert.is(info.chroma, place);
    const [{ pixels } = { pixels: Buffer.alloc(0) }] = await yuvOf(clip);
    const rows = [4, 8, 12].map((y) => pixels[32 * 32 + 16 * 16 + 16 * y + 8] ?? 0);
    // Halfway between the rows 2y and 2y + 1.
    const expected = [4, 8, 12].map((y) => 64 + 4 * (2 * y + 0.5));
    assert.ok(largest(rows, expected) <= 1, `${format} ${place}: ${rows}`);
  }
});

test('chroma of odd sizes stays in its place up to the right and the bottom', async () => {
  // Red rises by 3 a column and falls by 2 a row.
  const slopeFrom = ['-f', 'lavfi', '-i', 'color=size=33x31:rate=25:duration=0.04'];
  for (const [format, red] of [
    ['yuv444p', '100+3*X-2*Y'],
    ['yuv422p', '100+6*X-2*Y'],
  ]) {
    const slope = ['-vf', `format=${format},geq=lum=128:cb=128:cr=${red}`];
    const [yuv] = await yuvOf(await makeClip(at('odd.mkv'), slopeFrom, [...slope, '-c:v', 'ffv1']));
    const cr = yuv?.pixels.subarray(-17 * 16);
    const reds = [1, 8, 14].map((n) => cr?.[17 * n + n] ?? 0);
    // Between the rows 2n and 2n + 1, on the column 2n.
    const expected = [1, 8, 14].map((n) => 100 + 2 * n - 1);
    assert.ok(largest(reds, expected) <= 0.5, `${format}: ${reds}, not ${expected}`);
  }
});

test('an odd size grows by its last column and row', async () => {
  const odd = {
    width: 3,
    height: 3,
    pixels: Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21, 22, 23, 30, 31, 32, 33]),
  };
  const { width, height, pixels } = evenLuma(odd);
  assert.equal([width, height], [4, 4]);
  assert.equal([...pixels.subarray(0, 16)], [1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 7, 8, 9, 9]);
  assert.equal([...pixels.subarray(16)], [20, 21, 22, 23, 30, 31, 32, 33]);
  const clip = await makeClip(at('d.mov'), pattern(0.2), [
    '-vf',
    'scale=65:47',
    '-c:v',
    'mjpeg',
    '-pix_fmt',
    'yuvj444p',
  ]);
  const { info } = await again(clip, await wav(1), 0.2);
  assert.equal(info.size, { width: 66, height: 48 });
});

test('sound and pictures end together, to the sample, whichever was longer', async () => {
  const clip = await makeClip(at('e.mp4'), pattern(1), h264);
  for (const seconds of [0.48, 2]) {
    const { target, encoded } = await again(clip, await wav(seconds), 1);
    assert.is(encoded.frames, 25);
    const sound = await makeClip(`${target}.wav`, ['-i', target], ['-vn', '-c:a', 'pcm_s16le']);
    const { durationSeconds } = await probeAudio({
      path: sound,
      ffmpeg,
      limits: { seconds: 300 },
      signal: soon(),
    });
    // The last packet is whole: 1024 samples.
    assert.ok(
      durationSeconds >= 1 && durationSeconds < 1 + 1024 / 48_000 + 1e-6,
      `${durationSeconds}`,
    );
    assert.match(await bannerOf(target), /Duration: 00:00:01\.0[0-4]/);
  }
});

test('sound is AAC that players take: two channels and 48 kHz at the most', async () => {
  const clip = await makeClip(at('f.mp4'), pattern(0.4), h264);
  for (const [form, told] of [
    ['sample_rates=96000:channel_layouts=5.1', /aac \(LC\).*48000 Hz, stereo/],
    ['sample_rates=8000:channel_layouts=mono', /aac \(LC\).*16000 Hz, mono/],
    ['sample_rates=44100:channel_layouts=stereo', /aac \(LC\).*44100 Hz, stereo/],
  ] as const) {
    const sound = await makeClip(at('f.wav'), tone(0.4), ['-af', `aformat=${form}`]);
    assert.match(await bannerOf((await again(clip, sound, 0.4)).target), told);
  }
});

test('times of a variable rate come back exactly, from the first picture on', async () => {
  const slower = ['-vf', "setpts='N*N/900/TB'", '-fps_mode', 'vfr', '-enc_time_base', '1/90000'];
  const clip = await makeClip(at('g.mp4'), pattern(1, 30), [...slower, ...h264]);
  const [expected, came] = [
    await timesOf(clip),
    await timesOf((await again(clip, await wav(1), 1)).target),
  ];
  assert.is(came.length, 30);
  assert.ok(largest(came, expected) < 2e-5);
});

test('the memory of a frame may be used again when the next is asked for, however small it is', async () => {
  const size = { width: 32, height: 32 };
  const pixels = Buffer.alloc((32 * 32 * 3) / 2, 128);
  const code = (index: number) => 40 + 20 * (index % 9);
  const frames = async function* (): AsyncGenerator<YuvFrame> {
    for (let index = 0; index < 500; index += 1) {
      pixels.fill(code(index), 0, 32 * 32);
      yield { ...size, pixels, index, time: index / 25, duration: 1 / 25 };
    }
  };
  const look = await probe(await makeClip(at('j.mp4'), pattern(0.2), h264));
  const limits = { seconds: 300 };
  const info = await probeAudio({ path: await wav(1), ffmpeg, limits, signal: soon() });
  const target = at('j.out.mp4');
  const sound = { path: at('tone-1.wav'), info, seconds: 20 };
  await encodeClip(frames(), look, sound, target);
  const came = (await yuvOf(target)).map((frame) => Math.round((codesOf(frame)[0] ?? 0) / 10) * 10);
  assert.equal(
    came,
    Array.from({ length: 500 }, (_, index) => code(index)),
  );
});

test('decoding can start at a picture in the middle', async () => {
  for (const [name, codecs] of [
    ['h.mp4', [...h264, '-g', '50']],
    ['h.webm', ['-c:v', 'libvpx', '-b:v', '1M']],
    ['h.avi', ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p']],
  ] as const) {
    const clip = await makeClip(at(name), pattern(2), codecs);
    const all = await yuvOf(clip);
    const [found] = await yuvOf(clip, 1.3);
    // The clock of AVI ticks once a picture.
    assert.ok(found && Math.abs(found.time - 1.32) < 0.021, `${name}: ${found?.time}`);
    assert.ok(found.pixels.equals(all[33]?.pixels ?? Buffer.alloc(0)), name);
  }
});

test('a small copy fits its box and keeps the times', async () => {
  const clip = await makeClip(at('i.mp4'), pattern(0.4, 25, '128x96'), h264);
  const info = await probe(clip);
  const times: number[] = [];
  for await (const frame of decodeSmall(clip, info, { longSide: 64, ffmpeg, signal: soon() })) {
    assert.equal([frame.width, frame.height, frame.pixels.length], [64, 48, 64 * 48 * 1.5]);
    times.push(frame.time);
  }
  assert.ok(largest(times, await timesOf(clip)) < 1e-6);
  const shapes = [
    [{ num: 4, den: 3 }, '64x36'],
    [{ num: 3, den: 4 }, '64x64'],
    [{ num: 9, den: 1 }, '64x48'],
  ] as const;
  for (const [sampleAspect, size] of shapes) {
    const squeezed = { ...info, sampleAspect };
    const options = { longSide: 64, ffmpeg, signal: soon() };
    for await (const frame of decodeSmall(clip, squeezed, options))
      assert.is(sizeText(frame), size, 'in square pixels');
  }
});

test.run();
