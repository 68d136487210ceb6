import type { Config, Limits } from '../config.ts';
import { Failure } from '../errors.ts';
import { inTime } from './deadline.ts';
import { fileInput } from './ffmpeg.ts';
import { decodeFirst } from './first-picture.ts';
import { identify } from './identify.ts';
import { checkImageParts } from './image-parts.ts';
import type { ImageInfo, VideoInfo } from './info.ts';
import { listPackets, unreadable } from './listing.ts';
import { reasonOf, sharp } from './sharp.ts';

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
 * What a video is, by reading all its packets and then decoding its first picture: a size or a length beyond the
 * limits is refused before any decoding. Headers that lie about length or rate do not matter.
 * Throws media_unreadable, no_video_stream, resolution_too_large, media_too_long.
 */
export const probeVideo = async (
  path: string,
  ffmpeg: Config['ffmpeg'],
  limits: Limits['video'],
  signal: AbortSignal,
): Promise<VideoInfo> => {
  const type = await identify(path);
  if (type.kind !== 'video') throw new Failure('no_video_stream');
  const input = fileInput(path, type.container);
  return inTime(signal, async (either) => {
    const { video, mediaSeconds, streams } = await listPackets(input, ffmpeg, limits, either);
    const { pts: _, turned, ...first } = await decodeFirst(input, ffmpeg, either);
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
      chroma: streams.video === 'mjpeg' ? 'centre' : turnedChroma[turned],
      hasAudio: streams.audio.length > 0,
      audio: streams.audio,
    };
  });
};

/** Where a turn clockwise takes chroma that lies on the left. */
const turnedChroma = { 0: 'left', 90: 'top', 180: 'right', 270: 'bottom' } as const;

/** libvips calls AVIF by the name of its container. */
const imageFormat = (loaded: string): ImageInfo['format'] => {
  if (loaded === 'heif') return 'avif';
  if (loaded === 'png' || loaded === 'jpeg' || loaded === 'webp') return loaded;
  throw new Error(`it is ${loaded}, not one of our formats`);
};
