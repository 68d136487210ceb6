/** ffmpeg's arguments for the sound of a result. Pure. */
import { remapping } from '../channels.ts';
import { FIXED_SOUND_FORMAT, fileInput } from '../ffmpeg.ts';
import type { AudioInfo, VideoInfo } from '../info.ts';
import { volumeFilter } from './volume.ts';

/** What is heard under the pictures of a result; all times in seconds. */
export type SoundTrack = {
  /** The new sound. */
  readonly path: string;
  readonly info: AudioInfo;
  /** The length of the pictures, and so of the track. */
  readonly seconds: number;
  /** Where the new sound is heard, ascending, without overlap. Absent: all of it, from the start on. */
  readonly spans?: readonly SoundSpan[] | undefined;
  readonly own?: OwnSound | undefined;
};

/**
 * From `start` to `end` of the result the new sound is heard from its second `from` on, for `seconds` at most; then it is
 * silent.
 */
export type SoundSpan = {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly seconds: number;
};

/** The clip's own sound: unchanged outside of the spans of the new one, and at `volume` (0 to 1) within them. */
export type OwnSound = {
  readonly path: string;
  readonly info: VideoInfo;
  readonly volume: number;
  /** How fast it is played, 1 being its own speed; the pitch stays the same. */
  readonly tempo: number;
  /** It starts again after each of these lengths in seconds, in turn, without end. Empty: it is played once. */
  readonly passes: readonly number[];
};

/** The inputs, the first of which is ffmpeg's number `firstInput`, and the output arguments. */
export const soundArgs = (
  track: SoundTrack,
  firstInput: number,
): { readonly inputs: string[]; readonly output: string[] } => {
  const { path, info, own } = track;
  const format = formatOf(track);
  const graph = own
    ? mixed(track, own, { format, firstInput })
    : `${newSound(track, format, firstInput)},apad,${limiter(format, 1)},${padOrCut(track.seconds, format)}[sound]`;
  return {
    inputs: [
      ...[...FIXED_SOUND_FORMAT, ...fileInput(path, info.container)],
      // Where the clip's own sound is damaged it is silent; the job does not fail.
      ...(own
        ? [
            ...FIXED_SOUND_FORMAT,
            ...fileInput(own.path, own.info.container),
            '-max_error_rate',
            '1',
          ]
        : []),
    ],
    output: [
      ...['-filter_complex', graph, '-map', '[sound]'],
      ...['-c:a', 'aac', '-b:a', format.mono ? '128k' : '192k'],
    ],
  };
};

/** Sample rates that all players support, in descending order. */
const sampleRates = [48_000, 44_100, 32_000, 24_000, 22_050, 16_000];
/** Fades in and out wherever sound is cut: a sudden step would click. */
const FADE_SECONDS = 0.005;
/** The highest peak, full scale 1: AAC's decoded peaks are a little higher than those that were encoded. */
const PEAK = 0.94;
const LIMITER_SECONDS = 0.005;

/** `rate` in samples per second. */
type SoundFormat = { readonly rate: number; readonly mono: boolean };

/** The higher sample rate of the two sounds, and stereo if either has more than one channel. */
const formatOf = ({ info, own }: SoundTrack): SoundFormat => {
  const [track] = own?.info.audio ?? [];
  const rate = Math.max(info.sampleRate, track?.sampleRate ?? 0);
  return {
    rate: sampleRates.findLast((known) => known >= rate) ?? 48_000,
    mono: info.channels === 1 && (track?.mono ?? true),
  };
};

/** An input in the format of the output. A mono sound is copied to both channels: ffmpeg's own way makes it 3 dB quieter. */
const toFormat = (mono: boolean, format: SoundFormat, sampleFormat: 'fltp' | 's16p'): string =>
  mono && !format.mono
    ? `aformat=sample_fmts=${sampleFormat}:channel_layouts=mono,pan=stereo|c0=c0|c1=c0`
    : `aformat=sample_fmts=${sampleFormat}:channel_layouts=${format.mono ? 'mono' : 'stereo'}`;

const newSound = (
  { info, seconds, spans }: SoundTrack,
  format: SoundFormat,
  input: number,
): string => {
  const { rate } = format;
  const all = `[${input}:a:0]${remapping(info)}asetpts=N/SR/TB,aresample=${rate},${toFormat(info.channels === 1, format, 'fltp')}`;
  if (!spans) {
    return info.durationSeconds > seconds ? `${all},${fadeOut(samples(seconds, rate), rate)}` : all;
  }
  const cut = spans.map(({ start, end, from, seconds: most }, at) => {
    // At least one sample, which the fades silence: concat fails on an empty input.
    const count = Math.max(1, samples(Math.min(end - start, most), rate));
    const first = samples(from, rate);
    const [here, next] = [samples(start, rate), samples(spans[at + 1]?.start ?? seconds, rate)];
    const filters = [
      ...[`atrim=start_sample=${first}:end_sample=${first + count}`, START_AT_ZERO],
      ...[fadeIn(rate), fadeOut(count, rate)],
      ...(at === 0 ? [`adelay=${here}S:all=1`] : []),
      ...[`apad`, `atrim=end_sample=${at === 0 ? next : Math.max(0, next - here)}`],
    ];
    return `[span${at}]${filters.join(',')}[cut${at}]`;
  });
  const named = (name: string) => spans.map((_, at) => `[${name}${at}]`).join('');
  return [
    // Padded without end, so that a span that begins behind the end of the sound is not empty.
    `${all},apad,asplit=${spans.length}${named('span')}`,
    ...cut,
    `${named('cut')}concat=n=${spans.length}:v=0:a=1`,
  ].join(';');
};

type Inputs = { readonly format: SoundFormat; readonly firstInput: number };

const mixed = (track: SoundTrack, own: OwnSound, { format, firstInput }: Inputs): string => {
  return [
    `${newSound(track, format, firstInput)},apad[new]`,
    `${ownSound(own, format, firstInput + 1)},${volumeFilter(own.volume, track.spans)},apad[own]`,
    `[new][own]amix=inputs=2:normalize=0,${limiter(format, PEAK)},${padOrCut(track.seconds, format)}[sound]`,
  ].join(';');
};

/** Turns down what is louder than `peak`, of full scale 1, for as long as it is; the rest is unchanged. Needs a padded sound. */
const limiter = ({ rate }: SoundFormat, peak: number): string => {
  // It looks ahead, which delays its output by as many samples: these are cut off.
  const delay = Math.floor(LIMITER_SECONDS * rate) - 1;
  const limits = `alimiter=level=0:limit=${peak}:attack=${1000 * LIMITER_SECONDS}:release=50`;
  return `${limits},atrim=start_sample=${delay},${START_AT_ZERO}`;
};

/** On the clock of the pictures: its first sample belongs to the first of them. */
const ownSound = (
  { info, tempo, passes }: OwnSound,
  format: SoundFormat,
  input: number,
): string => {
  const [track] = info.audio;
  if (!track) throw new Error('a clip without sound has none to mix');
  const { rate } = format;
  const [start, length] = [samples(info.startSeconds, rate), samples(info.durationSeconds, rate)];
  const once = [
    `[${input}:a:${track.index}]${remapping(track)}aresample=${rate}:async=1:first_pts=0,${toFormat(track.mono, format, 's16p')}`,
    ...[`atrim=start_sample=${start}`, START_AT_ZERO],
    // Sound after the last picture is left out.
    ...['apad', `atrim=end_sample=${length}`, fadeOut(length, rate)],
    ...tempoSteps(tempo).map((factor) => `atempo=${factor}`),
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

/** Factors whose product is the tempo, each 0.5 to 2: beyond 2 ffmpeg's atempo skips samples. */
const tempoSteps = (tempo: number): number[] => {
  const steps = Math.ceil(Math.abs(Math.log2(tempo)) - 1e-9);
  return Array.from({ length: steps }, () => tempo ** (1 / steps));
};

const samples = (seconds: number, rate: number): number => Math.round(seconds * rate);
const padOrCut = (seconds: number, { rate }: SoundFormat): string =>
  `apad,atrim=end_sample=${samples(seconds, rate)}`;
const START_AT_ZERO = 'asetpts=N/SR/TB';
const fadeIn = (rate: number): string => `afade=t=in:ss=0:ns=${samples(FADE_SECONDS, rate)}`;
const fadeOut = (end: number, rate: number): string => {
  const length = Math.min(end, samples(FADE_SECONDS, rate));
  return `afade=t=out:ss=${end - length}:ns=${length}`;
};
