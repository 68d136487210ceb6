import { paidPixels } from '../../accounts/price.ts';
import { scaled } from '../../frame.ts';
import type { Prepared } from '../../http/order.ts';
import type { Parts } from '../../http/parts.ts';
import {
  checkBytes,
  inputOf,
  inTurn,
  releaseOf,
  takeSource,
  type Wanted,
} from '../../http/source.ts';
import type { MediaInfo } from '../../media/info.ts';
import { settleOptions } from './options.ts';
import type { UpscaleRequest } from './request.ts';

/** Everything that can be refused is refused here, before a job exists and credits are held. */
export const prepareUpscale = async (
  wanted: Wanted<UpscaleRequest>,
  parts: Parts,
): Promise<Prepared> => {
  const { config, media, draining } = parts;
  const { image, video } = config.limits;
  const { body, files } = wanted;
  const file = await takeSource(
    {
      name: 'source',
      part: files.image ?? files.video,
      url: body.image_url ?? body.video_url,
      mostBytes: Math.max(image.bytes, video.bytes),
    },
    wanted,
    parts,
  );
  const type = await media.identify(file.path, ['image', 'video']);
  checkBytes(file.bytes, type.kind, config.limits);
  const options = settleOptions(body, type.kind);
  const info = await inTurn<MediaInfo>(wanted, parts, () =>
    type.kind === 'image'
      ? media.probeImage(file.path)
      : media.probeVideo({
          path: file.path,
          ffmpeg: config.probing.ffmpeg,
          limits: video,
          signal: draining,
        }),
  );
  media.checkLimits(info, config.limits, options.scale, options.output_format);
  const outputSize = scaled(info.size, options.scale);
  return {
    kind: 'upscale',
    options,
    modelVersion: await releaseOf(options.model, info.kind, parts),
    input: inputOf(file, info, type.mime),
    files: { media: file.path },
    work: {
      model: options.model,
      outputPixels: paidPixels(outputSize),
      ...(info.kind === 'video' && {
        video: { seconds: info.durationSeconds, frames: info.frames },
      }),
    },
    outputSize,
    warnings: [],
  };
};
