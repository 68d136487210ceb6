/** Sounds with known answers. */
import { makeClip } from './clip.ts';

const RATE = 16_000;

/** A vowel: the harmonics of a voice at its formants; `loudness` is an expression of the time t in seconds. */
const vowel = (loudness: string, pitchHz = 120) => {
  const tone = (harmonic: number) => `sin(2*PI*${harmonic * pitchHz}*t)`;
  return `aevalsrc='0.2*(${loudness})*(${tone(1)}+${tone(6)}+0.6*${tone(10)}+0.3*${tone(21)})':s=${RATE}`;
};
/** Four a second. */
const syllables = 'max(0,sin(8*PI*t))';

type Form = {
  readonly pitchHz?: number;
  /** ffmpeg's arguments of the file, as its rate and its channels. */
  readonly output?: readonly string[];
};
const made = (path: string, seconds: number, filter: string, output: readonly string[] = []) =>
  makeClip(path, ['-f', 'lavfi', '-i', filter, '-t', String(seconds)], output);

export const sounds = {
  /** Syllables of a vowel. */
  babble: (path: string, seconds: number, { pitchHz, output }: Form = {}) =>
    made(path, seconds, vowel(syllables, pitchHz), output),
  /** The vowel held. */
  steady: (path: string, seconds: number) => made(path, seconds, vowel('min(1,5*t)')),
  /** Syllables, silence from `from` to `to`, syllables. */
  paused: (path: string, seconds: number, from: number, to: number) =>
    made(path, seconds, vowel(`${syllables}*(1-between(t,${from},${to}))`)),
  silence: (path: string, seconds: number) => made(path, seconds, `anullsrc=r=${RATE}:cl=mono`),
  noise: (path: string, seconds: number) =>
    made(path, seconds, `anoisesrc=c=pink:a=0.2:seed=7:r=${RATE}`),
  /** Of the mains, and its overtones. */
  hum: (path: string, seconds: number) => {
    const wave = '0.1*(sin(100*PI*t)+0.5*sin(200*PI*t)+0.3*sin(300*PI*t))';
    return made(path, seconds, `aevalsrc='${wave}':s=${RATE}`);
  },
} as const;
