import { Failure } from '../../../errors.ts';
import type { YuvFrame } from '../../../frame.ts';
import type { VideoInfo } from '../../../media/info.ts';
import type { Rendering } from '../../../triton/clients/mouth-render.ts';
import { styleOf } from '../faces/flatness.ts';
import type { Sighting } from '../faces/track.ts';
import { SMALLEST_FACE } from '../faces/visible.ts';
import type { LipSyncTask } from '../task.ts';
import { codingOf } from './coding.ts';
import { cut, meshIn, patchOf } from './patch.ts';

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
  { models, options, signal }: Pick<LipSyncTask, 'models' | 'options' | 'signal'>,
  { info, picture, face, mesh }: Portrayal,
): Promise<Rendering> => {
  const rect = patchOf(mesh, picture, models.mouthRender);
  if (!rect) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const about = { coding: codingOf(info.colour), style: styleOf(options, picture, face.box) };
  const mouth = { patch: cut(picture, rect), mesh: meshIn(mesh, rect), about };
  return { ...about, subject: await models.mouthRender.subject(mouth, signal) };
};
