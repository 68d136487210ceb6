type Shared = <Args extends readonly unknown[], T>(
  keyOf: (...args: Args) => string,
  run: (...args: Args) => Promise<T>,
) => (...args: Args) => Promise<T>;

/** `run`, done once for all calls with the same key until `then` calls back. */
const sharedUntil =
  (then: (end: () => void) => void): Shared =>
  (keyOf, run) => {
    const running = new Map<string, ReturnType<typeof run>>();
    return (...args) => {
      const key = keyOf(...args);
      const shared = running.get(key);
      if (shared) return shared;
      const begun = run(...args);
      running.set(key, begun);
      then(() => running.delete(key));
      return begun;
    };
  };

/**
 * `run`, done once for all calls with the same key that are made before the event loop comes to its next callback, as by
 * all who wait for the same message. No answer is older than its call: what a call can know came in before the first one.
 */
// Called when all microtasks are done. An immediate would come too late: replies of Redis may be read before it.
export const sharedInTurn = sharedUntil((end) => process.nextTick(end));

/**
 * The same for all calls of one round of the event loop, as by requests that arrive together. Only for a `run` that begins
 * with a command to Redis: `redis.ts` sends the commands of a round when its callbacks are done, so here too no answer is
 * older than its call.
 */
export const sharedInRound = sharedUntil((end) => void setImmediate(end));
