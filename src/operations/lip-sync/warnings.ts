/** What callers are told of a finished lip sync besides its numbers. */

import type { Warning } from '../../contract/job.ts';
import { evened, type Size, sizeText } from '../../frame.ts';

export const NO_SPEECH: Warning = {
  code: 'no_speech_heard',
  detail: 'Less than half a second of speech was heard in the sound: the mouth is at rest.',
};

/** For a portrait that was larger than a video may be. */
export const shrunkFrom = (sent: Size, { width }: Size): Warning[] => {
  if (sent.width <= width) return [];
  const detail = `The picture of ${sizeText(sent)} is larger than a video may be, and was made smaller.`;
  return [{ code: 'portrait_shrunk', detail }];
};

/** For a picture with an odd side. */
export const grownFrom = (size: Size): Warning[] => {
  const grown = evened(size);
  if (sizeText(grown) === sizeText(size)) return [];
  const detail = `H.264 in 4:2:0 has even sizes only: ${sizeText(size)} became ${sizeText(grown)} by repeating the last column or row.`;
  return [{ code: 'odd_size_grown', detail }];
};
