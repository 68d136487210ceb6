/** The warnings in the result of a lip sync. */

import type { Warning } from '../../contract/job.ts';
import { Failure } from '../../errors.ts';
import { evened, type Size, sizeText } from '../../frame.ts';
import type { AudioInfo } from '../../media/info.ts';
import { secondsText } from '../../text/counted.ts';
import type { Box } from '../../triton/clients/face-track.ts';
import type { Style } from '../../triton/clients/style.ts';
import type { SyncMeasure } from './check/sync.ts';
import { medianWidth } from './faces/coordinates.ts';
import { SMALLEST_WIDTH } from './faces/visible.ts';

export const NO_SPEECH: Warning = {
  code: 'no_speech_heard',
  detail:
    'The sound that the result has contains less than 0.5 s of speech, so the mouth stays at rest.',
};

/** For a sound whose header states more than there is. */
export const cutSound = ({ durationSeconds, statedSeconds }: AudioInfo): Warning[] => {
  if (statedSeconds === undefined) return [];
  const detail = `The sound file states that it lasts ${secondsText(statedSeconds)}, but only ${secondsText(durationSeconds)} could be read: its end is missing, as after an upload or download that broke off, or parts of it are damaged. What could be read is used; send the whole file to have all of it spoken.`;
  return [{ code: 'sound_cut_short', detail }];
};

/** For a portrait that was larger than a video may be. */
export const shrunkFrom = (sent: Size, { width }: Size): Warning[] => {
  if (sent.width <= width) return [];
  const detail = `The image of ${sizeText(sent)} is larger than a video may be, and was reduced.`;
  return [{ code: 'portrait_shrunk', detail }];
};

/** For a picture with an odd side. See decision 9. */
export const grownFrom = (size: Size): Warning[] => {
  const grown = evened(size);
  if (sizeText(grown) === sizeText(size)) return [];
  const detail = `H.264 with 4:2:0 needs an even width and height: ${sizeText(size)} was extended to ${sizeText(grown)} by repeating the last column or row.`;
  return [{ code: 'odd_size_grown', detail }];
};

/** Correlations with the sound: below the first a viewer sees no speech, below the second something else moved. */
const WEAK = 0.1;
const NONE = 0;
/** Frames of the output, and seconds of speech among those that are measured, from which a missing correlation is no chance. */
const [SURE_FRAMES, SURE_SECONDS] = [50, 1];

/** Share of the frames that should speak and were left unchanged, from which the result has a warning. */
const MANY = 0.2;

/**
 * What was measured: frames that should speak, those of them that were left unchanged, how the face is made, and whether a mark
 * lies over it.
 */
type Spoken = {
  readonly frames: number;
  readonly unchanged: number;
  readonly style: Style;
  readonly marked?: boolean;
};

/**
 * For a mouth that hardly moves with the speech. Throws no_face_detected where it does not at all: what was taken for a
 * face is none. Not of a flat drawing, in which the mesh, trained on people, may not see a mouth that does move; nor under a
 * half-clear mark; nor where many frames were left unchanged, whose mouths are measured with the others and say something else,
 * or are covered.
 */
export const weaklySynced = (
  sync: SyncMeasure | null,
  { frames, unchanged, style, marked = false }: Spoken,
): Warning[] => {
  if (!sync || sync.correlation >= WEAK) return [];
  const { correlation, speechSeconds } = sync;
  if (style === 'flat') {
    const detail = `The mouth of the finished video could not be seen to move with the speech (correlation ${correlation}). In drawings that is hard to measure: look at the result.`;
    return [{ code: 'weak_sync', detail }];
  }
  const sure = !marked && frames >= SURE_FRAMES && speechSeconds >= SURE_SECONDS;
  if (correlation < NONE && sure && unchanged < MANY * frames)
    throw new Failure('no_face_detected', { correlation });
  const detail = `The mouth of the finished video hardly moves with the speech (correlation ${correlation}): the face may be small, turned away, covered, behind letters or not a person's.`;
  return [{ code: 'weak_sync', detail }];
};

/** For a clip with many frames that were passed through: cuts to other people, a face turned away, a hand. */
export const leftUnchanged = (passedThrough: number, frames: number): Warning[] => {
  if (!passedThrough || passedThrough < MANY * frames) return [];
  const detail = `${passedThrough} of ${frames} frames are as they were: the speaker's face was not seen there, or was small, covered, turned away, cut off by the edge of the picture, over-exposed or in a hard shadow. Only one person's mouth is moved; \`speaker\` names another.`;
  return [{ code: 'frames_unchanged', detail }];
};

/**
 * For a speaker's face that is found but small. boxes: the face in each frame; null where it is not seen or does not speak.
 * Judged by the median, as a face may come nearer.
 */
export const smallFace = (boxes: readonly (Box | null)[]): Warning[] => {
  const width = medianWidth(boxes);
  if (width === undefined || Math.round(width) >= SMALLEST_WIDTH) return [];
  const detail = `The speaker's face is ${Math.round(width)} pixels wide: lips and teeth have details from ${SMALLEST_WIDTH} on, and look good from 200 on. Send a larger picture, or one that shows the face nearer.`;
  return [{ code: 'small_face', detail }];
};

/**
 * Share of the lower face that is covered, from which the result of a portrait has a warning, and a clip's subject is looked for in other
 * pictures. Portraits have 0 to .08, in black and white, in sepia and faded too; behind a drawn hand a quarter of them have .31 to .50,
 * a man behind a microphone .64 to .77 (docs/decisions/0082, 0132).
 */
export const COVERED = 0.3;

/**
 * For a portrait whose lips cannot be distinguished from what is round them: in a clip, other frames show them. Drawings need have no
 * lips, and theirs may be white. covered: 0..1.
 */
export const mouthCovered = (covered: number, style: Style): Warning[] => {
  if (covered < COVERED || style === 'flat') return [];
  const detail =
    'Where the lips should be, the picture has the colour of the skin or of another thing: if a hand or something else covers the mouth, speech is drawn on it. Send a picture that shows the mouth.';
  return [{ code: 'mouth_covered', detail }];
};

/**
 * How far within the picture lips lie at least to be moved as speech asks, in distances between the outer eye corners. The renderer
 * moves them less from 0.05 on, by its own outline of them, which may lie 0.02 nearer to the border (docs/decisions/0278).
 */
const WITHIN = 0.06;

/** For a portrait whose border runs along the lips. toBorder: of lipsToBorder(). */
export const mouthAtBorder = (toBorder: number): Warning[] => {
  if (toBorder >= WITHIN) return [];
  const detail =
    'The lips are at the edge of the picture, or cut off by it: they move little, as there is no room for them. Send a picture that shows the chin and both cheeks.';
  return [{ code: 'mouth_at_border', detail }];
};
