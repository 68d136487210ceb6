/** Memory that is used again and again, so that the collector has nothing to find and to free. */
export type Memory = {
  /** At least so many bytes. */
  take(bytes: number): Buffer;
  /** For who has finished with it. */
  give(memory: Buffer): void;
};

/** `room`: what is new is so many times larger than asked for, where the next may be a bit larger than the last. */
export const openMemory = (room = 1): Memory => {
  const free: Buffer[] = [];
  return {
    take: (bytes) => {
      const at = free.findIndex(({ length }) => length >= bytes);
      const [found] = at >= 0 ? free.splice(at, 1) : [];
      // All that is free is too small: one of them goes, so that it is never more than was in use at once.
      if (!found) free.pop();
      return found ?? Buffer.allocUnsafeSlow(Math.ceil(bytes * room));
    },
    give: (memory) => void free.push(memory),
  };
};
