/** How long the header of a Windows Media or Flash Video file says that it lasts, so that a missing end is noticed. */
import { openFileWindow } from '../file-window.ts';
import type { Container } from '../info.ts';

/** Both have their headers at the beginning. */
const HEAD_BYTES = 64 * 1024;

/** The length that the header states, in seconds; null where it states none, as in an MPEG stream. */
export const statedSeconds = async (path: string, container: Container): Promise<number | null> => {
  if (container !== 'asf' && container !== 'flv') return null;
  const file = await openFileWindow(path);
  try {
    const head = await file.read(0, Math.min(HEAD_BYTES, file.size));
    const stated = container === 'asf' ? secondsOfAsf(head) : secondsOfFlv(head);
    return stated !== null && Number.isFinite(stated) && stated > 0 ? stated : null;
  } finally {
    await file.close();
  }
};

const FILE_PROPERTIES = Buffer.from('a1dcab8c47a9cf118ee400c00c205365', 'hex');
const BROADCAST = 1;

/** "ASF Specification", 3.2: the play duration in 100 ns, which holds the preroll in ms; none while it is broadcast. */
const secondsOfAsf = (head: Buffer): number | null => {
  const at = head.indexOf(FILE_PROPERTIES);
  if (at < 0 || at + 92 > head.length || head.readUInt32LE(at + 88) & BROADCAST) return null;
  return Number(head.readBigUInt64LE(at + 64)) / 1e7 - Number(head.readBigUInt64LE(at + 80)) / 1e3;
};

const DURATION = Buffer.from('\0\x08duration\0', 'latin1');

/** The number of this name in the script data: AMF0 has the length of the name, the name, the type 0 and a double. */
const secondsOfFlv = (head: Buffer): number | null => {
  const at = head.indexOf(DURATION) + DURATION.length;
  return at < DURATION.length || at + 8 > head.length ? null : head.readDoubleBE(at);
};
