import { Failure } from '../../../errors.ts';
import type { Picture, YuvFrame } from '../../../frame.ts';
import type { VideoInfo } from '../../../media/info.ts';
import type { Box } from '../../../triton/clients/face-track.ts';
import type { Mouth, Rendering } from '../../../triton/clients/mouth-render.ts';
import { codingOf } from '../coding.ts';
import type { Sighting } from '../faces/track.ts';
import { SMALLEST_FACE } from '../faces/visible.ts';
import type { LipSyncTask } from '../task.ts';
import { cut, meshIn, patchOf, type Rect } from './patch.ts';
import { cutFace, cutPixels } from './rgb.ts';

type Means = Pick<LipSyncTask, 'models' | 'options' | 'signal'>;
type Unmeasured = Mouth<Pick<Rendering, 'coding'>>;

type Portrayal = {
  readonly info: VideoInfo;
  readonly picture: YuvFrame;
  /** The subject's face in it. */
  readonly face: Sighting;
  readonly mesh: Float32Array;
};

/**
 * What belongs to the subject and not to one picture, measured on the picture that shows it best. Throws no_face_detected for
 * a face that is too small.
 */
export const measureSubject = async (
  task: Means,
  { info, picture, face, mesh }: Portrayal,
): Promise<Rendering> => {
  const rect = rectOf(task, picture, mesh);
  const about = { coding: codingOf(info.colour) };
  const mouth = { patch: cut(picture, rect), mesh: meshIn(mesh, rect), about };
  return measure(task, mouth, () => cutFace(picture, face.box));
};

type Still = {
  readonly still: Picture;
  readonly face: { readonly mesh: Float32Array; readonly box: Box };
};

/** The mouth of a still, its subject measured, and where it lies. Throws no_face_detected for a face too small. */
export const measureStill = async (
  task: Means,
  { still, face }: Still,
): Promise<{ readonly mouth: Mouth; readonly rect: Rect }> => {
  const rect = rectOf(task, still, face.mesh);
  const { width, height } = rect;
  const patch = { width, height, pixels: cutPixels(still, rect) };
  const unmeasured = { patch, mesh: meshIn(face.mesh, rect), about: { coding: 'rgb' as const } };
  const about = await measure(task, unmeasured, () => cutFace(still, face.box));
  return { mouth: { ...unmeasured, about }, rect };
};

const rectOf = ({ models }: Means, picture: Picture | YuvFrame, mesh: Float32Array): Rect => {
  const rect = patchOf(mesh, picture, models.mouthRender);
  if (!rect) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  return rect;
};

/** The style is the caller's; where that is `auto`, the model tells it by the face. */
const measure = async (
  { models, options, signal }: Means,
  mouth: Unmeasured,
  face: () => ReturnType<typeof cutFace>,
): Promise<Rendering> => {
  const asked = options.options.style;
  const shown = asked === 'auto' ? face() : null;
  const { subject, style } = await models.mouthRender.subject(mouth, shown, signal);
  const decided = asked === 'auto' ? style : asked;
  if (!decided) throw new Error('the style of a face was asked for and did not come');
  return { ...mouth.about, subject, style: decided };
};
