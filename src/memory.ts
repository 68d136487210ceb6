/** Memory that is used again and again, so that the collector has nothing to find and to free. */
export type Memory = {
  /** At least so many bytes. */
  take(bytes: number): Buffer;
  /** For who has finished with it. */
  give(memory: Buffer): void;
};

export const openMemory = (): Memory => {
  const free: Buffer[] = [];
  return {
    take: (bytes) => {
      const last = free.pop();
      return last && last.length >= bytes ? last : Buffer.allocUnsafeSlow(bytes);
    },
    give: (memory) => void free.push(memory),
  };
};
