/** The runs of a bench: which clip or portrait with which sound. */
import type { Clip, Portrait, Sound } from './media.ts';

export type Run = {
  readonly name: string;
  readonly role: 'self' | 'foreign' | 'portrait';
  /** Name of the clip or portrait, and of the clip or file that the sound is from. */
  readonly clip: string;
  readonly sound: string;
  readonly source: string;
  readonly audio: string;
  /** From and to, in seconds: the frames that are judged, and those that the plan learns from. Absent: all. */
  readonly judged?: readonly [number, number];
  readonly learnt?: readonly [number, number];
};

/** Seconds left out on each side of the middle, so that no time window of the plan spans both halves. */
const GUARD = 0.2;

/** Two runs: each half of a clip with its own sound, planned from the other half. */
export const selfRuns = ({ name, path, sound, seconds }: Clip): Run[] => {
  const middle = (seconds ?? 0) / 2;
  const first = [0, middle - GUARD] as const;
  const second = [middle + GUARD, 2 * middle] as const;
  const run = { role: 'self', clip: name, sound: name, source: path, audio: sound } as const;
  return [
    { ...run, name: `${name}.own1`, judged: first, learnt: second },
    { ...run, name: `${name}.own2`, judged: second, learnt: first },
  ];
};

/** The clip with number `at` and the sound with that number; sounds are used in rotation. */
export const foreignRun = (clip: Clip, sounds: readonly Sound[], at: number): Run => ({
  ...withSound(clip, sounds, at),
  role: 'foreign',
});

export const portraitRun = (portrait: Portrait, sounds: readonly Sound[], at: number): Run => ({
  ...withSound(portrait, sounds, at),
  role: 'portrait',
});

const withSound = ({ name, path }: Clip | Portrait, sounds: readonly Sound[], at: number) => {
  const sound = sounds[at % sounds.length];
  if (!sound) throw new Error('expected at least one sound');
  return {
    name: `${name}.${sound.name}`,
    clip: name,
    sound: sound.name,
    source: path,
    audio: sound.path,
  };
};
