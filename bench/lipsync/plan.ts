/** Which mouth is to say what: the runs of a bench. */
import type { Clip, Portrait, Sound } from './media.ts';

export type Run = {
  readonly name: string;
  readonly role: 'self' | 'foreign' | 'portrait';
  /** Names of the clip or portrait, and of whose sound it is. */
  readonly clip: string;
  readonly sound: string;
  readonly source: string;
  readonly audio: string;
  /** Seconds from and to, of the frames that are judged, and of those that the plan learns from; all without them. */
  readonly judged?: readonly [number, number];
  readonly learnt?: readonly [number, number];
};

/** Seconds left out on each side of the middle, so that no window of the plan reaches over it. */
const GUARD = 0.2;

/** Each half of a clip planned from the other: two runs. */
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

/** The clip at a place in the list with the sound at that place, in turn. */
export const foreignRun = (clip: Clip, sounds: readonly Sound[], at: number): Run => ({
  ...withSound(clip, sounds, at),
  role: 'foreign',
});

export const portraitRun = (portrait: Portrait, sounds: readonly Sound[], at: number): Run => ({
  ...withSound(portrait, sounds, at),
  role: 'portrait',
});

const withSound = ({ name, path }: Portrait, sounds: readonly Sound[], at: number) => {
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
