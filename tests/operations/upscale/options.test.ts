import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../src/errors.ts';
import {
  denoiseWarnings,
  JPEG_STEPS,
  levelOf,
  statedLevel,
} from '../../../src/operations/upscale/denoise.ts';
import { denoiseOf, settleOptions, variantOf } from '../../../src/operations/upscale/options.ts';
import type { Denoise, UpscaleOptions } from '../../../src/operations/upscale/request.ts';
import { MEASURED } from '../../../src/triton/clients/upscaler.ts';

const asked = { model: 'photo', scale: 2 } as const;
const refusal = (run: () => unknown): Failure => {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

test('the format follows the content unless it is given', () => {
  assert.is(settleOptions(asked, 'image').output_format, 'png');
  assert.is(settleOptions(asked, 'video').output_format, 'mp4');
  assert.is(settleOptions({ ...asked, output_format: 'webp' }, 'image').output_format, 'webp');
});

test('an image cannot become a video, nor a video an image', () => {
  const image = refusal(() => settleOptions({ ...asked, output_format: 'mp4' }, 'image'));
  assert.is(image.code, 'validation_failed');
  assert.equal(image.faults[0]?.allowed, ['png', 'jpeg', 'webp', 'avif']);
  const video = refusal(() => settleOptions({ ...asked, output_format: 'png' }, 'video'));
  assert.equal(video.faults[0]?.allowed, ['mp4']);
});

test('a lossless jpeg is refused, and so are two faults at once', () => {
  const lossless = { ...asked, output_format: 'jpeg', output: { lossless: true } } as const;
  assert.is(refusal(() => settleOptions(lossless, 'image')).faults.length, 1);
  assert.is(refusal(() => settleOptions(lossless, 'video')).faults.length, 2);
});

test('two models that are asked for the same have the same options, to be compared by', () => {
  const { model: _, ...photo } = settleOptions(asked, 'image');
  const { model: __, ...animation } = settleOptions({ ...asked, model: 'animation' }, 'image');
  assert.equal(photo, animation);
});

test('what is not said stays unsaid, so that equal requests have equal options', () => {
  assert.equal(settleOptions(asked, 'image'), {
    ...asked,
    effort: 'best',
    denoise: 'auto',
    output_format: 'png',
  });
});

test('a video is made in real time and a picture as well as can be, unless something else is asked', () => {
  const effort = (options: UpscaleOptions, kind: 'image' | 'video') =>
    settleOptions(options, kind).effort;
  assert.is(effort(asked, 'video'), 'realtime');
  assert.is(effort({ ...asked, effort: 'best' }, 'video'), 'best');
  assert.is(effort({ ...asked, effort: 'realtime' }, 'image'), 'realtime');
  assert.is(effort({ ...asked, model: 'detail' }, 'video'), 'best');
});

test('detail has no realtime, and says so', () => {
  const { code, message } = refusal(() =>
    settleOptions({ ...asked, model: 'detail', effort: 'realtime' }, 'video'),
  );
  assert.is(code, 'unsupported_option_for_model');
  assert.is(message, 'Expected effort best for the model detail; got realtime.');
});

test('only photo with effort best takes noise away; what else is asked to is refused, by its name', () => {
  const denoise = (options: object, kind: 'image' | 'video' = 'image') =>
    denoiseOf(settleOptions({ ...asked, ...options }, kind));
  assert.is(denoise({ denoise: 2 }), 2);
  assert.is(denoise({ effort: 'best' }, 'video'), 'auto');
  assert.is(denoise({}, 'video'), 'off');
  assert.is(denoise({ denoise: 'auto', model: 'detail' }), 'off');
  assert.is(denoise({ denoise: 'auto', model: 'animation' }), 'auto');
  assert.is(
    refusal(() => denoise({ denoise: 1, model: 'animation' })).faults[0]?.pointer,
    '/denoise',
  );
  const { code, message, faults } = refusal(() => denoise({ denoise: 3 }, 'video'));
  assert.equal(
    faults.map(({ pointer, allowed }) => [pointer, allowed]),
    [['/denoise', ['auto', 'off']]],
  );
  assert.is(code, 'unsupported_option_for_model');
  assert.is(
    message,
    'Expected denoise auto or off for the model photo with effort realtime; got 3.',
  );
});

const [image, video] = [{ kind: 'image' }, { kind: 'video' }] as const;
const [able, unable] = [{ levels: [1, 2, 3, 4, 5] }, { levels: [] }];
const wish = (denoise: Denoise) => ({ ...asked, denoise });

test('the fewer bits a lossy WebP or an AVIF has, the more is taken away, and of many the noise; what was asked for goes before', () => {
  const lossy = (lossyBits: number) => ({ ...image, lossyBits });
  const levels = [0.4, 1.2, 3].map((bits) => levelOf(wish('auto'), lossy(bits), able));
  assert.equal(levels, [5, 1, MEASURED]);
  assert.is(levelOf(wish('auto'), lossy(0.4), { levels: [1, 2, 3] }), 1);
  assert.is(levelOf(wish('auto'), lossy(0.4), unable), 0);
  assert.is(levelOf(wish(2), lossy(3), able), 2);
  assert.is(levelOf(wish('off'), lossy(0.4), able), 0);
});

test('animation takes away what a JPEG left, and nothing of videos, other formats and noise', () => {
  const drawn = { ...asked, model: 'animation', denoise: 'auto' } as const;
  const levels = { levels: [1, 2, 3, 4] };
  assert.is(levelOf(drawn, image, levels), MEASURED);
  assert.is(levelOf(drawn, { ...image, lossyBits: 0.4 }, levels), MEASURED);
  assert.is(levelOf(drawn, video, levels), 0);
  assert.is(levelOf({ ...drawn, denoise: 'off' }, image, levels), 0);
  assert.is(levelOf({ ...drawn, effort: 'realtime' }, image, levels), 0);
});

test('a JPEG has at least the level of its own table, by the steps that the model goes by as well', () => {
  const levels = [undefined, 1.3, 2.6, 6.6, 13.2, 22].map((jpegStep) =>
    statedLevel({ jpegStep }, able),
  );
  assert.equal(levels, [0, 0, 1, 2, 3, 4]);
  assert.is(statedLevel({ jpegStep: 22 }, { levels: [1, 2, 3] }), 3);
  const measured = readFileSync('inference/enhance/upscale/damage.py', 'utf8');
  assert.match(measured, `_LIMITS = (${JPEG_STEPS.join(', ')})`);
});

test('a release that takes no noise away is not asked to, and who asked for it is told', () => {
  assert.is(levelOf(wish('auto'), image, able), MEASURED);
  assert.is(levelOf(wish('auto'), video, able), 5);
  assert.is(levelOf(wish('auto'), { ...video, isClear: true }, able), 1);
  assert.is(levelOf(wish(3), { ...video, isClear: true }, able), 3);
  assert.is(levelOf(wish('auto'), video, { levels: [1, 2, 3] }), 1);
  assert.is(levelOf(wish(3), video, able), 3);
  assert.is(levelOf(asked, image, able), 0);
  assert.is(levelOf(wish(3), image, unable), 0);
  assert.equal(denoiseWarnings(wish('auto'), unable), []);
  assert.equal(denoiseWarnings(wish(1), able), []);
  assert.equal(
    denoiseWarnings(wish(1), unable).map(({ code }) => code),
    ['not_denoised'],
  );
});

test('what an effort is made by has a price of its own; jobs of before were made as well as can be', () => {
  assert.is(variantOf({ ...asked, effort: 'realtime' }), 'photo_realtime');
  assert.is(variantOf({ ...asked, effort: 'best' }), 'photo');
  assert.is(variantOf(asked), 'photo');
});

test.run();
