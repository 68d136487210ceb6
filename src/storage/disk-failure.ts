import { Failure } from '../errors.ts';

/** What a system call says when there is no room, of the disk or of the owner's share of it. */
const noRoom = ['ENOSPC', 'EDQUOT'];
/** libvips and ffmpeg say it in words only. */
const noRoomText = /No space left on device|Disk quota exceeded/;
/** What else a disk refuses with. Not ENOENT, which is most often the caller's fault. */
const refusals = ['EIO', 'EROFS', 'EFBIG', 'EMFILE', 'ENFILE', 'EACCES', 'EPERM'];
const fileCalls =
  /^(open|write|f?sync|fdatasync|rename|link|mkdir|mkdtemp|ftruncate|f?utimes?|f?stat)/;

/**
 * The Failure of an error that is the disk's, however deep it lies in the chain of causes; null for any other error.
 * It names no path. storage_full: there is no room; storage_failed: anything else.
 */
export const diskFailure = (error: unknown): Failure | null => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Failure && cause.code.startsWith('storage_')) return cause;
    // It quotes the caller, whose words may be those of a disk.
    if (cause instanceof Failure && cause.status < 500) return null;
    const code = 'code' in cause ? String(cause.code) : '';
    const call = 'syscall' in cause ? String(cause.syscall) : '';
    if (noRoom.includes(code) || noRoomText.test(cause.message)) {
      return new Failure('storage_full', {}, { cause: error });
    }
    if (refusals.includes(code) && fileCalls.test(call)) {
      return new Failure('storage_failed', { reason: code }, { cause: error });
    }
  }
  return null;
};
