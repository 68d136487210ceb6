import { rateOf } from '../../accounts/list-price.ts';
import type { JobInput } from '../../contract/job.ts';
import { naming } from '../../errors.ts';
import { scaled } from '../../frame.ts';
import type { MediaInfo } from '../../media/info.ts';
import { checkLimits } from '../../media/probe/limits.ts';
import { leftOutOfVideo } from '../left-out.ts';
import { jobInput, pictureWarnings, takeMedia } from '../media.ts';
import type { Identified, Intake, Prepared, Request } from '../operation.ts';
import { detailInVideo } from './detail-in-video.ts';
import { formatOf, settleOptions, variantOf } from './options.ts';
import { upscalePrice } from './price.ts';
import type { UpscaleOptions, UpscaleRequest } from './request.ts';

/** Takes the image or video, and settles the options for what it turns out to be. */
export const identifyUpscale = async (
  { body }: Request<UpscaleRequest>,
  intake: Intake,
): Promise<Identified<UpscaleOptions>> => {
  const { kind, media } = await takeMedia(['image', 'video'], intake);
  return { options: settleOptions(body, kind), inputKind: kind, files: { media } };
};

/** Probes it, and refuses what would become too large. */
export const prepareUpscale = async (
  { options, inputKind, files }: Identified<UpscaleOptions>,
  { config, probeMedia }: Intake,
): Promise<Prepared<JobInput, MediaInfo>> => {
  const { media } = files;
  const info = await probeMedia(media, inputKind, config.limits.video);
  await naming(media.field, async () =>
    checkLimits(info, config.limits, options.scale, formatOf(options, inputKind)),
  );
  const outputSize = scaled(info.size, options.scale);
  const video =
    info.kind === 'video' ? { seconds: info.durationSeconds, frames: info.frames } : undefined;
  return {
    input: jobInput(media, info),
    found: info,
    price: upscalePrice(
      variantOf(options),
      rateOf(config.prices, 'upscale', variantOf(options)),
      outputSize,
      video,
    ),
    outputSize,
    ...(video && { durationSeconds: video.seconds }),
    warnings: [...detailInVideo(options, info), ...pictureWarnings(info), ...leftOutOfVideo(info)],
  };
};
