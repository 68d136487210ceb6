/** Memory for patches, used again and again: what the collector would have to find and free otherwise, 200 MB for 300 frames. */
export type PatchMemory = {
  /** At least so many bytes. */
  take(bytes: number): Buffer;
  /** For who has finished with it. */
  give(memory: Buffer): void;
};

/** Patches of a clip differ in size as the face comes and goes: so much more is taken, that the next larger one fits too. */
const ROOM = 1.25;

export const openPatchMemory = (): PatchMemory => {
  const free: Buffer[] = [];
  return {
    take: (bytes) => {
      const last = free.pop();
      return last && last.length >= bytes ? last : Buffer.allocUnsafeSlow(Math.ceil(bytes * ROOM));
    },
    give: (memory) => void free.push(memory),
  };
};
