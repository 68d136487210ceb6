import { Failure } from '../../../errors.ts';
import type { Picture, Size } from '../../../frame.ts';
import { shrink } from '../../../media/image/still.ts';
import type { Box } from '../../../triton/clients/face-track.ts';
import type { LipSyncTask } from '../task.ts';
import { chooseFace, countFaces } from './choose-face.ts';
import { hintIn, pointIn, scaledBox, scaledMesh, scaleTo } from './coordinates.ts';
import { openingOf } from './lips.ts';
import { checkVisible, SMALLEST_FACE, TRACKING_SIDE } from './visible.ts';

export type PortraitFace = {
  readonly mesh: Float32Array;
  readonly box: Box;
  /** Of the other faces in the picture. */
  readonly others: readonly Box[];
  /** How many people are in the picture. */
  readonly count: number;
};

/** The face that speaks, in pixels of the still; the caller names it in pixels of the picture that was sent. */
export const findPortraitFace = async (
  { models, options }: LipSyncTask,
  still: Picture,
  sent: Size,
  signal: AbortSignal,
): Promise<PortraitFace> => {
  const { speaker } = options;
  checkVisible(still);
  const small = await shrink(still, TRACKING_SIDE);
  const [toStill, toSent] = [scaleTo(still, small), scaleTo(sent, small)];
  const hints = 'boxes' in speaker ? hintIn(small, speaker.boxes[0], toSent) : [];
  if ('frame' in speaker && speaker.frame === 0) hints.push(pointIn(speaker, toSent));
  const { faces } = await models.faceTrack.track(
    { pictures: [small], coding: 'rgb', state: new Float32Array(), hints: [hints] },
    signal,
  );
  const seen = (faces[0] ?? []).map((face, at) => ({
    ...face,
    opening: openingOf(face.mesh),
    box: scaledBox(face.box, toSent.x, toSent.y),
    mesh: at,
  }));
  const count = countFaces([seen]);
  if (count === 0) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const [chosen] = chooseFace([seen], speaker);
  const face = chosen && faces[0]?.[chosen.mesh];
  if (!face) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const boxIn = (of: { readonly box: Box }) => scaledBox(of.box, toStill.x, toStill.y);
  const others = (faces[0] ?? []).filter((each) => each !== face).map(boxIn);
  return { mesh: scaledMesh(face.mesh, toStill), box: boxIn(face), others, count };
};
