/** One channel that the models hear in place of the mix of all. Pure. */

/** Each stands before other filters. Where a sound has no centre, ffmpeg gives silence. */
export const ALONE = { left: 'pan=mono|c0=c0,', centre: 'pan=mono|c0=FC,' } as const;
export type Alone = keyof typeof ALONE;

/** Which channel a sound may have to be heard by. */
export const aloneOf = (track: {
  readonly mono: boolean;
  readonly surround?: boolean | undefined;
}): Alone | null => (track.mono ? null : track.surround ? 'centre' : 'left');

/** Whether the models hear this channel in place of the mix of all; both as samples of full scale 1. */
export const hearsAlone = (alone: Alone, channel: Float32Array, mix: Float32Array): boolean =>
  (alone === 'left' ? cancelsOut : holdsVoice)(channel, mix);

/** The mean square below which nothing is heard: -50 dB. */
const SILENT = 1e-5;
/** Both channels together this much weaker than the left one alone cancel each other out: 8 dB. With a silent right one it is 6. */
const CANCELS = 6.3;
/** The centre's share of the power of the mix, from which people may speak there; and from which the mix holds little else. */
const SHARE = { least: 0.1, all: 0.98 };
/** The spread of a channel's level from which it is a voice: 12 dB. Speech has 14 and more, mostly 20; most music 5 to 8. */
const VARIES = 16;
/** Samples of a level: 20 ms. */
const LEVEL = 320;

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
  const power = powerOf(centre);
  if (power <= SILENT) return false;
  const common = meanOf(centre, (sample, at) => sample * (mix[at] ?? 0));
  const share = common ** 2 / (power * powerOf(mix));
  return share >= SHARE.least && share < SHARE.all && spreadOf(centre) >= VARIES;
};

/** How many times as much power the loudest tenth of a sound has as its quietest tenth. */
const spreadOf = (samples: Float32Array): number => {
  const levels = Float32Array.from({ length: Math.ceil(samples.length / LEVEL) }, (_, at) =>
    powerOf(samples.subarray(at * LEVEL, (at + 1) * LEVEL)),
  ).sort();
  const at = (part: number) => levels[Math.floor(part * levels.length)] ?? 0;
  return at(0.9) / Math.max(at(0.1), 1e-9);
};

const powerOf = (samples: Float32Array): number => meanOf(samples, (sample) => sample * sample);

const meanOf = (samples: Float32Array, value: (sample: number, at: number) => number): number =>
  samples.reduce((sum, sample, at) => sum + value(sample, at), 0) / Math.max(1, samples.length);
