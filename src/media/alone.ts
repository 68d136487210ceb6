/** One channel that the models hear in place of the mix of all. Pure. */

/** Each stands before other filters. Where a sound has no centre, ffmpeg gives silence. */
export const ALONE = {
  left: 'pan=mono|c0=c0,',
  right: 'pan=mono|c0=c1,',
  centre: 'pan=mono|c0=FC,',
} as const;
export type Alone = keyof typeof ALONE;

/** Which channel a sound may have to be heard by. */
export const aloneOf = (track: {
  readonly mono: boolean;
  readonly surround?: boolean | undefined;
}): 'left' | 'centre' | null => (track.mono ? null : track.surround ? 'centre' : 'left');

/** Whether the models hear this channel in place of the mix of all; both as samples of full scale 1. */
export const hearsAlone = (
  alone: 'left' | 'centre',
  channel: Float32Array,
  mix: Float32Array,
): boolean => (alone === 'left' ? cancelsOut : holdsVoice)(channel, mix);

/**
 * Of the two channels of a sound, the one that is heard in place of their mix: it holds all that is said, and the other one
 * steady noise, or the same voices later or from farther away, as a camera's own microphone does beside one at the collar.
 * null: the mix, which `left` is a part of. `hearRight` decodes the other one, where it may tell something. Decision 282.
 */
export const clearerOf = async (
  left: Float32Array,
  mix: Float32Array,
  hearRight: () => Promise<Float32Array>,
): Promise<'left' | 'right' | null> => {
  if (shareOf(left, mix) >= SHARE.all) return null;
  const right = await hearRight();
  const isLeft = changeOf(left) >= changeOf(right);
  const [clearer, other] = isLeft ? [left, right] : [right, left];
  const isAll = spreadOf(clearer) >= VARIES && (isSteady(other) || sayTheSame(left, right));
  return isAll ? (isLeft ? 'left' : 'right') : null;
};

/** The mean square below which nothing is heard: -50 dB. */
const SILENT = 1e-5;
/** Both channels together this much weaker than the left one alone cancel each other out: 8 dB. With a silent right one it is 6. */
const CANCELS = 6.3;
/** The centre's share of the power of the mix, from which people may speak there; and from which the mix holds little else. */
const SHARE = { least: 0.1, all: 0.98 };
/** The spread of a channel's level from which it is a voice: 12 dB. Speech has 14 and more, mostly 20; most music 5 to 8. */
const VARIES = 16;
/** Samples of a level: 20 ms, and for that of a word 0.4 s. */
const LEVEL = 320;
const WORD = 6400;
/** The most that the level of steady noise varies: 8 dB, and 1.8 dB from its median to the loudest word. */
const STEADY = { spread: 6.3, rises: 1.5 };
/** The correlation of two channels below which their mix is no clearer than one; music on both sides of a voice has more. */
const APART = 0.3;
/** How much louder one channel may become beside the other where either is loud: 8 dB. Two speakers with a microphone each have 20 and more. */
const SWING = 6.3;
/** The fewest loud words that tell it. */
const WORDS = 3;
/** Samples up to which levels alone do not tell it, 5 s: two people who speak all at once keep their distance by chance. */
const SHORT = 80_000;
/** The latest that one microphone hears what the other one does: 30 ms, which is 10 m. */
const LATEST = 480;
/** How far the correlation of one voice in two microphones stands out at its delay; that of two voices 4.5 at most in 99 of 100. */
const STANDS_OUT = 4.6;
/** A word is loud down to this part, 10 dB, of the level that a tenth of the words exceed. */
const LOUD = 0.1;
/** A voice sounds down to this part, 20 dB, of the level that a tenth of its parts exceed. */
const SOUNDS = 0.01;

/** Whether what is heard of both channels is weak because they cancel each other out, as of a cable that is wired wrongly. */
const cancelsOut = (left: Float32Array, both: Float32Array): boolean => {
  const power = powerOf(left);
  return power > SILENT && power >= CANCELS * powerOf(both);
};

/**
 * Whether the centre, where films have their dialogue, holds a voice that is heard in the mix beside other things, such as
 * music on the left and right. Its share is the square of their correlation: whatever gain the mix has.
 */
const holdsVoice = (centre: Float32Array, mix: Float32Array): boolean => {
  if (powerOf(centre) <= SILENT) return false;
  const share = shareOf(centre, mix);
  return share >= SHARE.least && share < SHARE.all && spreadOf(centre) >= VARIES;
};

/** How much its level changes from part to part, as a logarithm: less in noise, and less the more of a room is heard. */
const changeOf = (samples: Float32Array): number => {
  const levels = levelsOf(samples, LEVEL).map((level) => Math.max(level, 1e-9));
  const least = SOUNDS * quantileOf(levels, 0.9);
  const changes = levels.flatMap((level, at) =>
    level > least ? [Math.abs(Math.log(level / (levels[at - 1] ?? level)))] : [],
  );
  return changes.reduce((sum, change) => sum + change, 0) / Math.max(1, changes.length);
};

/** Whether nobody speaks in a sound, or so quietly that its noise covers it. */
const isSteady = (samples: Float32Array): boolean => {
  const words = levelsOf(samples, WORD);
  return (
    spreadOf(samples) < STEADY.spread &&
    quantileOf(words, 1) < STEADY.rises * quantileOf(words, 0.5)
  );
};

/** Whether two channels, out of phase with each other, are loud with the same words. */
const sayTheSame = (left: Float32Array, right: Float32Array): boolean => {
  if (shareOf(left, right) >= APART ** 2) return false;
  const [one, other] = [levelsOf(left, WORD), levelsOf(right, WORD)];
  const [oneLoud, otherLoud] = [one, other].map((levels) => LOUD * quantileOf(levels, 0.9));
  const ratios = one.flatMap((level, at) => {
    const beside = other[at] ?? 0;
    const loud = level > (oneLoud ?? 0) || beside > (otherLoud ?? 0);
    return loud ? [level / Math.max(beside, 1e-9)] : [];
  });
  const keepDistance = quantileOf(ratios, 1) < SWING * quantileOf(ratios, 0);
  if (ratios.length < WORDS || !keepDistance) return false;
  return left.length > SHORT || outstandingOf(left, right) >= STANDS_OUT;
};

/** How many times its root mean square over all delays the correlation of two sounds is at one of them. */
const outstandingOf = (left: Float32Array, right: Float32Array): number => {
  const [one, other] = [bendsOf(left), bendsOf(right)];
  const sums = Array.from({ length: 2 * LATEST + 1 }, (_, at) => {
    const delay = at - LATEST;
    const end = one.length - Math.max(0, delay);
    let sum = 0;
    for (let i = Math.max(0, -delay); i < end; i += 1)
      sum += (one[i] ?? 0) * (other[i + delay] ?? 0);
    return sum;
  });
  const power = sums.reduce((sum, each) => sum + each * each, 0) / sums.length;
  return Math.max(...sums.map(Math.abs)) / Math.max(Math.sqrt(power), 1);
};

/** 1 where a sound bends up, -1 where down: its high tones as loud as its low ones, which all voices have in common. */
const bendsOf = (samples: Float32Array): Int8Array =>
  Int8Array.from(samples, (sample, at) =>
    Math.sign((samples[at + 2] ?? 0) - 2 * (samples[at + 1] ?? 0) + sample),
  );

/** The square of the correlation of two sounds. */
const shareOf = (one: Float32Array, other: Float32Array): number => {
  const common = meanOf(one, (sample, at) => sample * (other[at] ?? 0));
  return common ** 2 / Math.max(powerOf(one) * powerOf(other), 1e-18);
};

/** How many times as much power the loudest tenth of a sound has as its quietest tenth. */
const spreadOf = (samples: Float32Array): number => {
  const levels = levelsOf(samples, LEVEL);
  return quantileOf(levels, 0.9) / Math.max(quantileOf(levels, 0.1), 1e-9);
};

/** The power of each of its whole parts of so many samples: that of a few samples would tell nothing. */
const levelsOf = (samples: Float32Array, length: number): number[] =>
  Array.from({ length: Math.floor(samples.length / length) }, (_, at) =>
    powerOf(samples.subarray(at * length, (at + 1) * length)),
  );

/** The value below which this share of them lies; 1: the greatest. */
const quantileOf = (values: readonly number[], part: number): number => {
  const at = Math.min(Math.floor(part * values.length), values.length - 1);
  return values.toSorted((one, other) => one - other)[at] ?? 0;
};

const powerOf = (samples: Float32Array): number => meanOf(samples, (sample) => sample * sample);

/** A loop takes a third of the time of `reduce`, and five minutes are read several times. */
const meanOf = (samples: Float32Array, value: (sample: number, at: number) => number): number => {
  let sum = 0;
  for (let at = 0; at < samples.length; at += 1) sum += value(samples[at] ?? 0, at);
  return sum / Math.max(1, samples.length);
};
