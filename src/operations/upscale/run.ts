/** An image or a video to a larger one, file in, file out. */
import { rm } from 'node:fs/promises';
import { untilAborted } from '../../async/until-aborted.ts';
import { defaultFormat, type OutputFormat } from '../../contract/media.ts';
import { Failure } from '../../errors.ts';
import { scaled } from '../../frame.ts';
import { encodeStoppably } from '../../media/image/encode.ts';
import { decodeImage } from '../../media/image/picture.ts';
import { profileOf } from '../../media/image/profile.ts';
import type { ImageInfo, VideoInfo } from '../../media/info.ts';
import { contentType, textSubtitles } from '../../media/output.ts';
import { readMetadata } from '../../media/probe/metadata.ts';
import { encodeVideo, type VideoSource } from '../../media/write/encode.ts';
import type { AnyFrame, Encoded } from '../../media/write/encoder.ts';
import { writeSubtitles } from '../../media/write/subtitles.ts';
import { leftOutOfVideo } from '../left-out.ts';
import { pictureWarnings, videoDetails } from '../media.ts';
import type { Outcome } from '../operation.ts';
import type { Report } from '../progress.ts';
import { calmingOf } from './calm.ts';
import { upscaleInChunks } from './chunks.ts';
import { cleaningOf } from './cleaning.ts';
import { denoiseWarnings, statedLevel } from './denoise.ts';
import { depthOf } from './depth.ts';
import { detailInVideo } from './detail-in-video.ts';
import { upscaleImage } from './image.ts';
import type { UpscaleTask } from './task.ts';
import { enlargedVideo, meansOf } from './video.ts';

type Details = {
  readonly duration_seconds?: number;
  readonly frames?: number;
  readonly fps?: number;
};

/** Throws media_unreadable, decode_failed, encode_failed, and the failures of the model. */
export const runUpscale = (task: UpscaleTask): Promise<Outcome<Details>> => {
  const { found } = task;
  return found.kind === 'image' ? image(task, found) : video(task, found);
};

const image = async (task: UpscaleTask, info: ImageInfo): Promise<Outcome<Details>> => {
  const { options, input, target, config, report, signal } = task;
  report({ stage: 'decoding', framesDone: 0, framesTotal: null });
  const path = input('media');
  const format = imageFormat(options.output_format);
  const means = meansOf(task, info);
  const { depth, warnings } = depthOf(info, format, means.upscaler);
  const profile = await profileOf(path, info);
  // libvips cannot be stopped: a decoder goes on for a second or two, beside whatever comes next.
  const decoding = decodeImage(path, info, { ffmpeg: config.ffmpeg, signal, depth, profile });
  const picture = await untilAborted(decoding, signal);
  const enhanced = await upscaleImage(picture, {
    ...means,
    atLeast: statedLevel(info, means.upscaler),
    report,
  });
  const output = options.output ?? {};
  const encoding = { source: { path, info }, target, format, output, profile };
  const confines = { ...config.ffmpeg, signal };
  await untilAborted(encodeStoppably(enhanced, encoding, confines), signal);
  return {
    outputSize: enhanced,
    contentType: contentType(format),
    details: {},
    warnings: [...warnings, ...pictureWarnings(info), ...denoiseWarnings(options, means.upscaler)],
  };
};

const imageFormat = (format: OutputFormat = defaultFormat.image) => {
  if (format === 'mp4')
    throw new Failure('validation_failed', {
      detail: 'Expected png, jpeg, webp or avif for an image; got mp4.',
    });
  return format;
};

const video = async (task: UpscaleTask, info: VideoInfo): Promise<Outcome<Details>> => {
  const { options, input, target, config, signal } = task;
  const subtitles = `${target}.subtitles`;
  const confines = { ffmpeg: config.ffmpeg, signal };
  const file = { path: input('media'), info };
  const keeps = options.output?.metadata === 'keep';
  const source = keeps ? { ...file, metadata: await readMetadata(file, confines) } : file;
  const wanted = textSubtitles(info.others).length > 0;
  try {
    const kept = wanted && (await writeSubtitles(source, subtitles, confines));
    const whole = kept ? { ...source, subtitles } : source;
    const done = (await upscaleInChunks(task, whole)) ?? (await inOneGo(task, whole));
    return {
      outputSize: scaled(info.size, options.scale),
      contentType: contentType('mp4'),
      details: videoDetails(done),
      warnings: [
        ...detailInVideo(options, info),
        ...pictureWarnings(info),
        ...leftOutOfVideo(info, { unreadable: wanted && !kept }),
        ...denoiseWarnings(options, meansOf(task, info).upscaler),
      ],
    };
  } finally {
    await rm(subtitles, { force: true });
  }
};

const inOneGo = async (task: UpscaleTask, source: VideoSource): Promise<Encoded> => {
  const { info } = source;
  const { options, target, config, report, signal } = task;
  const cleaning = await cleaningOf(task, info);
  const watched = reported(enlargedVideo(task, info, { cleaning }), info.frames, report);
  return encodeVideo(watched, {
    source,
    target,
    output: options.output ?? {},
    filters: calmingOf(options),
    ffmpeg: config.ffmpeg,
    signal,
  });
};

async function* reported(frames: AsyncIterable<AnyFrame>, framesTotal: number, report: Report) {
  let framesDone = 0;
  report({ stage: 'inference', framesDone, framesTotal });
  for await (const frame of frames) {
    yield frame;
    framesDone += 1;
    report({ stage: 'inference', framesDone, framesTotal: Math.max(framesTotal, framesDone) });
  }
  report({ stage: 'encoding', framesDone, framesTotal: framesDone });
}
