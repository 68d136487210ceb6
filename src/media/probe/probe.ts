import type { Metadata } from 'sharp';
import type { Limits } from '../../config.ts';
import { Failure } from '../../errors.ts';
import { withDeadline } from '../deadline.ts';
import { type FfmpegOptions, fileInput, probeInput } from '../ffmpeg.ts';
import { readBmpHeader } from '../image/bmp.ts';
import { checkImageParts } from '../image/image-parts.ts';
import { metadataOf, reasonOf } from '../image/sharp.ts';
import { ycbcrOf } from '../image/tiff.ts';
import { codesOf } from '../image/transfer.ts';
import type { Container, ImageInfo, SourceFormat, VideoInfo } from '../info.ts';
import { CUT_OFF_VIDEO, unreadable } from '../outcome.ts';
import { endsEarly } from './ebml-end.ts';
import { leastBetweenPictures } from './field-packets.ts';
import { fieldsOf } from './fields.ts';
import { decodeFirst } from './first-picture.ts';
import { identify } from './identify.ts';
import { checkVideoSize } from './limits.ts';
import { listVideo } from './listing.ts';
import { readStreams } from './streams.ts';

/** What an image is, by its header alone, so that a picture of any size takes little time. Throws media_unreadable. */
export const probeImage = async (path: string): Promise<ImageInfo> => {
  try {
    const bmp = await readBmpHeader(path);
    if (bmp) {
      return { kind: 'image', ...bmp, format: 'bmp', gray: false, profile: null, metadata: false };
    }
    const lost = await checkImageParts(path);
    const header = await metadataOf(path);
    const { space, hasProfile, depth } = header;
    if (depth !== 'uchar' && depth !== 'ushort')
      throw new Error(`expected samples of 8 or 16 bits; it has samples of the type ${depth}`);
    const format = formatOf(header);
    // Of a HEIC with several, both decoders take the one that it names first: that is what viewers show.
    if ((header.pages ?? 1) > 1 && format !== 'heic')
      throw new Error('it has more than one picture');
    if (format === 'heic' && header.hasAlpha) throw new Error(CLEAR_HEIC);
    const { width, height } = header.autoOrient;
    const { hdr, p3 } = await codesOf(path, format);
    const ycbcr = format === 'tiff' && depth === 'uchar' ? await ycbcrOf(path) : undefined;
    const isDeep = depth === 'ushort' && (format === 'png' || format === 'tiff');
    return {
      kind: 'image',
      size: header.autoOrient,
      // libtiff adds an opaque one where it makes RGB of YCbCr.
      alpha: header.hasAlpha && !ycbcr,
      gray: space === 'b-w' || space === 'grey16',
      format,
      ...(isDeep && (space === 'rgb16' || space === 'grey16') && { depth: 16 }),
      profile: hasProfile && !hdr && (space === 'rgb16' || space === 'grey16') ? space : null,
      ...(hdr && { hdr }),
      ...(p3 && !hasProfile && { p3 }),
      ...(ycbcr && !ycbcr.isSubsampled && { ycbcr: ycbcr.reference }),
      metadata: header.exif !== undefined || header.xmp !== undefined,
      ...(lost.bytes > 0 && { lossyBits: (8 * lost.bytes) / (width * height) }),
      ...(lost.step > 0 && { jpegStep: lost.step }),
    };
  } catch (error) {
    throw unreadable(reasonOf(error), error, 'image');
  }
};

export type VideoProbe = FfmpegOptions & {
  readonly path: string;
  readonly limits: Limits['video'];
};

/**
 * What a video is, by its header, all its packets and its first picture, in this order: a size or a length beyond the
 * limits is refused before any decoding, whatever the header states of size, length or rate.
 *
 * Throws media_unreadable, no_video_stream, resolution_too_large, media_too_long; decode_failed is this service's fault.
 */
export const probeVideo = async (probe: VideoProbe): Promise<VideoInfo> => {
  const type = await identify(probe.path);
  if (type.kind !== 'video') throw new Failure('no_video_stream');
  return withDeadline(probe.signal, (signal) => measure({ ...probe, signal }, type.container));
};

const measure = async (probe: VideoProbe, container: Container): Promise<VideoInfo> => {
  const { path, limits } = probe;
  const header = probeInput(path, container);
  const streams = await readStreams(header, probe);
  if (!streams.video) throw new Failure('no_video_stream');
  if (streams.video.size) checkVideoSize(streams.video.size, limits);
  if (container === 'matroska' && (await endsEarly(path))) throw unreadable(CUT_OFF_VIDEO);
  const input = fileInput(path, container);
  const listed = { ...probe, hasDecodingTimes: container !== 'matroska' };
  const listing = await listVideo(input, limits, listed);
  const { rotation, ...first } = await decodeFirst(header, streams.video, probe);
  checkVideoSize(first.size, limits);
  const { unstated, telecined } = await fieldsOf(input, { ...first, rotation }, probe);
  const mayBeFields =
    first.interlaced && streams.video.codec === 'h264' && container === 'matroska';
  const { video, ...media } = mayBeFields
    ? await listVideo(input, limits, {
        ...listed,
        leastSeconds: await leastBetweenPictures(header, probe),
      })
    : listing;
  const stated = streams.statedSeconds ?? 0;
  const durationSeconds = Number((video.end - video.start).toFixed(6));
  return {
    kind: 'video',
    container,
    codec: streams.video.codec,
    ...first,
    ...(unstated && { interlaced: true, fields: unstated }),
    ...(telecined && { telecined }),
    startSeconds: video.start,
    durationSeconds,
    ...media,
    ...(stated > media.mediaSeconds + INEXACT_SECONDS && { statedSeconds: stated }),
    keyFrames: video.keys,
    ...(video.keyBytes > 0 && {
      keyBits: (8 * video.keyBytes) / (first.size.width * first.size.height),
    }),
    frames: video.packets,
    fps: durationSeconds > 0 ? Number((video.packets / durationSeconds).toFixed(6)) : 1,
    constantRate: video.constantRate,
    lastFrameSeconds: video.lastSeconds,
    timeBase: video.timeBase,
    hasAudio: streams.audio.length > 0,
    audio: streams.audio,
    others: streams.others,
  };
};

/** Writers count the last picture, and the delay of a codec, in their own ways. */
const INEXACT_SECONDS = 1;

const CLEAR_HEIC = 'it is a HEIC with transparency, which only a PNG, WebP or AVIF may have';

/** libvips calls AVIF and HEIC by the name of their container. */
const formatOf = ({ format: loaded, compression }: Metadata): SourceFormat => {
  if (loaded === 'heif') return compression === 'hevc' ? 'heic' : 'avif';
  if (loaded === 'png' || loaded === 'jpeg' || loaded === 'webp') return loaded;
  if (loaded === 'tiff' || loaded === 'gif') return loaded;
  throw new Error(`it is ${loaded}, which is not an accepted format`);
};
