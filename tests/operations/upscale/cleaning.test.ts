/** Noise of a video is found and goes; what only moves, or is fine, is not taken for noise. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvPicture } from '../../../src/frame.ts';
import { decodeVideo, decodeYuv } from '../../../src/media/read/decode.ts';
import { cleaningOf, filtersFor } from '../../../src/operations/upscale/cleaning.ts';
import { ditherOf } from '../../../src/operations/upscale/dither.ts';
import { looksAt, noiseOf } from '../../../src/operations/upscale/noise.ts';
import type { UpscaleOptions } from '../../../src/operations/upscale/request.ts';
import { at, ffmpeg, probe, soon } from '../../media/clips.ts';
import { makeClip } from '../../real/clip.ts';
import { testConfig } from '../../real/config.ts';

const test = suite('cleaning');
const config = testConfig({});
const [width, height] = [320, 180];

/** Numbers from 0 to 1 that only look as if they came by chance. */
const numbers = (seed: number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};

type Drawing = (x: number, y: number, index: number) => number;

/** Black, as most videos code it. */
const BLACK = 16;

/** Three frames of a drawing in grey, with noise of these standard deviations; that of luma may depend on its code. */
const momentOf = (drawing: Drawing, luma: number | ((code: number) => number) = 0, chroma = 0) => {
  const strength = typeof luma === 'number' ? () => luma : luma;
  const next = numbers(7);
  const noise = (deviation: number) =>
    deviation * (next() + next() + next() + next() - 2) * Math.sqrt(3);
  const frame = (index: number): YuvPicture => {
    const pixels = Buffer.alloc((width * height * 3) / 2);
    for (let i = 0; i < pixels.length; i += 1) {
      const isLuma = i < width * height;
      const value = isLuma ? drawing(i % width, Math.floor(i / width), index) : 128;
      const noisy = value + noise(isLuma ? strength(value) : chroma);
      pixels[i] = Math.round(Math.max(BLACK, noisy));
    }
    return { width, height, pixels };
  };
  return [frame(0), frame(1), frame(2)] as const;
};

const slope: Drawing = (x, y) => 60 + x / 4 + y / 3;
/** Sand: as alike as noise, but the same in each frame. */
const grains = Array.from({ length: 400 * 300 }, numbers(3));
const sand: Drawing = (x, y) => 90 + 60 * (grains[y * 400 + x] ?? 0);
/** Soft patterns, as of leaves, that move by a part of a pixel. */
const leaves: Drawing = (x, y, index) =>
  120 +
  30 * Math.sin((x + 0.7 * index) / 2.3 + Math.sin(y / 5)) +
  30 * Math.sin((y + 0.4 * index) / 1.9 + Math.sin(x / 7));

test('noise is measured, in luma and in chroma', () => {
  for (const [luma, chroma] of [
    [4, 0],
    [8, 4],
    [16, 8],
  ] as const) {
    const found = noiseOf(looksAt([momentOf(slope, luma, chroma)]));
    assert.ok(found, `nothing found of ${luma}`);
    assert.ok(Math.abs(found.luma - luma) < 0.1 * luma, `luma ${found.luma} of ${luma}`);
    assert.ok(Math.abs(found.chroma - chroma) < 0.15 * chroma + 0.5, `chroma ${found.chroma}`);
  }
});

test('noise over a texture that stands still is found', () => {
  const found = noiseOf(looksAt([momentOf((x, y) => leaves(x, y, 0), 8)]));
  assert.ok(found && found.luma > 6, JSON.stringify(found));
});

test('weak noise, textures that stand still, and leaves that move are not noise', () => {
  assert.is(noiseOf(looksAt([momentOf(slope, 1)])), null);
  assert.is(noiseOf(looksAt([momentOf(slope, 1.6)])), null);
  assert.is(noiseOf(looksAt([momentOf(slope)])), null);
  assert.is(noiseOf(looksAt([momentOf(sand)])), null);
  assert.is(noiseOf(looksAt([momentOf(leaves)])), null);
  assert.is(noiseOf(looksAt([])), null);
});

/** A texture before a camera that shakes by whole pixels. */
const shaken =
  (drawing: Drawing): Drawing =>
  (x, y, index) =>
    drawing(x + (index === 1 ? 5 : 3), y + (index === 2 ? 4 : 5), 0);

test('a texture before a camera that shakes is not noise, and noise over it is as strong as it is', () => {
  assert.is(noiseOf(looksAt([momentOf(shaken(sand))])), null);
  const found = noiseOf(
    looksAt([
      momentOf(
        shaken((x, y) => 80 + sand(x, y, 0) / 3),
        8,
        4,
      ),
    ]),
  );
  assert.ok(found && Math.abs(found.luma - 8) < 0.8, JSON.stringify(found));
});

test('noise of a night is found where all is nearly black, where it is weak, and where it is stronger in the dark', () => {
  const black: Drawing = (x) => 19 + x / 160;
  const dark: Drawing = (x) => 30 + x / 16;
  // The quarter that is calm has all the brightnesses.
  const wall: Drawing = (x, y) => (y < 40 ? 30 + x / 4 : sand(x, y, 0));
  const cases = [
    [black, 3, 2.2, 3],
    [dark, 1.6, 1.5, 1.7],
    [wall, (code: number) => 240 / code, 2.5, 4.5],
  ] as const;
  for (const [drawing, strength, least, most] of cases) {
    const found = noiseOf(looksAt([momentOf(drawing, strength, 1)]));
    assert.ok(found && found.luma > least && found.luma < most, JSON.stringify(found));
  }
  const blackSand: Drawing = (x, y) => 17.5 + (sand(x, y, 0) - 90) / 10;
  assert.is(noiseOf(looksAt([momentOf(shaken(blackSand))])), null);
});

test('dots that crawl, as in composite video, count as noise', () => {
  const crawling: Drawing = (x, y, index) => slope(x, y, 0) + ((x + y + index) % 2 ? 6 : -6);
  const found = noiseOf(looksAt([momentOf(crawling, 2)]));
  assert.ok(found && found.luma > 6, JSON.stringify(found));
});

test('what is noisy in one of three places only is not cleaned', () => {
  const [noisy, calm] = [momentOf(slope, 8), momentOf(leaves)];
  assert.is(noiseOf(looksAt([noisy, calm, calm])), null);
  const still = momentOf(slope);
  assert.is(noiseOf(looksAt([noisy, still, still])), null);
});

const colours = 'c0=0x405868:c1=0xb8a878:nb_colors=2:x0=0:y0=0:x1=319:y1=179';
const source = `gradients=s=${width}x${height}:d=1:r=25:speed=.02:${colours}`;
const gradient = ['-f', 'lavfi', '-i', source];
const noisy = ['-vf', 'noise=c0s=24:c0f=t:all_seed=3'];
const coded = (crf: number, ...more: string[]) => [
  ...more,
  ...['-c:v', 'libx264', '-crf', `${crf}`, '-pix_fmt', 'yuv420p'],
];
const clean = await makeClip(at('clean.mp4'), gradient, coded(18));
const grainy = await makeClip(at('grainy.mp4'), ['-i', clean], coded(18, ...noisy));

const cleaning = async (path: string, options: Partial<UpscaleOptions> = {}) => {
  const asked = {
    model: 'photo',
    scale: 2,
    effort: 'realtime',
    denoise: 'auto',
    ...options,
  } as const;
  const task = { options: asked, input: () => path, config, signal: soon() };
  return await cleaningOf(task, await probe(path));
};

const framesOf = async (
  path: string,
  filters: readonly string[],
  read: typeof decodeYuv | typeof decodeVideo,
) => {
  const frames = [];
  const decoding = { ffmpeg, signal: soon(), cleaning: filters };
  for await (const frame of read(path, await probe(path), decoding)) frames.push(frame);
  return frames;
};

/** The mean squared difference of all samples. */
const difference = (one: Awaited<ReturnType<typeof framesOf>>, other: typeof one): number => {
  let sum = 0;
  let count = 0;
  for (const [i, { pixels }] of one.entries())
    for (const [j, value] of pixels.entries()) {
      sum += (value - (other[i]?.pixels[j] ?? 0)) ** 2;
      count += 1;
    }
  return sum / count;
};

/** Of one channel of RGB. */
const mean = (frames: Awaited<ReturnType<typeof framesOf>>, channel: number): number => {
  let sum = 0;
  let count = 0;
  for (const { pixels } of frames)
    for (let i = channel; i < pixels.length; i += 3) {
      sum += pixels[i] ?? 0;
      count += 1;
    }
  return sum / count;
};

test('a noisy video is cleaned, as what decodes it gives it, and keeps its frames and their times', async () => {
  const { filters } = await cleaning(grainy);
  assert.is(filters.length, 3);
  for (const read of [decodeYuv, decodeVideo]) {
    const wanted = await framesOf(clean, [], read);
    const before = await framesOf(grainy, [], read);
    const after = await framesOf(grainy, filters, read);
    assert.equal(
      after.map(({ time, duration }) => [time, duration]),
      before.map(({ time, duration }) => [time, duration]),
    );
    const [was, is] = [difference(wanted, before), difference(wanted, after)];
    assert.ok(is < was / 5, `${is} is left of ${was}`);
  }
});

for (const [kind, output] of Object.entries({
  '10 bits': ['-c:v', 'libx265', '-pix_fmt', 'yuv420p10le'],
  'full range and whole chroma': ['-c:v', 'libx264', '-pix_fmt', 'yuvj444p'],
  RGB: ['-c:v', 'libx264rgb', '-pix_fmt', 'rgb24'],
}))
  test(`a noisy video of ${kind} is cleaned and keeps its colours`, async () => {
    const path = await makeClip(at(`${kind}.mov`), ['-i', clean], [...noisy, ...output]);
    const { filters } = await cleaning(path, { effort: 'best' });
    assert.is(filters.length, 3);
    const [before, after] = [
      await framesOf(path, [], decodeVideo),
      await framesOf(path, filters, decodeVideo),
    ];
    for (const channel of [0, 1, 2])
      assert.ok(Math.abs(mean(after, channel) - mean(before, channel)) < 0.5, `channel ${channel}`);
    const wanted = await framesOf(clean, [], decodeVideo);
    const [was, is] = [difference(wanted, before), difference(wanted, after)];
    assert.ok(is < was / 3, `${is} is left of ${was}`);
  });

test('of a drawing that `best` enlarges, luma is cleaned in time alone', async () => {
  const { filters } = await cleaning(grainy, { model: 'animation', effort: 'best' });
  assert.equal(
    filters.map((filter) => filter.replace(/=.*/, '')),
    ['chromanr', 'atadenoise'],
  );
});

test('a clean video, and one with denoise off or a level, has no filters', async () => {
  const untouched = { filters: [], isClear: false };
  assert.equal(await cleaning(clean), untouched);
  assert.equal(await cleaning(grainy, { denoise: 'off' }), untouched);
  assert.equal(await cleaning(grainy, { denoise: 2, effort: 'best' }), untouched);
});

test('blocks of MPEG-4 are evened, as coarsely as they were rounded, unless denoise is off', async () => {
  const make = (q: number) => {
    const output = ['-frames:v', '4', '-c:v', 'mpeg4', '-q:v', `${q}`];
    return makeClip(at(`blocks-${q}.avi`), ['-i', clean], output);
  };
  const coarse = await make(10);
  const { filters } = await cleaning(coarse);
  assert.equal(filters, ['spp=quality=3:qp=4']);
  assert.equal((await cleaning(await make(2))).filters, []);
  assert.equal((await cleaning(coarse, { denoise: 'off' })).filters, []);
  const [wanted, before, after] = [
    (await framesOf(clean, [], decodeYuv)).slice(0, 4),
    await framesOf(coarse, [], decodeYuv),
    await framesOf(coarse, filters, decodeYuv),
  ];
  assert.is(after.length, before.length);
  const [was, is] = [difference(before, wanted), difference(after, wanted)];
  assert.ok(is < 0.9 * was, `${is} is left of ${was}`);
});

test('dithering of a GIF is evened; palettes without it and strong patterns stay', async () => {
  const palette = (dither: string, colours = 64) =>
    `split[a][b];[a]palettegen=max_colors=${colours}[p];[b][p]paletteuse=dither=${dither}`;
  // As the service sees animated images: RGB without loss.
  const make = async (name: string, filter: string) => {
    const gif = await makeClip(at(`${name}.gif`), ['-i', clean], ['-frames:v', '4', '-vf', filter]);
    const output = ['-c:v', 'libx264rgb', '-qp', '0', '-pix_fmt', 'rgb24'];
    return await makeClip(at(`${name}.mkv`), ['-i', gif], output);
  };
  const wanted = (await framesOf(clean, [], decodeVideo)).slice(0, 4);
  for (const dither of ['bayer:bayer_scale=2', 'sierra2_4a']) {
    const path = await make(dither.slice(0, 5), palette(dither, 16));
    const { filters } = await cleaning(path);
    assert.match(filters.join(), /^bilateral=[^,]*$/);
    const [before, after] = [
      await framesOf(path, [], decodeVideo),
      await framesOf(path, filters, decodeVideo),
    ];
    const [was, is] = [difference(wanted, before), difference(wanted, after)];
    assert.ok(is < 0.7 * was, `${is} is left of ${was}`);
    assert.equal((await cleaning(path, { denoise: 'off' })).filters, []);
  }
  assert.equal((await cleaning(await make('poster', palette('none', 16)))).filters, []);
  const lines = `geq=lum='255*mod(X+Y,2)':cb=128:cr=128,${palette('none')}`;
  assert.equal((await cleaning(await make('lines', lines))).filters, []);
});

test('dithering that comes again every 8 rows is found in large pictures, of which few rows are looked at', () => {
  const side = 2000;
  const pixels = Buffer.alloc(side * side * 3, 100);
  for (let y = 3; y < side; y += 8)
    for (let row = y; row < y + 3; row += 1)
      for (let x = 0; x < side; x += 2)
        pixels.fill(106, 3 * (row * side + x), 3 * (row * side + x + 1));
  assert.is(ditherOf([{ width: side, height: side, channels: 3, pixels }]), 6);
});

const fractal = `mandelbrot=s=${width}x${height}:r=25:end_scale=2:inner=mincol`;

test('what takes many bits is clear, unless weak noise takes them', async () => {
  const isClear = async (name: string, crf: number, ...more: string[]) => {
    const made = coded(crf, ...more, '-frames:v', '12');
    const path = await makeClip(at(name), ['-f', 'lavfi', '-i', fractal], made);
    const found = await cleaning(path, { effort: 'best' });
    assert.equal(found.filters, []);
    return found.isClear;
  };
  assert.is(await isClear('sharp.mp4', 4), true);
  assert.is(await isClear('hard.mp4', 35), false);
  assert.is(await isClear('weak.mp4', 4, '-vf', 'noise=c0s=3:c0f=t:all_seed=3'), false);
});

test('what is finely rounded is clear with fewer bits, for `photo` with `best`', async () => {
  const make = async (crf: number) => {
    const coding = ['-c:v', 'libx265', '-x265-params', `crf=${crf}:log-level=error`];
    const output = ['-vf', 'gblur=1', '-frames:v', '12', '-pix_fmt', 'yuv420p', ...coding];
    const path = await makeClip(at(`fine-${crf}.mp4`), ['-f', 'lavfi', '-i', fractal], output);
    assert.ok(((await probe(path)).keyBits ?? 0) < 1.7);
    return path;
  };
  const fine = await make(16);
  assert.is((await cleaning(fine, { effort: 'best' })).isClear, true);
  assert.is((await cleaning(fine, { effort: 'best', model: 'animation' })).isClear, false);
  assert.is((await cleaning(await make(28), { effort: 'best' })).isClear, false);
});

for (const [kind, colour] of Object.entries({ white: 'white', 'pale red': '0xB88E9C' }))
  test(`a ${kind} block that moves leaves no trail`, async () => {
    const drawn = [
      `color=0x606060:s=${width}x${height}:r=25:d=1[ground]`,
      `color=${colour}:s=40x120:r=25:d=1[block]`,
      '[ground][block]overlay=x=20+6*n:y=30',
    ];
    const output = coded(18, '-frames:v', '12');
    const box = await makeClip(at('box.mp4'), ['-f', 'lavfi', '-i', drawn.join(';')], output);
    const noise = { luma: 10, chroma: 5 };
    const filters = filtersFor(noise, { model: 'photo', scale: 2, effort: 'best' });
    const [before, after] = [
      await framesOf(box, [], decodeYuv),
      await framesOf(box, filters, decodeYuv),
    ];
    assert.ok(difference(before, after) < 0.5, `${difference(before, after)}`);
  });

test.run();
