import { createInterface } from 'node:readline';
import type { Config, Limits } from '../config.ts';
import { Failure } from '../errors.ts';
import { type Ended, startFfmpeg } from './ffmpeg.ts';
import { checkSeconds, checkVideoSize } from './limits.ts';
import { readPackets, type Track } from './packets.ts';
import { readStreams, type Streams, tellsStreams } from './streams.ts';

export type Listing = {
  readonly video: Track;
  readonly mediaSeconds: number;
  readonly streams: Streams;
};

/** Reads every packet of a video and decodes none. Throws for what is unreadable, cut off, without video, too large or too long. */
export const listPackets = async (
  input: readonly string[],
  ffmpeg: Config['ffmpeg'],
  limits: Limits['video'],
  signal: AbortSignal,
): Promise<Listing> => {
  const wanted = ['-map', '0:V:0', '-map', '0:a?', '-c', 'copy', '-copyinkf'];
  const { tracks, streams, ended } = await listTracks([...input, ...wanted], ffmpeg, signal);
  return { ...judge(tracks, streams, ended, limits), streams };
};

/** What ffmpeg makes of an input, a line a packet: the arguments name the input, the streams and what becomes of them. */
export const listTracks = async (
  args: readonly string[],
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<{ tracks: readonly Track[]; streams: Streams; ended: Ended }> => {
  const lines: string[] = [];
  // A damaged file makes ffmpeg complain of every packet: only what is read is kept.
  const keep = (line: string | null) => line && tellsStreams(line) && lines.push(line);
  const child = startFfmpeg(ffmpeg, [...args, '-f', 'framecrc', 'pipe:1'], signal, keep);
  try {
    const tracks = await readPackets(createInterface({ input: child.stdout }));
    const ended = await child.ended();
    signal.throwIfAborted();
    return { tracks, streams: readStreams(lines), ended };
  } catch (error) {
    throw error instanceof RangeError ? unreadable(error.message, error) : error;
  } finally {
    await child.stop();
  }
};

const judge = (
  tracks: readonly Track[],
  streams: Streams,
  ended: Ended,
  limits: Limits['video'],
): { video: Track; mediaSeconds: number } => {
  const [video] = tracks;
  if (streams.opened && streams.video === null) throw new Failure('no_video_stream');
  if (video?.size) checkVideoSize(video.size, limits);
  if (ended.exitCode !== 0) throw unreadable(ended.complaint);
  if (!video || video.packets === 0) throw unreadable('its video stream is empty');
  if (isCutOff(tracks, streams)) throw unreadable(CUT_OFF);
  const filled = tracks.filter(({ packets }) => packets > 0);
  const start = Math.min(...filled.map((track) => track.start));
  const mediaSeconds = Math.max(...filled.map((track) => track.end)) - start;
  checkSeconds(mediaSeconds, limits.seconds, 'video');
  return { video, mediaSeconds };
};

export const isCutOff = (tracks: readonly Track[], streams: Streams): boolean =>
  streams.truncated || tracks.some(({ cut }) => cut);

export const CUT_OFF = 'the file is cut off: it ends before its content does';

export const unreadable = (reason: string, cause?: unknown): Failure =>
  new Failure('media_unreadable', { reason: reason || 'ffmpeg gave no reason' }, { cause });
