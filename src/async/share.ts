/**
 * `run`, done once for all calls with the same key that are made before the event loop comes to its next callback, as by
 * all who wait for the same message. No answer is older than its call: what a call can know came in before the first one.
 */
export const sharedInTurn = <Args extends readonly unknown[], T>(
  keyOf: (...args: Args) => string,
  run: (...args: Args) => Promise<T>,
): ((...args: Args) => Promise<T>) => {
  const running = new Map<string, Promise<T>>();
  return (...args) => {
    const key = keyOf(...args);
    const shared = running.get(key);
    if (shared) return shared;
    const begun = run(...args);
    running.set(key, begun);
    // Called when all microtasks are done. An immediate would come too late: replies of Redis may be read before it.
    process.nextTick(() => running.delete(key));
    return begun;
  };
};
