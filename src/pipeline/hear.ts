import type { Config } from '../config.ts';
import { decodeAudio, HEARD_RATE } from '../media/decode-audio.ts';
import type { AudioInfo } from '../media/info.ts';
import type { Heard, Speech } from '../triton/models/speech.ts';

/** A sound as the models have it, and what was heard in it. */
export type Listened = { readonly pcm: Float32Array; readonly heard: Heard };

/** Models look at a tenth of a second at the least. */
const LEAST = HEARD_RATE / 10;

export const hear = async (
  path: string,
  info: AudioInfo,
  speech: Speech,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): Promise<Listened> => listen(await decodeAudio(path, info, ffmpeg, signal), speech, signal);

export const listen = async (
  pcm: Float32Array,
  speech: Speech,
  signal: AbortSignal,
): Promise<Listened> => {
  const enough = pcm.length < LEAST ? new Float32Array(LEAST) : pcm;
  if (enough !== pcm) enough.set(pcm);
  return { pcm: enough, heard: await speech.listen(enough, signal) };
};
