/** What the end of a child that reads a caller's file says: that of the file, or that of us. */
import { Failure } from '../errors.ts';
import type { Ended } from './ffmpeg.ts';

/** More of the packets could not be decoded than ffmpeg puts up with: it ends so after the last. */
const TOO_MANY_ERRORS = 69;
/** How ffmpeg ends when it could not open its input: 1 up to release 6, later "invalid data". */
const NOT_OPENED = [1, 183];

export const CUT_OFF = 'the file is cut off: it ends before its content does';

export const unreadable = (reason: string, cause?: unknown): Failure =>
  new Failure('media_unreadable', { reason: reason || 'ffmpeg gave no reason' }, { cause });

/** Throws decode_failed where a signal ended the child, which is no fault of the file. */
export const checkAlive = ({ killed, complaint }: Ended): void => {
  if (killed) throw decodeFailed(complaint);
};

/** Whether a decoder came to its end, however damaged the file is. null: it was stopped by us. */
export const endsWell = (ended: Ended | null): boolean =>
  ended === null || ended.exitCode === 0 || ended.exitCode === TOO_MANY_ERRORS;

/** Throws decode_failed unless the decoder came to its end, or gave nothing because it could not open the file. */
export const checkDecoded = (ended: Ended, gave: boolean): void => {
  const { exitCode, complaint } = ended;
  checkAlive(ended);
  if (endsWell(ended)) return;
  if (!gave && exitCode !== null && NOT_OPENED.includes(exitCode)) return;
  throw decodeFailed(complaint || `ffmpeg ended with ${exitCode}`);
};

/** Our own fault: the work is done again. */
export const decodeFailed = (reason: string, cause?: unknown): Failure =>
  new Failure('decode_failed', { reason }, { cause });
