/**
 * `run`, done once for all calls with the same key within one turn of the event loop. None of them gets an answer that is
 * older than its call.
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
    setImmediate(() => running.delete(key));
    return begun;
  };
};
