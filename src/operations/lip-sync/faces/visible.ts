/** How small a face and a picture may be for a face to be found. */
import { Failure } from '../../../errors.ts';
import { fitted, type Size } from '../../../frame.ts';

/** Pixels of width from which a face is found reliably, and its mouth has enough of them for lips and teeth. */
export const SMALLEST_WIDTH = 64;

/** The smallest face that is found reliably, for messages. */
export const SMALLEST_FACE = `${SMALLEST_WIDTH} pixels in width and 1/20 of the picture's longer side`;

/** The longer side, in pixels, of the copies in which faces are tracked; smaller pictures stay as they are. */
export const TRACKING_SIDE = 1280;

/** The shortest side, in pixels, of a picture that the face detector takes. */
const LEAST_SIDE = 16;

/** Throws no_face_detected for a picture whose copy is too narrow for the face detector. */
export const checkVisible = (size: Size): void => {
  const { width, height } = fitted(size, TRACKING_SIDE);
  if (Math.min(width, height) < LEAST_SIDE)
    throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
};
