/** The sound of an output, made by the ffmpeg that writes the file. Pure. */
import { fileInput, ONE_FORM } from '../ffmpeg.ts';
import type { AudioInfo, VideoInfo } from '../info.ts';

/** What is heard under the pictures of an output; all times in seconds. */
export type Sound = {
  /** The new sound. */
  readonly path: string;
  readonly info: AudioInfo;
  /** Length of the pictures, and so of what is heard. */
  readonly seconds: number;
  /** Where its parts are heard, ascending, without overlap. Absent: all of it, from the start on. */
  readonly parts?: readonly Part[] | undefined;
  readonly own?: OwnSound | undefined;
};

/** From `start` to `end` of the output the new sound is heard from its second `from` on, for so many seconds at the most. */
export type Part = {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly seconds: number;
};

/** The clip's own sound: as it is where no part of the new one is heard, and at `volume` under the parts. */
export type OwnSound = {
  readonly path: string;
  readonly info: VideoInfo;
  readonly volume: number;
  /** How fast it is played, at its own pitch. */
  readonly tempo: number;
  /** Begins again after so many seconds, each in turn, for ever. Empty: it is played once. */
  readonly passes: readonly number[];
};

/** Arguments for such a sound: its inputs, of which the first has the number `firstInput`, and what is to be written. */
export const soundArgs = (
  sound: Sound,
  firstInput: number,
): { readonly inputs: string[]; readonly output: string[] } => {
  const { path, info, own } = sound;
  const form = formOf(sound);
  const graph = own
    ? mixed(sound, own, form, firstInput)
    : `${newSound(sound, form, firstInput)},${exactly(sound.seconds, form)}[sound]`;
  return {
    inputs: [
      ...[...ONE_FORM, ...fileInput(path, info.container)],
      // Where the own sound is damaged it is silent, and no reason to fail.
      ...(own
        ? [...ONE_FORM, ...fileInput(own.path, own.info.container), '-max_error_rate', '1']
        : []),
    ],
    output: [
      ...['-filter_complex', graph, '-map', '[sound]'],
      ...['-c:a', 'aac', '-b:a', form.mono ? '128k' : '192k'],
    ],
  };
};

/** What players everywhere take, from the highest down. */
const sampleRates = [48_000, 44_100, 32_000, 24_000, 22_050, 16_000];
/** Where sounds are cut, and where the own one begins again, nothing clicks. */
const FADE_SECONDS = 0.005;
/** How long the own sound takes to become quieter, and in how many samples its volume stays the same. */
const RAMP_SECONDS = 0.03;
const RAMP_SAMPLES = 32;
/** Of full scale: AAC gives back a little more than it was given. */
const LOUDEST = 0.94;
const LIMITER_SECONDS = 0.005;

type Form = { readonly rate: number; readonly mono: boolean };

/** The higher rate of the two, and both channels if either has them. */
const formOf = ({ info, own }: Sound): Form => {
  const [track] = own?.info.audio ?? [];
  const rate = Math.max(info.sampleRate, track?.sampleRate ?? 0);
  return {
    rate: sampleRates.findLast((known) => known >= rate) ?? 48_000,
    mono: info.channels === 1 && (track?.mono ?? true),
  };
};

/** The sound of an input in the form of the output. Of one channel both get all: ffmpeg itself would take 3 dB from it. */
const inForm = (mono: boolean, form: Form, format: 'fltp' | 's16p'): string =>
  mono && !form.mono
    ? `aformat=sample_fmts=${format}:channel_layouts=mono,pan=stereo|c0=c0|c1=c0`
    : `aformat=sample_fmts=${format}:channel_layouts=${form.mono ? 'mono' : 'stereo'}`;

const newSound = ({ info, seconds, parts }: Sound, form: Form, input: number): string => {
  const { rate } = form;
  const all = `[${input}:a:0]asetpts=N/SR/TB,aresample=${rate},${inForm(info.channels === 1, form, 'fltp')}`;
  if (!parts) {
    return info.durationSeconds > seconds ? `${all},${fadeOut(samples(seconds, rate), rate)}` : all;
  }
  const cut = parts.map(({ start, end, from, seconds: most }, at) => {
    // One sample at the least, which the fades silence: an empty part is more than concat can take.
    const count = Math.max(1, samples(Math.min(end - start, most), rate));
    const first = samples(from, rate);
    const [here, next] = [samples(start, rate), samples(parts[at + 1]?.start ?? seconds, rate)];
    const filters = [
      ...[`atrim=start_sample=${first}:end_sample=${first + count}`, START_AT_ZERO],
      ...[fadeIn(rate), fadeOut(count, rate)],
      ...(at === 0 ? [`adelay=${here}S:all=1`] : []),
      ...[`apad`, `atrim=end_sample=${at === 0 ? next : Math.max(0, next - here)}`],
    ];
    return `[part${at}]${filters.join(',')}[cut${at}]`;
  });
  const named = (name: string) => parts.map((_, at) => `[${name}${at}]`).join('');
  return [
    // Without end, so that a part that begins where the sound is over is not empty either.
    `${all},apad,asplit=${parts.length}${named('part')}`,
    ...cut,
    `${named('cut')}concat=n=${parts.length}:v=0:a=1`,
  ].join(';');
};

const mixed = (sound: Sound, own: OwnSound, form: Form, input: number): string => {
  const { rate } = form;
  const delay = Math.floor(LIMITER_SECONDS * rate) - 1;
  const limiter = `alimiter=level=0:limit=${LOUDEST}:attack=${1000 * LIMITER_SECONDS}:release=50`;
  return [
    `${newSound(sound, form, input)},apad[new]`,
    `${ownSound(own, form, input + 1)},${volume(sound, own)},apad[own]`,
    // It looks ahead, and so gives everything as much later.
    `[new][own]amix=inputs=2:normalize=0,${limiter},atrim=start_sample=${delay},${START_AT_ZERO},${exactly(sound.seconds, form)}[sound]`,
  ].join(';');
};

/** On the clock of the pictures: its first sample belongs to the first of them. */
const ownSound = ({ info, tempo, passes }: OwnSound, form: Form, input: number): string => {
  const [track] = info.audio;
  if (!track) throw new Error('a clip without sound has none to mix');
  const { rate } = form;
  const [start, length] = [samples(info.startSeconds, rate), samples(info.durationSeconds, rate)];
  const once = [
    `[${input}:a:${track.index}]aresample=${rate}:async=1:first_pts=0,${inForm(track.mono, form, 's16p')}`,
    ...[`atrim=start_sample=${start}`, START_AT_ZERO],
    // What goes on after the last picture is not heard.
    ...['apad', `atrim=end_sample=${length}`, fadeOut(length, rate)],
    ...tempi(tempo).map((factor) => `atempo=${factor}`),
  ].join(',');
  if (passes.length === 0) return once;
  const ends = passes.map((seconds) => samples(seconds, rate));
  const named = (name: string) => ends.map((_, at) => `[${name}${at}]`).join('');
  const size = ends.reduce((sum, end) => sum + end, 0);
  return [
    `${once},asplit=${ends.length}${named('own')}`,
    ...ends.map(
      (end, at) =>
        `[own${at}]apad,atrim=end_sample=${end},${fadeIn(rate)},${fadeOut(end, rate)}[pass${at}]`,
    ),
    `${named('pass')}concat=n=${ends.length}:v=0:a=1,aloop=loop=-1:size=${size}`,
  ].join(';');
};

/** One step of tempo halves or doubles it at the most: larger ones leave samples out. */
const tempi = (tempo: number): number[] => {
  const steps = Math.ceil(Math.abs(Math.log2(tempo)) - 1e-9);
  return Array.from({ length: steps }, () => tempo ** (1 / steps));
};

const volume = ({ parts }: Sound, own: OwnSound): string => {
  if (!parts) return `volume=${own.volume}`;
  const gain = `1-${1 - own.volume}*${within(joined(parts))}`;
  return `asetnsamples=n=${RAMP_SAMPLES}:p=0,volume=eval=frame:volume='${gain}'`;
};

type Span = Pick<Part, 'start' | 'end'>;

/** Those between which there is no time to become louder and quieter again are one. */
const joined = (parts: readonly Span[]): Span[] => {
  const isApart = (at: number): boolean => {
    const [before, after] = [parts[at - 1], parts[at]];
    return !before || !after || after.start - before.end >= RAMP_SECONDS;
  };
  const ends = parts.filter((_, at) => isApart(at + 1));
  return parts
    .filter((_, at) => isApart(at))
    .map(({ start }, at) => ({ start, end: ends[at]?.end ?? start }));
};

/** An expression of the time t: 0 outside of the spans, 1 in them, halfway at their edges. A tree, for ffmpeg takes no long sums. */
const within = (spans: readonly Span[]): string => {
  const half = spans.length >> 1;
  const [before, after] = [spans[half - 1], spans[half]];
  if (before && after) {
    const between = ((before.end + after.start) / 2).toFixed(6);
    return `if(lt(t,${between}),${within(spans.slice(0, half))},${within(spans.slice(half))})`;
  }
  if (!after) return '0';
  const inside = `min(t-${after.start.toFixed(6)},${after.end.toFixed(6)}-t)`;
  return `clip(${inside}/${RAMP_SECONDS}+0.5,0,1)`;
};

const samples = (seconds: number, rate: number): number => Math.round(seconds * rate);
const exactly = (seconds: number, { rate }: Form): string =>
  `apad,atrim=end_sample=${samples(seconds, rate)}`;
const START_AT_ZERO = 'asetpts=N/SR/TB';
const fadeIn = (rate: number): string => `afade=t=in:ss=0:ns=${samples(FADE_SECONDS, rate)}`;
const fadeOut = (end: number, rate: number): string => {
  const length = Math.min(end, samples(FADE_SECONDS, rate));
  return `afade=t=out:ss=${end - length}:ns=${length}`;
};
