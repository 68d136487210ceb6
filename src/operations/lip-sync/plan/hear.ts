import type { Config } from '../../../config.ts';
import { HEARD_RATE } from '../../../media/heard.ts';
import type { AudioInfo } from '../../../media/info.ts';
import { decodeAudio } from '../../../media/read/decode-audio.ts';
import type { SoundSpan } from '../../../media/write/sound-graph.ts';
import type { Heard, Speech } from '../../../triton/clients/speech.ts';
import { placed } from './sound-track.ts';

/** A sound as the models have it, and what was heard in it. */
export type Listened = { readonly pcm: Float32Array; readonly heard: Heard };

/** Models look at a tenth of a second at the least. */
const LEAST = HEARD_RATE / 10;

/** A sound file from its start on; with parts, they in their places in the output, and silence elsewhere. */
export const hear = async (
  path: string,
  info: AudioInfo,
  speech: Speech,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
  parts?: readonly SoundSpan[],
): Promise<Listened> => {
  const pcm = await decodeAudio(path, info, { ffmpeg, signal });
  return listen(parts ? placed(pcm, parts) : pcm, speech, signal);
};

export const listen = async (
  pcm: Float32Array,
  speech: Speech,
  signal: AbortSignal,
): Promise<Listened> => {
  const enough = pcm.length < LEAST ? new Float32Array(LEAST) : pcm;
  if (enough !== pcm) enough.set(pcm);
  return { pcm: enough, heard: await speech.listen(enough, signal) };
};
