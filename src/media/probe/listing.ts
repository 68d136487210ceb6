import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Limits } from '../../config.ts';
import type { ChildExit } from '../child-exit.ts';
import { type FfmpegOptions, startFfmpeg } from '../ffmpeg.ts';
import type { VideoInfo } from '../info.ts';
import { CUT_OFF_VIDEO, endOf, undecodable, unreadable } from '../outcome.ts';
import { checkSeconds, tooLong } from './limits.ts';
import { exceeds, type PacketSummary, type Reading, readPackets } from './packets.ts';

type VideoListing = { readonly video: PacketSummary } & Pick<
  VideoInfo,
  'mediaStart' | 'mediaSeconds'
>;

type VideoListingOptions = FfmpegOptions & {
  readonly hasDecodingTimes: boolean;
  /** Two packets that are nearer to each other make one picture. */
  readonly leastSeconds?: number;
};

/** The times of decoding that ffmpeg makes up may be later than those of showing, which it would then change to fit. */
const BEFORE_ALL = 'setts=pts=PTS:dts=-1e9';

/** Reads every packet of a video and decodes none. Throws for what is unreadable, cut off or too long. */
export const listVideo = async (
  input: readonly string[],
  limits: Limits['video'],
  { hasDecodingTimes, leastSeconds, ...options }: VideoListingOptions,
): Promise<VideoListing> => {
  const wanted = ['-map', '0:V:0', '-map', '0:a?', '-c', 'copy', '-copyinkf'];
  if (!hasDecodingTimes) wanted.push('-bsf:v', BEFORE_ALL);
  const { streams, exit } = await listPackets([STRICT, ...input, ...wanted], {
    ...options,
    limit: { packets: limits.frames, leastSeconds },
  });
  const [video] = streams;
  if (video && !exit) throw tooLong(video, limits);
  checkWhole(streams, exit);
  if (!video || video.packets === 0) throw unreadable('its video stream is empty');
  const filled = streams.filter(({ packets }) => packets > 0);
  const mediaStart = Math.min(...filled.map((stream) => stream.start));
  const mediaSeconds = Math.max(...filled.map((stream) => stream.end)) - mediaStart;
  checkSeconds(mediaSeconds, limits.seconds, 'video');
  return { video, mediaStart, mediaSeconds };
};

/** ffmpeg then ends with an error where its demuxer does, as at a packet that is cut off. */
export const STRICT = '-xerror';

type ListingOptions = FfmpegOptions & {
  readonly limit?: Reading;
  /** What the same ffmpeg writes to descriptor 3, and who reads it. */
  readonly second?:
    | { readonly args: readonly string[]; readonly read: (stream: Readable) => Promise<void> }
    | undefined;
};

type Listing = { readonly streams: readonly PacketSummary[]; readonly exit: ChildExit | null };

/**
 * The packets of what ffmpeg makes of an input; the arguments name the input, its streams and their codecs. `exit` is
 * null when ffmpeg was stopped because the first stream had more than `limit`. Throws decode_failed when it was killed.
 */
export const listPackets = async (
  args: readonly string[],
  { limit = {}, second, ...options }: ListingOptions,
): Promise<Listing> => {
  const outputs = ['-f', 'framecrc', 'pipe:1', ...(second?.args ?? [])];
  const child = startFfmpeg([...args, ...outputs], { ...options, readDescriptor3: second?.read });
  try {
    const streams = await readPackets(createInterface({ input: child.stdout }), limit);
    options.signal.throwIfAborted();
    const [first] = streams;
    if (first && exceeds(first, limit)) return { streams, exit: null };
    const exit = await endOf(child, options);
    return { streams, exit };
  } catch (error) {
    throw error instanceof RangeError ? unreadable(error.message, error) : error;
  } finally {
    await child.stop();
  }
};

/** Throws media_unreadable where a listing with STRICT met the end of the file too early. */
export const checkWhole = (streams: readonly PacketSummary[], exit: ChildExit | null): void => {
  const failed = exit !== null && exit.exitCode !== 0;
  if (failed && streams.length === 0) throw unreadable(undecodable(exit.errorText, 'its data'));
  if (failed || streams.some(({ cut }) => cut)) throw unreadable(CUT_OFF_VIDEO);
};
