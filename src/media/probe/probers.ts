import { type Confines, type Prober, type Probes, startProber } from './prober.ts';

export type Probers = {
  /** Runs the work with the probes of a process that no other work uses at the same time. */
  lend<T>(work: (probes: Probes) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/**
 * Processes that probe files, as many as works run at a time. Starting an ffprobe holds up the process that starts it
 * until the kernel has copied its page tables and run the program, and so does reading a million packets. The API has to
 * answer others meanwhile.
 */
export const openProbers = (confines: Confines): Probers => {
  const all = new Set<Prober>();
  const free: Prober[] = [];

  const take = (): Prober => {
    for (let prober = free.pop(); prober; prober = free.pop()) {
      if (prober.alive()) return prober;
      all.delete(prober);
    }
    const prober = startProber(confines);
    all.add(prober);
    return prober;
  };

  return {
    lend: async (work) => {
      const prober = take();
      try {
        return await work(prober.probes);
      } finally {
        free.push(prober);
      }
    },
    close: async () => void (await Promise.all([...all].map((prober) => prober.close()))),
  };
};
