/** Against flicker: H.264 rounds each frame in another way, and a network enlarges that too. docs/decisions/0099. Pure. */
import type { UpscaleModel, UpscaleOptions } from './request.ts';

/**
 * Each sample becomes the mean of those of up to five frames, as far as they follow each other and differ from it by at most
 * .012 of the range (3 levels of 255), .024 in all. Fades and moving grain stay as they are.
 */
const MEAN_OF_FIVE = 'atadenoise=s=5:0a=.012:0b=.024:1a=.012:1b=.024:2a=.012:2b=.024';
/**
 * Each sample follows the one before, the more slowly the less it differs: a quarter of a difference of 4 levels stays in the
 * next frame. Around drawn lines flicker is larger than a few levels. .01: nothing in space; 0 would be the filter's default.
 */
const FOLLOWING = 'hqdn3d=.01:.01:4:4';

const FILTERS: Record<UpscaleModel, string> = {
  photo: MEAN_OF_FIVE,
  detail: MEAN_OF_FIVE,
  animation: FOLLOWING,
};

/** Filters of ffmpeg for the enlarged frames of a video, in 4:2:0. Jobs that were made before there was a choice have none. */
export const calmingOf = ({ model, denoise = 'off' }: UpscaleOptions): readonly string[] =>
  denoise === 'off' ? [] : [FILTERS[model]];
