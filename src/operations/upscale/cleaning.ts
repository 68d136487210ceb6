/** Noise and blocks go before a video is enlarged, as a network would sharpen them. docs/decisions/0128, 0176, 0221. */
import { Failure } from '../../errors.ts';
import type { Frame } from '../../frame.ts';
import type { FfmpegOptions } from '../../media/ffmpeg.ts';
import type { VideoInfo } from '../../media/info.ts';
import { decodeVideo, decodeYuv } from '../../media/read/decode.ts';
import { blockStepOf, type Quantiser, quantiserOf } from '../../media/read/quantiser.ts';
import { nearest } from './cuts.ts';
import { ditherOf } from './dither.ts';
import { changeOf, looksAt, type Moment, type Noise, noiseOf } from './noise.ts';
import { effortOf, variantOf } from './options.ts';
import type { UpscaleOptions } from './request.ts';
import type { UpscaleTask } from './task.ts';

type Looking = Pick<UpscaleTask, 'options' | 'input' | 'config' | 'signal'>;

/** Where noise is looked for, in parts of the video; decoding begins at the nearest key frame. */
const PLACES = [1 / 6, 1 / 2, 5 / 6];
/** Frames that are decoded there: a key frame, which is better than others, and two moments. */
const FRAMES = 7;
/** The largest threshold that `atadenoise` takes, as a share of the range of codes. */
const LARGEST_DIFFERENCE = 0.3;
/** The largest threshold that `chromanr` takes: levels of luma and of both planes of chroma together. */
const MOST_UNLIKE = 200;

/** Bits of a pixel in a key frame, from which on compression has left little: docs/decisions/0129. */
const CLEAR_BITS = 1.7;
/**
 * With fewer bits it has left little as well where it rounded finely: by at most `step` levels of luma, with at least `bits`
 * per pixel. The network for H.264 knows the traces of H.264 best: docs/decisions/0138.
 */
const FINE: Record<Quantiser['codec'], { readonly step: number; readonly bits: number }> = {
  h264: { step: 5, bits: 1 },
  hevc: { step: 9.1, bits: 0.75 },
  'vp9 or av1': { step: 6, bits: 0.75 },
};
/** Levels of luma. What changes by more where frames are calmest is weak noise, which takes bits as detail does. */
const CLEAR_CHANGE = 0.9;

/** Levels of 255. Where MPEG-4 rounded by less, evening gains nothing. */
const LEAST_BLOCK_STEP = 5;
/** The share of the step by which `spp` rounds again. Its own rule, a half, takes detail away. */
const ROUNDING = 0.2;
/** `sigmaR` of `bilateral` (at this difference, of 1, a pixel has the weight .6) for each level that dithered colours differ. */
const DITHER_RANGE = 0.006;

export type Cleaning = {
  /** Filters of ffmpeg for the pictures of the video, in 8-bit 4:2:0; empty where nothing is to be taken away. */
  readonly filters: readonly string[];
  /** Whether the pictures have neither noise nor traces of compression that matter. */
  readonly isClear: boolean;
};

export const notCleaned: Cleaning = Object.freeze({ filters: [], isClear: false });

/** What is measured where `denoise` is `auto`. */
export const cleaningOf = async (task: Looking, info: VideoInfo): Promise<Cleaning> => {
  if (task.options.denoise !== 'auto') return notCleaned;
  const looks = looksAt(await momentsOf(task, info));
  const even = await evenBlocks(task, info);
  const noise = noiseOf(looks);
  if (noise) return { ...notCleaned, filters: [...even, ...filtersFor(noise, task.options)] };
  const isCalm = (changeOf(looks) ?? CLEAR_CHANGE) < CLEAR_CHANGE;
  const filters = [...even, ...(await evenDither(task, info))];
  return { filters, isClear: isCalm && (await isFine(task, info)) };
};

/**
 * What evens dithering: each sample becomes the mean of those around it, as far as they are as near to it as the colours that
 * dithering puts in turn. Only RGB is looked at, as what animated images become: 4:2:0 has no colours that are exactly the same.
 */
const evenDither = async (task: Looking, info: VideoInfo): Promise<readonly string[]> => {
  if (info.colour.matrix !== null) return [];
  const pictures: Frame[] = [];
  for (const from of placesOf(info))
    pictures.push(...(await framesFrom(from, task, info, decodeVideo, 1)));
  const levels = ditherOf(pictures);
  return levels === null
    ? []
    : [`bilateral=sigmaS=2:sigmaR=${(DITHER_RANGE * levels).toFixed(3)}:planes=7`];
};

/**
 * What evens the blocks of MPEG-2, MPEG-4 and the like: the mean of eight pictures, each rounded again in blocks that lie
 * elsewhere. docs/decisions/0176.
 */
const evenBlocks = async (task: Looking, info: VideoInfo): Promise<readonly string[]> => {
  const step = await blockStepOf(task.input('media'), info, lookAt(task, info));
  if (step === null || step < LEAST_BLOCK_STEP) return [];
  return [`spp=quality=3:qp=${Math.max(1, Math.round(ROUNDING * step))}`];
};

/** The key frame that is nearest to the middle. */
const lookAt = ({ config, signal }: Looking, info: VideoInfo) => {
  const [from = 0] = nearest(info.keyFrames, info.startSeconds + info.durationSeconds / 2);
  return { from, ffmpeg: config.ffmpeg, signal };
};

/**
 * First each sample of luma becomes the mean of itself and its neighbours, as far as their surroundings are alike; then each of
 * chroma that of a square, as far as luma and chroma are alike there; then each sample that of up to five frames, as far as they
 * follow each other and differ by no more than what is left of the noise. The network of `animation` with `best` takes noise of
 * luma away itself. docs/decisions/0152.
 */
export const filtersFor = (noise: Noise, options: UpscaleOptions): readonly string[] => {
  // Where luma is noisy, compression has hidden some of the noise of chroma.
  const chroma = Math.max(noise.chroma, 0.1 * noise.luma);
  const evenColours = `chromanr=thres=${Math.min(8 * chroma, MOST_UNLIKE).toFixed(2)}:sizew=4:sizeh=4:stepw=2:steph=2`;
  return options.model === 'animation' && effortOf(options) === 'best'
    ? [evenColours, meanOfFive(3 * noise.luma, 3 * chroma)]
    : [
        // rc=1: luma alone. What is as weak as the noise of luma is often a colour.
        `nlmeans=s=${(0.9 * noise.luma).toFixed(2)}:p=5:r=3:rc=1`,
        evenColours,
        meanOfFive(1.5 * noise.luma, 3 * chroma),
      ];
};

/** A mean of up to five frames, as far as they differ by no more than these levels of 255. */
const meanOfFive = (luma: number, chroma: number): string => {
  const planes = [luma, chroma, chroma].map((levels, plane) => {
    const each = Math.min(levels / 255, LARGEST_DIFFERENCE);
    return `${plane}a=${each.toFixed(4)}:${plane}b=${(3 * each).toFixed(4)}`;
  });
  return `atadenoise=s=5:${planes.join(':')}`;
};

/** Whether compression has left little in a key frame. With few bits only `photo` with `best` has the stream read, as no other model asks. */
const isFine = async (task: Looking, info: VideoInfo): Promise<boolean> => {
  const bits = info.keyBits ?? 0;
  if (bits >= CLEAR_BITS) return true;
  if (variantOf(task.options) !== 'photo') return false;
  const found = await quantiserOf(task.input('media'), info, lookAt(task, info));
  if (!found) return false;
  const fine = FINE[found.codec];
  return found.step <= fine.step && bits >= fine.bits;
};

const momentsOf = async (task: Looking, info: VideoInfo): Promise<Moment[]> => {
  const moments: Moment[] = [];
  for (const from of placesOf(info)) {
    const [, a, b, c, d, e, f] = await framesFrom(from, task, info, decodeYuv, FRAMES);
    if (a && b && c) moments.push([a, b, c]);
    if (d && e && f) moments.push([d, e, f]);
  }
  return moments;
};

/** Times of the places, in seconds, each once. */
const placesOf = ({ startSeconds, durationSeconds, keyFrames }: VideoInfo): readonly number[] => {
  const wanted = PLACES.map((part) => startSeconds + part * durationSeconds);
  const starts = new Set(wanted.flatMap((time) => nearest(keyFrames, time)));
  return starts.size === 0 ? [0] : [...starts];
};

type Read<F> = (
  path: string,
  info: VideoInfo,
  options: FfmpegOptions & { readonly from: number },
) => AsyncIterable<F>;

const framesFrom = async <F>(
  from: number,
  { input, config, signal }: Looking,
  info: VideoInfo,
  read: Read<F>,
  most: number,
): Promise<F[]> => {
  const frames: F[] = [];
  try {
    const decoding = { ffmpeg: config.ffmpeg, signal, from };
    for await (const frame of read(input('media'), info, decoding)) {
      frames.push(frame);
      if (frames.length === most) break;
    }
  } catch (error) {
    // Where nothing can be decoded, nothing is measured. Whether it is the video's fault is decided by decoding all of it.
    if (signal.aborted || !(error instanceof Failure) || error.code !== 'media_unreadable')
      throw error;
  }
  return frames;
};
