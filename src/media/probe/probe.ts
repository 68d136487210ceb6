import type { Config, Limits } from '../../config.ts';
import { Failure } from '../../errors.ts';
import { fileInput, probeInput } from '../ffmpeg.ts';
import { checkImageParts } from '../image/image-parts.ts';
import { reasonOf, sharp } from '../image/sharp.ts';
import type { ImageInfo, VideoInfo } from '../info.ts';
import { CUT_OFF, unreadable } from '../outcome.ts';
import { inTime, type Late } from './deadline.ts';
import { endsEarly } from './ebml-end.ts';
import { decodeFirst } from './first-picture.ts';
import { identify } from './identify.ts';
import { checkVideoSize } from './limits.ts';
import { listPackets } from './listing.ts';
import { readStreams } from './streams.ts';

/** What an image is, by its header alone: a picture of any size costs nothing here. Throws media_unreadable. */
export const probeImage = async (path: string): Promise<ImageInfo> => {
  try {
    await checkImageParts(path);
    const header = await sharp(path, { limitInputPixels: false }).metadata();
    if ((header.pages ?? 1) > 1) throw new Error('it holds more than one picture');
    const { space, hasProfile } = header;
    return {
      kind: 'image',
      size: header.autoOrient,
      alpha: header.hasAlpha,
      gray: space === 'b-w' || space === 'grey16',
      format: imageFormat(header.format),
      profile: hasProfile && (space === 'rgb16' || space === 'grey16') ? space : null,
      metadata: header.exif !== undefined || header.xmp !== undefined,
    };
  } catch (error) {
    throw unreadable(reasonOf(error), error);
  }
};

/**
 * What a video is, by its header, all its packets and its first picture, in this order: a size or a length beyond the
 * limits is refused before any decoding. Headers that lie about size, length or rate do not matter.
 * Our own fault is told as decode_failed.
 * Throws media_unreadable, no_video_stream, resolution_too_large, media_too_long.
 */
export const probeVideo = async (
  path: string,
  ffmpeg: Config['ffmpeg'],
  limits: Limits['video'],
  signal: AbortSignal,
  late?: Late,
): Promise<VideoInfo> => {
  const type = await identify(path);
  if (type.kind !== 'video') throw new Failure('no_video_stream');
  const input = fileInput(path, type.container);
  const header = probeInput(path, type.container);
  return inTime(
    signal,
    async (either) => {
      const streams = await readStreams(header, ffmpeg, either);
      if (!streams.video) throw new Failure('no_video_stream');
      if (streams.video.size) checkVideoSize(streams.video.size, limits);
      if (type.container === 'matroska' && (await endsEarly(path))) throw unreadable(CUT_OFF);
      const { video, mediaSeconds } = await listPackets(input, ffmpeg, limits, either);
      const { turned, ...first } = await decodeFirst(header, streams.video, ffmpeg, either);
      checkVideoSize(first.size, limits);
      const durationSeconds = Number((video.end - video.start).toFixed(6));
      return {
        kind: 'video',
        container: type.container,
        ...first,
        startSeconds: video.start,
        durationSeconds,
        mediaSeconds,
        frames: video.packets,
        fps: durationSeconds > 0 ? Number((video.packets / durationSeconds).toFixed(6)) : 1,
        constantRate: video.constantRate,
        lastFrameSeconds: video.lastSeconds,
        timeBase: video.timeBase,
        chroma: streams.video.codec === 'mjpeg' ? 'centre' : turnedChroma[turned],
        hasAudio: streams.audio.length > 0,
        audio: streams.audio,
      };
    },
    late,
  );
};

/** Where a turn clockwise takes chroma that lies on the left. */
const turnedChroma = { 0: 'left', 90: 'top', 180: 'right', 270: 'bottom' } as const;

/** libvips calls AVIF by the name of its container. */
const imageFormat = (loaded: string): ImageInfo['format'] => {
  if (loaded === 'heif') return 'avif';
  if (loaded === 'png' || loaded === 'jpeg' || loaded === 'webp') return loaded;
  throw new Error(`it is ${loaded}, not one of our formats`);
};
