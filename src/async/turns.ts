import { Failure } from '../errors.ts';

type Bounds = {
  readonly atOnce: number;
  /** Of one owner. */
  readonly waiting: number;
  readonly waitMs: number;
};

export type Turns = ReturnType<typeof openTurns>;

/** Lets so many works run at a time. Owners take turns, whoever has the more works waiting; each owner's own wait in order. */
export const openTurns = ({ atOnce, waiting, waitMs }: Bounds) => {
  const queues = new Map<string, (() => void)[]>();
  let running = 0;

  const startNext = (): void => {
    const [next] = queues;
    if (!next) {
      running -= 1;
      return;
    }
    const [owner, queue] = next;
    const start = queue.shift();
    queues.delete(owner);
    // Behind all others.
    if (queue.length > 0) queues.set(owner, queue);
    start?.();
  };

  const leave = (owner: string, start: () => void): void => {
    const left = (queues.get(owner) ?? []).filter((other) => other !== start);
    if (left.length > 0) queues.set(owner, left);
    else queues.delete(owner);
  };

  /** Resolves when it is this work's turn, and rejects when that does not come. */
  const wait = (owner: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(owner) ?? [];
      const fail = (facts: object) => reject(new Failure('queue_full', { ...facts }));
      if (queue.length >= waiting) return fail({ what: 'requests with a file to check', waiting });
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', give);
      };
      const start = () => {
        end();
        resolve();
      };
      const give = () => {
        end();
        leave(owner, start);
        if (signal.aborted) reject(new Failure('draining'));
        else fail({ waited_seconds: waitMs / 1000 });
      };
      const timer = setTimeout(give, waitMs);
      signal.addEventListener('abort', give);
      queue.push(start);
      queues.set(owner, queue);
    });

  return {
    /**
     * Runs the work when it is its turn. Failure queue_full where too many of the owner wait, or the turn does not come in
     * time; draining where the signal is aborted while it waits.
     */
    take: async <T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
      if (signal.aborted) throw new Failure('draining');
      if (running < atOnce) running += 1;
      else await wait(owner, signal);
      try {
        return await work();
      } finally {
        startNext();
      }
    },
  };
};
