/** What the exit of a child that read a caller's file means: the file is at fault, or this service is. */
import { Failure } from '../errors.ts';
import type { Child } from './child.ts';
import { type ChildExit, OVER_LIMIT } from './child-exit.ts';

/** ffmpeg read the input to its end, and more of the packets than it tolerates could not be decoded. */
const TOO_MANY_ERRORS = 69;
/** ffmpeg could not open its input: 1 up to release 6, later the code of "invalid data". */
const NOT_OPENED = [1, 183];

export const CUT_OFF = 'the file is cut off: it ends before its content does';
/** For videos, such as a recording whose computer crashed: a copy without encoding ends where the file does. */
export const CUT_OFF_VIDEO = `${CUT_OFF}; a copy of what is there can be read: ffmpeg -i FILE -c copy kept.mkv`;

/** The file is at fault. `what` it was, for requests of several files. */
export const unreadable = (reason: string, cause?: unknown, what = 'media'): Failure =>
  new Failure(
    'media_unreadable',
    { what, reason: causes[reason] ?? (reason || 'ffmpeg gave no reason') },
    { cause },
  );

/**
 * What is said of data that ffmpeg could not decode, by its first error: its own words name a fault of the codec, which only
 * those who know that understand. `what`: of the file, such as "its pictures".
 */
export const undecodable = (errorText: string, what: string): string => {
  const known = causes[errorText];
  if (known || errorText.startsWith(OVER_LIMIT)) return known ?? errorText;
  const words = errorText ? `ffmpeg says: ${errorText}` : 'ffmpeg gave no reason';
  return `${what} are damaged or of a kind that ffmpeg does not know (${words}); where a player shows or plays the file, export it anew, else get it again from its source`;
};

/** ffmpeg's words for a file whose transfer or recording broke off, or for one in which other bytes stand there. */
const causes: Readonly<Record<string, string>> = {
  'moov atom not found': `${CUT_OFF} (an MP4 or MOV without its index)`,
  'error reading header': 'its header is damaged or cut off',
  "no 'data' tag found": `${CUT_OFF} (a WAV without samples)`,
};

/** This service is at fault: the work is done again. */
export const decodeFailed = (reason: string, cause?: unknown): Failure =>
  new Failure('decode_failed', { reason }, { cause });

/** Throws decode_failed where a signal ended the child, for which the file is not at fault. */
const checkNotKilled = ({ killed, errorText }: ChildExit): void => {
  if (killed) throw decodeFailed(errorText);
};

/** How a child that read a caller's file ended. Throws the signal's reason where that stopped it, and as `checkNotKilled` does. */
export const endOf = async (
  child: Pick<Child, 'ended'>,
  { signal }: { readonly signal: AbortSignal },
): Promise<ChildExit> => {
  const exit = await child.ended();
  signal.throwIfAborted();
  checkNotKilled(exit);
  return exit;
};

/** Whether a decoder read the file to its end, however damaged that is. null: it was stopped by us. */
export const readToEnd = (exit: ChildExit | null): boolean =>
  exit === null || exit.exitCode === 0 || exit.exitCode === TOO_MANY_ERRORS;

/** Throws decode_failed unless the decoder read the file to its end, or gave no output because it could not open the file. */
export const checkDecoded = (exit: ChildExit, hasOutput: boolean): void => {
  const { exitCode, errorText } = exit;
  checkNotKilled(exit);
  if (readToEnd(exit)) return;
  if (!hasOutput && exitCode !== null && NOT_OPENED.includes(exitCode)) return;
  throw decodeFailed(errorText || `ffmpeg ended with exit code ${exitCode}`);
};
