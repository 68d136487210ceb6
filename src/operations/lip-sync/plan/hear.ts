import type { Config } from '../../../config.ts';
import { HEARD_RATE, readHeard } from '../../../media/heard.ts';
import type { AudioInfo } from '../../../media/info.ts';
import { decodeAudio } from '../../../media/read/decode-audio.ts';
import type { SoundSpan } from '../../../media/write/sound-graph.ts';
import type { Heard, Speech } from '../../../triton/clients/speech.ts';
import { placeSpans } from './sound-track.ts';

/** A sound as the models hear it (16 kHz, mono, -1..1), and what `speech` heard in it. */
export type HeardSound = { readonly pcm: Float32Array; readonly heard: Heard };

/** Samples in the shortest sound that the models take: a tenth of a second. */
const LEAST_SAMPLES = HEARD_RATE / 10;

type HearRequest = {
  readonly path: string;
  readonly info: AudioInfo;
  /** The decoded samples, if the probe has written them to a file. */
  readonly samplesPath: string | undefined;
  /** Where parts of the sound are placed in the output, with silence elsewhere. Absent: all of it, from the start on. */
  readonly spans?: readonly SoundSpan[] | undefined;
  readonly speech: Speech;
  readonly ffmpeg: Config['ffmpeg'];
  readonly signal: AbortSignal;
};

/** A sound file on the clock of the output. */
export const hear = async (request: HearRequest): Promise<HeardSound> => {
  const { path, info, samplesPath, spans, speech, ffmpeg, signal } = request;
  const pcm = await (samplesPath === undefined
    ? decodeAudio(path, info, { ffmpeg, signal })
    : readHeard(samplesPath));
  return hearSamples(spans ? placeSpans(pcm, spans) : pcm, speech, signal);
};

export const hearSamples = async (
  pcm: Float32Array,
  speech: Speech,
  signal: AbortSignal,
): Promise<HeardSound> => {
  const enough = pcm.length < LEAST_SAMPLES ? new Float32Array(LEAST_SAMPLES) : pcm;
  if (enough !== pcm) enough.set(pcm);
  return { pcm: enough, heard: await speech.listen(enough, signal) };
};
