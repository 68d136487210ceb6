/** How long the header of a sound says that it lasts, so that a missing end is noticed. */
import { openFileWindow } from '../file-window.ts';
import type { Container } from '../info.ts';
import type { Streams } from './streams.ts';

/** An MP3 states whole frames, with the silence that its encoder adds: up to 0.3 s of a low rate. */
const PADDING_SECONDS = 0.5;
/** A larger size is what programs write that do not know how much is to come. */
const MOST_BYTES = 2 ** 31 - 2 ** 20;
/** Their header's length is what ffmpeg tells, however much of the file there is. */
const STATING: readonly Container[] = ['mp3', 'flac', 'au', 'wv'];
/** A real WAV has a handful. */
const MOST_CHUNKS = 1000;

/**
 * What the header states, where that is more than could be decoded; else null, and where it states nothing: an MP3 without
 * the frame of Xing or LAME, AAC, OGG, and whatever was written into a pipe.
 */
export const missedLength = async (
  path: string,
  { container, header, decoded }: { container: Container; header: Streams; decoded: number },
): Promise<number | null> => {
  const stated =
    container === 'wav' ? await secondsOfWav(path) : secondsOfStream(container, header);
  return stated !== null && stated > decoded + PADDING_SECONDS ? stated : null;
};

const secondsOfStream = (container: Container, { soundSeconds }: Streams): number | null =>
  STATING.includes(container) ? soundSeconds : null;

/** The length that the chunks "fmt " and "data" state; ffmpeg does not report it for a file that is shorter. */
const secondsOfWav = async (path: string): Promise<number | null> => {
  const file = await openFileWindow(path);
  try {
    let bytesPerSecond = 0;
    let at = 12;
    for (let count = 0; at + 8 <= file.size && count < MOST_CHUNKS; count += 1) {
      const head = await file.read(at, Math.min(20, file.size - at));
      const [name, size] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)];
      if (name === 'fmt ' && head.length === 20) bytesPerSecond = head.readUInt32LE(16);
      if (name === 'data') {
        return bytesPerSecond > 0 && size < MOST_BYTES ? size / bytesPerSecond : null;
      }
      at += 8 + size + (size % 2);
    }
    return null;
  } finally {
    await file.close();
  }
};
