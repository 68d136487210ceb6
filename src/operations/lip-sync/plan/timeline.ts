/** Which picture of the clip the output shows when. Pure; all times in seconds. */

import { Failure } from '../../../errors.ts';
import { PRICED_FPS } from '../../../frame.ts';
import type { SyncMode } from '../request.ts';

/** A picture of the output. The first begins at 0, and each where the one before ends. */
export type Shot = {
  /** Index of the clip's frame that it shows. */
  readonly source: number;
  readonly time: number;
  readonly duration: number;
  /** Whether the mouth follows the sound; otherwise the picture is left as it was. */
  readonly moves: boolean;
  /** How much of the new mouth is seen: less than 1 at the edges of a segment. Absent: all of it. */
  readonly opacity?: number;
  /** Where the clip has begun again: the frame that it ended with, which fades out over this one. */
  readonly under?: { readonly source: number; readonly share: number };
};

/** A span of the clip in which the mouth follows the sound, or, with null, is left as it was. */
type Segment = { readonly start: number; readonly end: number; readonly audio: object | null };
type Wanted = {
  readonly sync_mode: SyncMode;
  readonly segments?: readonly Segment[] | undefined;
};

/** How long the end of a clip fades out over its beginning. */
const DISSOLVE = 0.2;
/** How long the new mouth takes to appear at the edge of a segment. */
const EDGE = 0.1;
/** A picture shown so many times as long as the mean is held on purpose, and may be cut. */
const HELD = 1.5;
/** What is paid for is the clip's mean rate, or 30 frames a second; where it is uneven there may be twice as many. */
const UNEVEN = 2;
/** And so many, whatever the length. */
const SPARE_SHOTS = 60;
/** For a clip of a single frame without a duration. */
const STILL_SECONDS = 0.04;

/**
 * The shots of the output for a clip whose frames begin at `times`, the first at 0; the last of them is where its last
 * frame ends. Frames are whole: the output's length is what the mode promises to within half a frame. Throws
 * output_too_large for more than `most` shots, and where far more frames lie in that part than the clip's mean rate tells.
 */
export const layOut = (
  times: readonly number[],
  soundSeconds: number,
  { sync_mode, segments }: Wanted,
  most = Number.POSITIVE_INFINITY,
): Shot[] => {
  const until = (seconds: number, clip: Clip, looks: Iterable<Look>): Shot[] =>
    takeUntil(seconds, clip, looks, most);
  const clip = clipOf(times);
  if (segments) return within(segments, until(clip.seconds, clip, clip.frames));
  switch (sync_mode) {
    case 'cut_off':
      return until(Math.min(soundSeconds, clip.seconds), clip, clip.frames);
    case 'loop':
      return until(soundSeconds, clip, looped(clip));
    case 'bounce':
      return until(soundSeconds, clip, bounced(clip));
    case 'silence':
      return until(Math.max(soundSeconds, clip.seconds), clip, held(clip));
    case 'remap':
      return remapped(clip, soundSeconds, most);
  }
};

/** How much of the clip, from its first frame on, such an output shows at the most. */
export const shownSeconds = (soundSeconds: number, { sync_mode, segments }: Wanted): number =>
  segments || sync_mode === 'silence' || sync_mode === 'remap'
    ? Number.POSITIVE_INFINITY
    : soundSeconds;

type Look = Pick<Shot, 'source' | 'duration' | 'under'>;
type Clip = { readonly frames: readonly Look[]; readonly seconds: number; readonly mean: number };

const clipOf = (times: readonly number[]): Clip => {
  const count = times.length - 1;
  if (count < 1) throw new RangeError('expected the time of a frame and where it ends');
  const end = times[count] ?? 0;
  const mean = end > 0 ? end / count : STILL_SECONDS;
  const frames = times
    .slice(0, -1)
    .map((time, source) => ({ source, duration: (times[source + 1] ?? end) - time || mean }));
  return { frames, mean, seconds: frames.reduce((sum, { duration }) => sum + duration, 0) };
};

/** The looks one behind the other, as far as their greater part lies within so many seconds; one at the least. */
const takeUntil = (
  seconds: number,
  { mean }: Clip,
  looks: Iterable<Look>,
  most: number,
): Shot[] => {
  const paid = UNEVEN * seconds * Math.max(PRICED_FPS, 1 / mean);
  const limit = Math.min(most, Math.ceil(paid) + SPARE_SHOTS);
  const shots: Shot[] = [];
  let time = 0;
  for (const look of looks) {
    const left = seconds - time;
    const isHeld = look.duration > HELD * mean;
    if (left <= (isHeld ? mean : look.duration) / 2 && shots.length > 0) break;
    if (shots.length >= limit) throw tooMany(limit, seconds);
    const duration = isHeld ? Math.min(look.duration, Math.max(left, mean / 2)) : look.duration;
    shots.push({ ...look, time, duration, moves: true });
    time += duration;
  }
  return shots;
};

const tooMany = (limit: number, seconds: number): Failure =>
  new Failure('output_too_large', {
    limit: `${limit} frames in ${Number(seconds.toFixed(2))} s of a clip of this mean rate`,
    came: 'more',
  });

function* looped({ frames, seconds }: Clip): Generator<Look> {
  yield* frames;
  if (frames.length === 1) for (;;) yield* frames;
  const last = frames.length - 1;
  const fade = Math.min(DISSOLVE, seconds / 2);
  for (;;) {
    let time = 0;
    for (const frame of frames) {
      const share = 1 - (time + frame.duration / 2) / fade;
      yield share > 0 ? { ...frame, under: { source: last, share } } : frame;
      time += frame.duration;
    }
  }
}

/** There and back: at the turns no frame comes twice. */
function* bounced({ frames }: Clip): Generator<Look> {
  const back = frames.slice(1, -1).reverse();
  for (;;) {
    yield* frames;
    yield* back;
  }
}

/** After its end the last frame stays. */
function* held({ frames, mean }: Clip): Generator<Look> {
  yield* frames;
  for (;;) yield { source: frames.length - 1, duration: mean };
}

/** On a grid of the mean rate, each shot shows the frame that is seen at its middle when the clip is stretched to the sound. */
const remapped = ({ frames, seconds, mean }: Clip, soundSeconds: number, most: number): Shot[] => {
  const count = Math.max(1, Math.round(soundSeconds / mean));
  if (count > most) throw tooMany(most, soundSeconds);
  const shots: Shot[] = [];
  let source = 0;
  let end = frames[0]?.duration ?? 0;
  for (let at = 0; at < count; at += 1) {
    const middle = ((at + 0.5) / count) * seconds;
    while (end <= middle && source < frames.length - 1) {
      source += 1;
      end += frames[source]?.duration ?? 0;
    }
    shots.push({ source, time: at * mean, duration: mean, moves: true });
  }
  return shots;
};

const within = (segments: readonly Segment[], shots: readonly Shot[]): Shot[] => {
  const marked = shots.map((shot) => {
    const middle = middleOf(shot);
    const moves = segments.some(
      ({ start, end, audio }) => audio !== null && start <= middle && middle < end,
    );
    return { ...shot, moves };
  });
  const edges = marked
    .filter(({ moves }, at) => moves !== (marked[at - 1]?.moves ?? moves))
    .map(({ time }) => time);
  return marked.map((shot) => {
    const apart = Math.min(...edges.map((edge) => Math.abs(middleOf(shot) - edge)));
    const opacity = apart / EDGE;
    return shot.moves && opacity < 1 ? { ...shot, opacity } : shot;
  });
};

const middleOf = ({ time, duration }: Shot): number => time + duration / 2;
