/** Memory that is used again and again, so that the collector has nothing to find and to free: a gigabyte a minute of video. */
export type Memory = {
  take(bytes: number): Buffer;
  /** Gives it back, once nobody reads it. Any part of it gives back the whole, as a frame does for others in the same block. */
  give(part: Buffer): void;
};

/** `room`: new memory is this many times larger than asked for, as the next request may be a bit larger. */
export const openMemory = (room = 1): Memory => {
  const free: ArrayBufferLike[] = [];
  return {
    take: (bytes) => {
      const at = free.findIndex(({ byteLength }) => byteLength >= bytes);
      const [found] = at >= 0 ? free.splice(at, 1) : [];
      // All that is free is too small: one of them goes, so that it is never more than was in use at once.
      if (!found) free.pop();
      // Not from Buffer's shared pool.
      const block = found ?? Buffer.allocUnsafeSlow(Math.ceil(bytes * room)).buffer;
      return Buffer.from(block, 0, bytes);
    },
    give: ({ buffer }) => void free.push(buffer),
  };
};
