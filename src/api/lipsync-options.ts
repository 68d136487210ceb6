/** What the schema of a request for lip sync cannot know: what its model takes, and what its media has. Pure. */
import type { LipsyncModel, LipsyncOptions, Speaker, SyncMode } from '../contract/lipsync.ts';
import { Failure, type Fault } from '../errors.ts';
import { type Size, sizeText } from '../frame.ts';

/** What each model can do when clip and sound differ in length. */
export const syncModes: Readonly<Record<LipsyncModel, readonly SyncMode[]>> = {
  fast: ['cut_off'],
  balanced: ['cut_off'],
  studio: ['cut_off'],
};

/** Failure unsupported_option_for_model. */
export const checkSyncMode = ({ model, sync_mode }: LipsyncOptions): void => {
  const allowed = syncModes[model];
  if (allowed.includes(sync_mode)) return;
  const code = 'unsupported_option_for_model';
  const detail = `The model ${model} takes the sync_mode ${allowed.join(', ')}; ${sync_mode} came.`;
  throw new Failure(
    code,
    { detail },
    { faults: [{ pointer: '/sync_mode', code, detail, allowed }] },
  );
};

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
  if (faults.length === 0) return;
  const detail = 'The speaker does not fit the media; see errors.';
  throw new Failure('validation_failed', { detail }, { faults });
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
    return [outside('/speaker/boxes', 'at least one box', 'nothing but null')];
  }
  return boxes.flatMap((box, index) => {
    if (box === null || isWithin(box, size)) return [];
    const wanted = `x1 < x2 and y1 < y2, not outside of ${sizeText(size)}`;
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
  detail: `Expected ${expected}; ${came} came.`,
});
