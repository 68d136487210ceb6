import { inOrder } from '../../async/in-order.ts';
import { type Picture, scaled } from '../../frame.ts';
import { type Damage, type Level, MEASURED } from '../../triton/clients/upscaler.ts';
import type { Report } from '../progress.ts';
import { emptyLike } from './area.ts';
import { type Band, bandsOf, cutBand, middleOf, pasteBand } from './bands.ts';
import type { UpscaleMeans } from './video.ts';

/**
 * The picture at `scale`, in bands, so that a large one can be watched, cancelled and interleaved with
 * other callers' work. The same pixels as in one piece: bands carry the context that the model asks for.
 */
export const upscaleImage = async (
  picture: Picture,
  {
    scale,
    upscaler,
    denoise,
    atLeast = 0,
    inFlight,
    report,
    signal,
  }: UpscaleMeans & {
    /** Of what is measured. */
    readonly atLeast?: Level;
    readonly report: Report;
  },
): Promise<Picture> => {
  const bands = bandsOf(picture, scale, upscaler);
  const framesTotal = bands.length;
  report({ stage: 'inference', framesDone: 0, framesTotal });
  // A picture in one piece is measured in the call that enlarges it.
  const isMeasured = denoise === MEASURED && (atLeast > 0 || framesTotal > 1);
  const measured: Damage = isMeasured
    ? await upscaler.measure(middleOf(picture), signal)
    : { level: denoise };
  // Noise that is wider than a pixel goes whatever the JPEG left.
  const damage =
    isMeasured && measured.level < atLeast
      ? { level: atLeast, wideNoise: measured.wideNoise }
      : measured;
  if (framesTotal === 1) {
    const whole = await upscaler.run(picture, scale, signal, damage);
    report({ stage: 'encoding', framesDone: 1, framesTotal });
    return whole;
  }

  const whole = emptyLike(picture, scaled(picture, scale));
  const enhance = async (band: Band) => ({
    band,
    enhanced: await upscaler.run(cutBand(picture, band), scale, signal, damage),
  });

  let framesDone = 0;
  for await (const { band, enhanced } of inOrder(bands, inFlight, enhance)) {
    pasteBand(whole, enhanced, band, scale);
    framesDone += 1;
    const stage = framesDone < framesTotal ? 'inference' : 'encoding';
    report({ stage, framesDone, framesTotal });
  }
  return whole;
};
