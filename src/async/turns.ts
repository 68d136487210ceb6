import { Failure } from '../errors.ts';

type TurnLimits = {
  /** The most tasks that run at a time. */
  readonly atOnce: number;
  /** How many of these places only `quick` tasks get; 0 by default. */
  readonly kept?: number;
  /** The most tasks of one owner that may wait. */
  readonly waiting: number;
  /** The longest time that a task may wait. */
  readonly waitMs: number;
};

type Take = <T>(owner: string, signal: AbortSignal, task: () => Promise<T>) => Promise<T>;
export type Turns = {
  /**
   * Runs the task when it is its turn. Failure queue_full where too many tasks of the owner wait, or this one waited for
   * too long; draining where the signal is aborted while it waits.
   */
  readonly take: Take;
};

/**
 * Runs at most `atOnce` tasks at a time. Owners take turns (round robin), however many tasks each of them has waiting; the
 * tasks of one owner start in their order. Tasks of `quick` come before the others, every second time where both wait.
 */
export const openTurns = (limits: TurnLimits): Turns & { readonly quick: Turns } => {
  const usual = { queue: openQueue(), running: 0, places: limits.atOnce - (limits.kept ?? 0) };
  const quick = { queue: openQueue(), running: 0, places: limits.atOnce };
  let usualFirst = false;

  const hasPlace = (lane: typeof usual): boolean =>
    lane.running < lane.places && usual.running + quick.running < limits.atOnce;

  const startNext = (): void => {
    for (const lane of usualFirst ? [usual, quick] : [quick, usual]) {
      const next = hasPlace(lane) ? lane.queue.next() : undefined;
      if (!next) continue;
      usualFirst = lane === quick;
      lane.running += 1;
      next();
      return;
    }
  };

  const takeIn =
    (lane: typeof usual): Take =>
    async (owner, signal, task) => {
      if (signal.aborted) throw new Failure('draining');
      if (hasPlace(lane)) lane.running += 1;
      else await waitIn(lane.queue, { owner, signal }, limits);
      try {
        return await task();
      } finally {
        lane.running -= 1;
        startNext();
      }
    };
  return { take: takeIn(usual), quick: { take: takeIn(quick) } };
};

type Waiting = { readonly owner: string; readonly signal: AbortSignal };

/** Resolves when the task may start, and rejects when it waited for too long. */
const waitIn = (
  queue: ReturnType<typeof openQueue>,
  { owner, signal }: Waiting,
  { waiting, waitMs }: TurnLimits,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const refuse = (facts: object) => reject(new Failure('queue_full', { ...facts }));
    if (queue.lengthOf(owner) >= waiting) {
      return refuse({ what: 'requests that wait for their file to be probed', waiting });
    }
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    };
    const start = () => {
      settle();
      resolve();
    };
    const giveUp = () => {
      settle();
      queue.remove(owner, start);
      if (signal.aborted) reject(new Failure('draining'));
      else refuse({ waited_seconds: waitMs / 1000 });
    };
    const timer = setTimeout(giveUp, waitMs);
    signal.addEventListener('abort', giveUp);
    queue.add(owner, start);
  });

type Start = () => void;

/** A queue for each owner that has tasks waiting; the map's order is the order of the owners' turns. */
const openQueue = () => {
  const queues = new Map<string, Start[]>();
  return {
    lengthOf: (owner: string): number => queues.get(owner)?.length ?? 0,
    add: (owner: string, start: Start): void => {
      queues.set(owner, [...(queues.get(owner) ?? []), start]);
    },
    remove: (owner: string, start: Start): void => {
      const left = (queues.get(owner) ?? []).filter((other) => other !== start);
      if (left.length > 0) queues.set(owner, left);
      else queues.delete(owner);
    },
    /** Takes out the first task of the owner whose turn it is, and puts the owner last in turn. */
    next: (): Start | undefined => {
      const [entry] = queues;
      if (!entry) return undefined;
      const [owner, [first, ...rest]] = entry;
      queues.delete(owner);
      if (rest.length > 0) queues.set(owner, rest);
      return first;
    },
  };
};
