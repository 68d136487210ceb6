/** Sound as the models hear it: 16 kHz, mono, 32-bit floats in -1..1. */
import { readFile } from 'node:fs/promises';

/** Samples per second of all sound that a model hears. */
export const HEARD_RATE = 16_000;

/** The filter that resamples; further options of it may follow. */
export const TO_HEARD_RATE = `aresample=${HEARD_RATE}`;

/** The filters for a whole sound file: its samples count from 0, whatever times the file gives them. */
export const WHOLE_SOUND = `asetpts=N/SR/TB,${TO_HEARD_RATE}`;

/** Stands before other filters, for the left channel alone. */
export const LEFT = 'pan=mono|c0=c0,';

/** The mean square of a sound, of full scale 1, below which nothing is heard: -50 dB. */
const SILENT = 1e-5;
/** Both channels together this much weaker than the left one alone cancel each other out: 8 dB. With a silent right one it is 6. */
const CANCELS = 6.3;

/** Whether what is heard of both channels is weak because they cancel each other out, as of a cable that is wired wrongly. */
export const cancelsOut = (left: Float32Array, both: Float32Array): boolean => {
  const power = powerOf(left);
  return power > SILENT && power >= CANCELS * powerOf(both);
};

const powerOf = (samples: Float32Array): number =>
  samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length);

/** Output arguments that write the samples, little endian, to one of the child's descriptors. */
export const heardOutput = (descriptor: 1 | 3): string[] => [
  ...['-ac', '1', '-c:a', 'pcm_f32le', '-f', 'f32le', `pipe:${descriptor}`],
];

/** The samples in a file that `probeAudio` wrote. */
export const readHeard = async (path: string): Promise<Float32Array> =>
  samplesOf([await readFile(path)]);

/** The samples in memory of their own, aligned to four bytes. */
export const samplesOf = (chunks: readonly Buffer[]): Float32Array => {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  const samples = new Float32Array(Math.floor(bytes / 4));
  const view = Buffer.from(samples.buffer);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(view, at);
  return samples;
};
