/** Which picture of the clip each output frame shows, and when. Pure; all times in seconds. */

import { Failure } from '../../../errors.ts';
import { PRICED_FPS } from '../../../frame.ts';
import { secondsText } from '../../../text/counted.ts';
import type { SyncMode } from '../request.ts';
import type { OutputFrame } from './output-frame.ts';
import { markSegments, type SpokenSegment } from './segments.ts';

type TimelineOptions = {
  readonly sync_mode: SyncMode;
  readonly segments?: readonly SpokenSegment[] | undefined;
};

/** How long the clip's last picture fades out over its beginning, where it is repeated. */
const CROSSFADE_SECONDS = 0.2;
/** A picture that is shown longer than this many mean durations is held on purpose, and may be cut short. */
const HELD = 1.5;
/**
 * The price assumes the clip's mean rate, or PRICED_FPS where that is higher. The shown part of an uneven clip may have this
 * many times as many frames, and SPARE_FRAMES more whatever its length.
 */
const MOST_RATE_FACTOR = 2;
const SPARE_FRAMES = 60;
/** The duration of a clip's only picture where the file gives none. */
const ONLY_PICTURE_SECONDS = 0.04;

/**
 * The output frames for a clip whose pictures begin at `times`, the first at 0; the last of `times` is the end of the last
 * picture. Pictures are not cut, so the length differs from what the mode promises by up to half a frame. Throws
 * output_too_large for more than `most` frames, and for a part of the clip with far more pictures than its mean rate gives.
 */
export const layOut = (
  times: readonly number[],
  soundSeconds: number,
  { sync_mode, segments }: TimelineOptions,
  most = Number.POSITIVE_INFINITY,
): OutputFrame[] => {
  const clip = clipOf(times);
  const take = (seconds: number, spans: Iterable<SourceSpan>): OutputFrame[] =>
    takeUntil({ seconds, spans, mean: clip.mean, most });
  if (segments) return markSegments(segments, take(clip.seconds, clip.spans));
  switch (sync_mode) {
    case 'cut_off':
      return take(Math.min(soundSeconds, clip.seconds), clip.spans);
    case 'loop':
      return take(soundSeconds, looped(clip));
    case 'bounce':
      return take(soundSeconds, bounced(clip));
    case 'silence':
      return take(Math.max(soundSeconds, clip.seconds), held(clip));
    case 'remap':
      return remapped(clip, soundSeconds, most);
  }
};

/** How much of the clip, from its first picture on, the output shows at most. */
export const shownSeconds = (
  soundSeconds: number,
  { sync_mode, segments }: TimelineOptions,
): number =>
  segments || sync_mode === 'silence' || sync_mode === 'remap'
    ? Number.POSITIVE_INFINITY
    : soundSeconds;

/** A picture of the clip, and how long it is shown. */
type SourceSpan = Pick<OutputFrame, 'source' | 'duration' | 'crossfade'>;
type ClipTimes = {
  readonly spans: readonly SourceSpan[];
  readonly seconds: number;
  /** Mean duration of a picture. */
  readonly mean: number;
};

const clipOf = (times: readonly number[]): ClipTimes => {
  const count = times.length - 1;
  if (count < 1) throw new RangeError('expected the time of a picture and of its end');
  const end = times[count] ?? 0;
  const mean = end > 0 ? end / count : ONLY_PICTURE_SECONDS;
  const spans = times
    .slice(0, -1)
    .map((time, source) => ({ source, duration: (times[source + 1] ?? end) - time || mean }));
  return { spans, mean, seconds: spans.reduce((sum, { duration }) => sum + duration, 0) };
};

type Selection = {
  readonly seconds: number;
  readonly spans: Iterable<SourceSpan>;
  readonly mean: number;
  readonly most: number;
};

/** The spans one after the other, each as long as more than half of it lies within `seconds`; at least one. */
const takeUntil = ({ seconds, spans, mean, most }: Selection): OutputFrame[] => {
  const paid = MOST_RATE_FACTOR * seconds * Math.max(PRICED_FPS, 1 / mean);
  const limit = Math.min(most, Math.ceil(paid) + SPARE_FRAMES);
  const frames: OutputFrame[] = [];
  let time = 0;
  for (const span of spans) {
    const left = seconds - time;
    const isHeld = span.duration > HELD * mean;
    if (left <= (isHeld ? mean : span.duration) / 2 && frames.length > 0) break;
    if (frames.length >= limit) throw tooMany(limit, seconds);
    const duration = isHeld ? Math.min(span.duration, Math.max(left, mean / 2)) : span.duration;
    frames.push({ ...span, time, duration, moves: true });
    time += duration;
  }
  return frames;
};

const tooMany = (limit: number, seconds: number): Failure =>
  new Failure('output_too_large', {
    limit: `${limit} frames in ${secondsText(seconds)} of a clip of this mean rate`,
    came: 'more',
  });

function* looped({ spans, seconds }: ClipTimes): Generator<SourceSpan> {
  yield* spans;
  if (spans.length === 1) for (;;) yield* spans;
  const last = spans.length - 1;
  const fade = Math.min(CROSSFADE_SECONDS, seconds / 2);
  for (;;) {
    let time = 0;
    for (const span of spans) {
      const share = 1 - (time + span.duration / 2) / fade;
      yield share > 0 ? { ...span, crossfade: { source: last, share } } : span;
      time += span.duration;
    }
  }
}

/** Forward and backward in turn; the first and the last picture are not repeated at the turns. */
function* bounced({ spans }: ClipTimes): Generator<SourceSpan> {
  const back = spans.slice(1, -1).reverse();
  for (;;) {
    yield* spans;
    yield* back;
  }
}

/** After the end of the clip its last picture stays. */
function* held({ spans, mean }: ClipTimes): Generator<SourceSpan> {
  yield* spans;
  for (;;) yield { source: spans.length - 1, duration: mean };
}

/** Frames of the mean duration; each shows the picture at its middle when the clip is stretched to the sound. */
const remapped = (
  { spans, seconds, mean }: ClipTimes,
  soundSeconds: number,
  most: number,
): OutputFrame[] => {
  const count = Math.max(1, Math.round(soundSeconds / mean));
  if (count > most) throw tooMany(most, soundSeconds);
  const frames: OutputFrame[] = [];
  let source = 0;
  let end = spans[0]?.duration ?? 0;
  for (let at = 0; at < count; at += 1) {
    const middle = ((at + 0.5) / count) * seconds;
    while (end <= middle && source < spans.length - 1) {
      source += 1;
      end += spans[source]?.duration ?? 0;
    }
    frames.push({ source, time: at * mean, duration: mean, moves: true });
  }
  return frames;
};
