import { Failure } from '../errors.ts';
import type { YuvFrame } from '../frame.ts';
import type { VideoInfo } from '../media/info.ts';
import type { Rendering } from '../triton/models/mouth-render.ts';
import { codingOf } from './coding.ts';
import { styleOf } from './flatness.ts';
import { type LipSyncTask, SMALLEST_FACE } from './lip-sync-task.ts';
import { cut, meshIn, patchOf } from './patch.ts';
import type { Sighting } from './track.ts';

/** What belongs to the subject, measured on the picture that shows it best. Throws no_face_detected for a face too small. */
export const measureSubject = async (
  { models, options, signal }: Pick<LipSyncTask, 'models' | 'options' | 'signal'>,
  { colour }: VideoInfo,
  picture: YuvFrame,
  { box }: Sighting,
  mesh: Float32Array,
): Promise<Rendering> => {
  const rect = patchOf(mesh, picture, models.mouthRender);
  if (!rect) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const about = { coding: codingOf(colour), style: styleOf(options, picture, box) };
  const patch = cut(picture, rect);
  return {
    ...about,
    subject: await models.mouthRender.subject(patch, meshIn(mesh, rect), about, signal),
  };
};
