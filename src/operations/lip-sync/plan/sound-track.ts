/** What sounds in a result, and what of it the models hear. Pure; all times in seconds. */

import { HEARD_RATE } from '../../../media/heard.ts';
import type { AudioInfo, VideoInfo } from '../../../media/info.ts';
import type { OwnSound, SoundSpan, SoundTrack } from '../../../media/write/sound-graph.ts';
import type { LipsyncOptions } from '../request.ts';
import type { OutputFrame } from './output-frame.ts';

type SoundSources = {
  /** The new sound. */
  readonly audio: { readonly path: string; readonly info: AudioInfo };
  /** The clip, whose own sound may be mixed under it. */
  readonly clip: { readonly path: string; readonly info: VideoInfo };
};

/** The sound track of an output with these frames. */
export const soundTrack = (
  { audio, clip }: SoundSources,
  options: LipsyncOptions,
  frames: readonly OutputFrame[],
): SoundTrack => {
  const { mode, volume } = options.options.background;
  const isHeard = mode === 'mix' || options.segments !== undefined;
  return {
    ...audio,
    seconds: endOf(frames),
    spans: soundSpansOf(options, audio.info.durationSeconds),
    own:
      isHeard && clip.info.audio.length > 0
        ? { ...clip, volume: mode === 'mix' ? volume : 0, ...paceOf(options, clip.info, frames) }
        : undefined,
  };
};

/** Where parts of the new sound are heard. Undefined without segments: then all of it is, from the start on. */
export const soundSpansOf = (
  { segments }: Pick<LipsyncOptions, 'segments'>,
  soundSeconds: number,
): SoundSpan[] | undefined =>
  segments?.flatMap(({ start, end, audio }) => {
    if (!audio) return [];
    const until = Math.min(soundSeconds, audio.end ?? soundSeconds);
    return [{ start, end, from: audio.start, seconds: until - audio.start }];
  });

/** The samples of the new sound with its parts in their places, and silence between and after them. */
export const placeSpans = (pcm: Float32Array, spans: readonly SoundSpan[]): Float32Array => {
  const at = (seconds: number): number => Math.round(seconds * HEARD_RATE);
  const placed = new Float32Array(at(spans.at(-1)?.end ?? 0));
  for (const { start, end, from, seconds } of spans) {
    const length = at(Math.min(end, start + seconds)) - at(start);
    placed.set(pcm.subarray(at(from), at(from) + length), at(start));
  }
  return placed;
};

const endOf = (frames: readonly OutputFrame[]): number => {
  const last = frames.at(-1);
  if (!last) throw new RangeError('expected at least one output frame');
  return last.time + last.duration;
};

/** The own sound of a shorter clip is not repeated: below half a second the repetition is heard as a buzz. */
const LEAST_REPEATED_SECONDS = 0.5;

/** The own sound keeps to its pictures, but is never played backward: where the pictures turn, it begins again. */
const paceOf = (
  { sync_mode }: LipsyncOptions,
  info: VideoInfo,
  frames: readonly OutputFrame[],
): Pick<OwnSound, 'tempo' | 'passes'> => {
  if (sync_mode === 'remap') return { tempo: info.durationSeconds / endOf(frames), passes: [] };
  const passes = info.durationSeconds < LEAST_REPEATED_SECONDS ? [] : passesOf(frames);
  return { tempo: 1, passes };
};

/** How long the clip goes forward and, where it does, backward, before its first picture is shown again. */
const passesOf = (frames: readonly OutputFrame[]): number[] => {
  const sourceAt = (at: number): number => frames[at]?.source ?? 0;
  const turn = frames.findIndex(({ source }, at) => at > 0 && source < sourceAt(at - 1));
  const turned = frames[turn];
  if (!turned) return [];
  const again = frames.find(({ source }, at) => at >= turn && source === 0);
  const back = (again?.time ?? endOf(frames)) - turned.time;
  return back > 0 ? [turned.time, back] : [turned.time];
};
