/** Whether a WebM is whole, by the sizes that its elements state (RFC 8794): ffmpeg says so in a log message only. */
import { openFileWindow } from '../file-window.ts';

const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
/** An identifier of 4 bytes and a size of 8. */
const LONGEST_HEAD = 12;
/** As many as there may be packets: a file of tiny elements must not take minutes. */
const MOST_ELEMENTS = 1_000_000;

type Element = { readonly id: number; readonly start: number; readonly size: number | null };

/**
 * Whether an element that the file begins is not there to its end. A live recording states no size of its segment and
 * clusters: there the elements inside are looked at, one by one. What is no element at all is left to ffmpeg.
 */
export const endsEarly = async (path: string): Promise<boolean> => {
  const file = await openFileWindow(path);
  try {
    let at = 0;
    for (let count = 0; at < file.size && count < MOST_ELEMENTS; count += 1) {
      const head = await file.read(at, Math.min(LONGEST_HEAD, file.size - at));
      const element = elementAt(head, at);
      if (element === 'cut') return true;
      if (element === 'none') return false;
      const { id, start, size } = element;
      if (size !== null && start + size > file.size) return true;
      if (size === null && id !== SEGMENT && id !== CLUSTER) return false;
      at = size === null ? start : start + size;
    }
    return false;
  } finally {
    await file.close();
  }
};

/** Both numbers of a head state their length by their leading zero bits. */
const elementAt = (head: Buffer, at: number): Element | 'cut' | 'none' => {
  const idLength = Math.clz32(head[0] ?? 0) - 23;
  if (idLength > 4) return 'none';
  if (head.length <= idLength) return 'cut';
  const sizeLength = Math.clz32(head[idLength] ?? 0) - 23;
  if (sizeLength > 8) return 'none';
  const start = idLength + sizeLength;
  if (head.length < start) return 'cut';
  const [first = 0, ...rest] = head.subarray(idLength, start);
  const marker = 2 ** (8 - sizeLength);
  const size = rest.reduce((sum, byte) => sum * 256 + byte, first - marker);
  // All ones: not known.
  const isKnown = first !== 2 * marker - 1 || rest.some((byte) => byte !== 0xff);
  return { id: head.readUIntBE(0, idLength), start: at + start, size: isKnown ? size : null };
};
