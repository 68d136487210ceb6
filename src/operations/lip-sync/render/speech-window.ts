import { HEARD_RATE } from '../../../media/heard.ts';

/** The samples of a sound round a time in seconds; 0 before its beginning and after its end. Pure. */
export const speechWindow = (pcm: Float32Array, time: number, samples: number): Float32Array => {
  const window = new Float32Array(samples);
  const from = Math.round(time * HEARD_RATE) - samples / 2;
  const part = pcm.subarray(Math.max(0, from), Math.max(0, from + samples));
  window.set(part, Math.min(samples, Math.max(0, -from)));
  return window;
};
