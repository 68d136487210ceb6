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
      const at = free.findIndex(({ length }) => length >= bytes);
      return (at >= 0 && free.splice(at, 1)[0]) || Buffer.allocUnsafeSlow(bytes);
    },
    give: (memory) => void free.push(memory),
  };
};
