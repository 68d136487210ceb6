import { createInterface } from 'node:readline';
import type { Config, Limits } from '../../config.ts';
import { type Ended, startFfmpeg } from '../ffmpeg.ts';
import { CUT_OFF, checkAlive, unreadable } from '../outcome.ts';
import { checkFrames, checkSeconds } from './limits.ts';
import { type Most, readPackets, type Track } from './packets.ts';

type Listing = { readonly video: Track; readonly mediaSeconds: number };

/** Reads every packet of a video and decodes none. Throws for what is unreadable, cut off or too long. */
export const listPackets = async (
  input: readonly string[],
  ffmpeg: Config['ffmpeg'],
  limits: Limits['video'],
  signal: AbortSignal,
): Promise<Listing> => {
  const wanted = ['-map', '0:V:0', '-map', '0:a?', '-c', 'copy', '-copyinkf'];
  const most = { packets: limits.frames };
  const { tracks, ended } = await listTracks([STRICTLY, ...input, ...wanted], most, ffmpeg, signal);
  const [video] = tracks;
  if (video) checkFrames(video.packets, limits);
  checkWhole(tracks, ended);
  if (!video || video.packets === 0) throw unreadable('its video stream is empty');
  const filled = tracks.filter(({ packets }) => packets > 0);
  const start = Math.min(...filled.map((track) => track.start));
  const mediaSeconds = Math.max(...filled.map((track) => track.end)) - start;
  checkSeconds(mediaSeconds, limits.seconds, 'video');
  return { video, mediaSeconds };
};

/** ffmpeg then ends with an error where its demuxer does, as at a packet that is cut off. */
export const STRICTLY = '-xerror';

/**
 * What ffmpeg makes of an input, a line a packet: the arguments name the input, the streams and what becomes of them.
 * `ended` is null when it was stopped, as there was more than `most`. Throws decode_failed when it was killed.
 */
export const listTracks = async (
  args: readonly string[],
  most: Most,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<{ tracks: readonly Track[]; ended: Ended | null }> => {
  const child = startFfmpeg(ffmpeg, [...args, '-f', 'framecrc', 'pipe:1'], signal);
  try {
    const tracks = await readPackets(createInterface({ input: child.stdout }), most);
    signal.throwIfAborted();
    const [first] = tracks;
    const { packets = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY } = most;
    if (first && (first.packets > packets || first.seconds > seconds))
      return { tracks, ended: null };
    const ended = await child.ended();
    signal.throwIfAborted();
    checkAlive(ended);
    return { tracks, ended };
  } catch (error) {
    throw error instanceof RangeError ? unreadable(error.message, error) : error;
  } finally {
    await child.stop();
  }
};

/** Throws media_unreadable where a listing that was read strictly met the end of the file too early. */
export const checkWhole = (tracks: readonly Track[], ended: Ended | null): void => {
  const failed = ended !== null && ended.exitCode !== 0;
  if (failed && tracks.length === 0) throw unreadable(ended.complaint);
  if (failed || tracks.some(({ cut }) => cut)) {
    throw unreadable(CUT_OFF);
  }
};
