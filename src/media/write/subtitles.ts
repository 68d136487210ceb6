import { type FfmpegOptions, fileInput, startFfmpeg } from '../ffmpeg.ts';
import type { VideoInfo } from '../info.ts';
import { textSubtitles } from '../output.ts';
import { beginningOf, later } from './beginning.ts';

type Source = { readonly path: string; readonly info: VideoInfo };

/**
 * Writes the text subtitles of a video that has some to an MP4 of their own, on the clock of the result. False
 * where they cannot be read: a result is worth having without them. See decision 101.
 *
 * The encoder reads them from there and not from the video. Their packets are seconds apart, and ffmpeg would read the video
 * up to the next one, so all sound on the way would wait in memory for its pictures.
 */
export const writeSubtitles = async (
  { path, info }: Source,
  target: string,
  options: FfmpegOptions,
): Promise<boolean> => {
  const beginning = beginningOf(info);
  // Those that are copied keep their styles, but also the empty cue before the first: moved, it would begin before zero.
  const child = startFfmpeg(
    [
      ...['-y', ...later(-beginning), ...fileInput(path, info.container)],
      ...textSubtitles(info.others).flatMap(({ index, codec }, at) => [
        ...['-map', `0:s:${index}`],
        ...[`-c:s:${at}`, codec === 'mov_text' && beginning === 0 ? 'copy' : 'mov_text'],
      ]),
      ...['-t', info.mediaSeconds.toFixed(6), '-map_chapters', '-1'],
      ...['-f', 'mp4', `file:${target}`],
    ],
    options,
  );
  try {
    const { exitCode } = await child.ended();
    options.signal.throwIfAborted();
    return exitCode === 0;
  } finally {
    await child.stop();
  }
};
