/** What the schema of a request for lip sync cannot know: what goes together, and what its media has. Pure. */

import { Failure, type Fault } from '../../errors.ts';
import { type Size, sizeText } from '../../frame.ts';
import type { LipsyncOptions, Segment, Speaker, SyncMode } from './request.ts';

/** Lengths that callers know from elsewhere may be rounded, or count an encoder's delay. */
const ROUNDED_SECONDS = 0.1;
/** Modes that repeat or stretch a clip accept at most this many frames a second. */
const MOST_FPS = 240;

type Clip = { readonly kind: 'image' | 'video'; readonly seconds: number; readonly fps: number };

/** Failure validation_failed for segments that fit no media at all. */
export const checkOptions = ({ sync_mode, segments }: LipsyncOptions): void => {
  if (!segments) return;
  const conflict = `Expected "cut_off" with segments, because the result is then as long as the clip; got "${sync_mode}".`;
  refuse([
    ...(sync_mode === 'cut_off'
      ? []
      : [{ pointer: '/sync_mode', code: 'conflict', detail: conflict, allowed: ['cut_off'] }]),
    ...segments.flatMap((segment, at) => orderFaults(segment, at, segments[at - 1]?.end ?? 0)),
    ...(segments.some(({ audio }) => audio !== null)
      ? []
      : [outside('/segments', 'at least one segment with audio', 'only segments with audio null')]),
  ]);
};

/** Failure validation_failed for segments of a portrait, which has no length of its own. */
export const checkKind = ({ segments }: LipsyncOptions, kind: 'image' | 'video'): void =>
  refuse(segments && kind === 'image' ? [forClips] : []);

/** Failure validation_failed for a mode and segments that do not fit the lengths of clip and sound. */
export const checkLengths = (
  { sync_mode, segments }: LipsyncOptions,
  clip: Clip,
  soundSeconds: number,
): void => {
  if (clip.kind === 'image') return;
  refuse([
    ...(sync_mode !== 'cut_off' && clip.fps > MOST_FPS ? [tooFast(sync_mode, clip.fps)] : []),
    ...(segments ?? []).flatMap((segment, at) =>
      endFaults(segment, at, clip.seconds, soundSeconds),
    ),
  ]);
};

const orderFaults = ({ start, end, audio }: Segment, at: number, before: number): Fault[] => {
  const here = `/segments/${at}`;
  return [
    ...(start >= before
      ? []
      : [outside(`${here}/start`, `at least ${before}, the end of the segment before`, start)]),
    ...(end > start ? [] : [outside(`${here}/end`, `more than ${start}, its start`, end)]),
    ...(audio?.end === undefined || audio.end > audio.start
      ? []
      : [outside(`${here}/audio/end`, `more than ${audio.start}, its start`, audio.end)]),
  ];
};

const endFaults = (
  { start, end, audio }: Segment,
  at: number,
  clip: number,
  sound: number,
): Fault[] => {
  const here = `/segments/${at}`;
  const lasts = (what: string, seconds: number) =>
    `${seconds}, the length of the ${what} in seconds`;
  return [
    ...(start < clip ? [] : [outside(`${here}/start`, `less than ${lasts('clip', clip)}`, start)]),
    ...(end <= clip + ROUNDED_SECONDS
      ? []
      : [outside(`${here}/end`, `at most ${lasts('clip', clip)}`, end)]),
    ...(audio === null || audio.start < sound
      ? []
      : [outside(`${here}/audio/start`, `less than ${lasts('sound', sound)}`, audio.start)]),
    ...(audio?.end === undefined || audio.end <= sound + ROUNDED_SECONDS
      ? []
      : [outside(`${here}/audio/end`, `at most ${lasts('sound', sound)}`, audio.end)]),
  ];
};

const forClips: Fault = {
  pointer: '/segments',
  code: 'conflict',
  detail: 'Expected a video with segments; got an image, which speaks for the whole of the audio.',
};

const tooFast = (mode: SyncMode, fps: number): Fault =>
  outside('/sync_mode', `a clip of at most ${MOST_FPS} frames per second for "${mode}"`, fps);

/** Failure validation_failed for a speaker who can be in no such clip; a portrait is a clip of one frame. */
export const checkSpeaker = (
  speaker: Speaker,
  clip: { readonly size: Size; readonly frames: number },
): void => {
  const faults =
    'boxes' in speaker
      ? boxFaults(speaker.boxes, clip.size, clip.frames)
      : 'frame' in speaker
        ? pointFaults(speaker, clip.size, clip.frames)
        : [];
  refuse(faults);
};

const refuse = (faults: readonly Fault[]): void => {
  if (faults.length > 0) throw new Failure('validation_failed', {}, { faults });
};

type Point = Extract<Speaker, { frame: number }>;
type Boxes = Extract<Speaker, { boxes: unknown }>['boxes'];

const pointFaults = ({ frame, x, y }: Point, size: Size, frames: number): Fault[] => [
  ...(frame < frames ? [] : [outside('/speaker/frame', lastFrame(frames), frame)]),
  ...(x < size.width ? [] : [outside('/speaker/x', `less than ${size.width}`, x)]),
  ...(y < size.height ? [] : [outside('/speaker/y', `less than ${size.height}`, y)]),
];

const boxFaults = (boxes: Boxes, size: Size, frames: number): Fault[] => {
  if (boxes.length > frames) {
    return [outside('/speaker/boxes', `at most ${frames}, one for each frame`, boxes.length)];
  }
  if (boxes.every((box) => box === null)) {
    return [outside('/speaker/boxes', 'at least one box', 'only null')];
  }
  return boxes.flatMap((box, index) => {
    if (box === null || isWithin(box, size)) return [];
    const wanted = `[x1, y1, x2, y2] with x1 < x2 and y1 < y2, at least partly within ${sizeText(size)}`;
    return [outside(`/speaker/boxes/${index}`, wanted, JSON.stringify(box))];
  });
};

/** Whether some of it lies on the picture: a face may be cut by the edge. */
const isWithin = ([x1, y1, x2, y2]: NonNullable<Boxes[number]>, { width, height }: Size) =>
  x1 < x2 && y1 < y2 && x1 < width && y1 < height && x2 > 0 && y2 > 0;

const lastFrame = (frames: number): string => `at most ${frames - 1}, the last frame`;

const outside = (pointer: string, expected: string, came: number | string): Fault => ({
  pointer,
  code: 'out_of_range',
  detail: `Expected ${expected}; got ${came}.`,
});
