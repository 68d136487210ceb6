import { ALONE, aloneOf, hearsAlone } from '../alone.ts';
import { remapping } from '../channels.ts';
import { withDeadline } from '../deadline.ts';
import { type FfmpegOptions, fileInput, startFfmpeg } from '../ffmpeg.ts';
import { HEARD_RATE, heardOutput, samplesOf, TO_HEARD_RATE, WHOLE_SOUND } from '../heard.ts';
import type { AudioInfo, VideoInfo } from '../info.ts';
import { checkDecoded } from '../outcome.ts';

/** Decoded at most beyond the measured length. */
const MARGIN_SECONDS = 1;

/**
 * The samples of a sound file as the models hear them, from its first sample on; where `probeAudio` wrote them to a file,
 * `readHeard` gives the same. Throws media_unreadable, and decode_failed where the decoder does not reach the end.
 */
export const decodeAudio = (
  path: string,
  info: AudioInfo,
  options: FfmpegOptions,
): Promise<Float32Array> => {
  const args = [
    ...fileInput(path, info.container),
    '-map',
    '0:a:0',
    '-af',
    remapping(info) + (info.alone ? ALONE[info.alone] : '') + WHOLE_SOUND,
  ];
  return decodeHeard(args, info.durationSeconds + MARGIN_SECONDS, options);
};

/**
 * The first sound track of a video in the same form, on the clock of its pictures: sample 0 is heard at the time `from`,
 * that of the first picture. Where there is no sound there is silence; sound after the last picture is left out. Empty
 * for a video without sound. The left channel alone where two cancel each other out, the centre one where it holds the voice.
 */
export const decodeOwnAudio = async (
  path: string,
  info: VideoInfo,
  { from, ...options }: FfmpegOptions & { readonly from: number },
): Promise<Float32Array> => {
  const [track] = info.audio;
  if (!track) return new Float32Array();
  const filter = `${TO_HEARD_RATE}:async=1:first_pts=0`;
  const input = [...fileInput(path, info.container), '-map', `0:a:${track.index}`, '-af'];
  const most = from + info.durationSeconds + MARGIN_SECONDS;
  const hear = (first: string) => decodeHeard([...input, first + filter], most, options);
  const first = remapping(track);
  const alone = aloneOf(track);
  const [mix, channel] = await Promise.all([hear(first), alone && hear(first + ALONE[alone])]);
  const all = alone && channel && hearsAlone(alone, channel, mix) ? channel : mix;
  return all.subarray(Math.round(from * HEARD_RATE));
};

const decodeHeard = (
  args: readonly string[],
  mostSeconds: number,
  { ffmpeg, signal }: FfmpegOptions,
): Promise<Float32Array> => {
  const read = async (either: AbortSignal): Promise<Float32Array> => {
    const all = ['-threads', '1', ...args, ...heardOutput(1)];
    const child = startFfmpeg(all, { ffmpeg, signal: either });
    try {
      const mostSamples = Math.ceil(mostSeconds * HEARD_RATE);
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of child.stdout) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > 4 * mostSamples) return samplesOf(chunks).subarray(0, mostSamples);
      }
      const exit = await child.ended();
      either.throwIfAborted();
      checkDecoded(exit, bytes > 0);
      return samplesOf(chunks);
    } finally {
      await child.stop();
    }
  };
  return withDeadline(signal, read);
};
