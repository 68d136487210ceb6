import { evened, within } from '../../frame.ts';
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
import type { ImageInfo, VideoInfo } from '../../media/info.ts';
import { outputSpan, warningsOf } from './length.ts';
import { checkLengths, checkOptions, checkSpeaker } from './options.ts';
import type { LipsyncRequest } from './request.ts';

/** Everything that can be refused without decoding is refused here, before a job exists and credits are held. */
export const prepareLipsync = async (
  wanted: Wanted<LipsyncRequest>,
  parts: Parts,
): Promise<Prepared> => {
  const { video_url: _, audio_url: __, ...options } = wanted.body;
  checkOptions(options);
  const { file, info, mime } = await takeClip(wanted, parts);
  const clip = clipOf(info);
  checkSpeaker(options.speaker, clip);
  const { path, audio } = await takeSound(wanted, parts);
  checkLengths(options, clip, audio.duration_seconds);
  const input = { ...inputOf(file, info, mime), own_sound: clip.hasAudio, audio };
  const video = outputSpan(input, options);
  parts.media.checkOutputFrames(video.frames, parts.config.limits.lipsync);
  return {
    kind: 'lipsync',
    options,
    modelVersion: await releaseOf(options.model, info.kind, parts),
    input,
    files: { media: file.path, audio: path },
    work: { model: options.model, video },
    outputSize: evened(
      info.kind === 'image' ? within(info.size, parts.config.limits.lipsync) : info.size,
    ),
    warnings: warningsOf(input, options),
  };
};

/** A portrait is a clip of one frame. */
const clipOf = (info: ImageInfo | VideoInfo) =>
  info.kind === 'video'
    ? { ...info, seconds: info.durationSeconds }
    : { ...info, seconds: 0, fps: 0, frames: 1, hasAudio: false };

const takeClip = async (wanted: Wanted<LipsyncRequest>, parts: Parts) => {
  const { media, config, draining } = parts;
  const { image, video, lipsync } = config.limits;
  const { body, files } = wanted;
  const source = {
    name: 'clip',
    part: files.video ?? files.image,
    url: body.video_url,
    mostBytes: Math.max(image.bytes, video.bytes),
  };
  const file = await takeSource(source, wanted, parts);
  const type = await media.identify(file.path, ['image', 'video']);
  checkBytes(file.bytes, type.kind, config.limits);
  const info = await inTurn<ImageInfo | VideoInfo>(wanted, parts, () =>
    type.kind === 'image'
      ? media.probeImage(file.path)
      : media.probeVideo({
          path: file.path,
          ffmpeg: config.probing.ffmpeg,
          limits: lipsync,
          signal: draining,
        }),
  );
  // A larger portrait than a video may be is made smaller.
  if (info.kind === 'image') media.checkPixels(info.size, image.pixels);
  else media.checkFrames(info.frames, lipsync);
  return { file, info, mime: type.mime };
};

const takeSound = async (wanted: Wanted<LipsyncRequest>, parts: Parts) => {
  const { media, config, draining } = parts;
  const { limits } = config;
  const { body, files } = wanted;
  const source = {
    name: 'sound',
    part: files.audio,
    url: body.audio_url,
    mostBytes: limits.audio.bytes,
  };
  const { path, bytes, sha256 } = await takeSource(source, wanted, parts);
  const type = await media.identifySound(path);
  checkBytes(bytes, 'audio', limits);
  const info = await inTurn(wanted, parts, () =>
    media.probeAudio({
      path,
      ffmpeg: config.probing.ffmpeg,
      limits: limits.audio,
      signal: draining,
    }),
  );
  const audio = {
    ...{ bytes, sha256, content_type: type.mime },
    duration_seconds: info.durationSeconds,
    sample_rate: info.sampleRate,
    channels: info.channels,
  };
  return { path, audio };
};
