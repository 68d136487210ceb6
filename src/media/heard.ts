/** Sound as the models hear it: 16 kHz, mono, 32-bit floats in -1..1. */
import { readFile } from 'node:fs/promises';

/** Samples per second of all sound that a model hears. */
export const HEARD_RATE = 16_000;

/** The filter that resamples; further options of it may follow. */
export const TO_HEARD_RATE = `aresample=${HEARD_RATE}`;

/** The filters for a whole sound file: its samples count from 0, whatever times the file gives them. */
export const WHOLE_SOUND = `asetpts=N/SR/TB,${TO_HEARD_RATE}`;

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
