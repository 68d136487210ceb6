/**
 * The results of works that run at the same time under one signal. When one fails the others are told to stop and
 * awaited, so that no work outlives the call; then the first failure is thrown.
 */
export const together = async <A, B>(
  signal: AbortSignal,
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
): Promise<[A, B]> => {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let failed: { readonly error: unknown } | undefined;
  const watch = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    try {
      return await work(either);
    } catch (error) {
      failed ??= { error };
      stop.abort(error);
      throw error;
    }
  };
  const works = [watch(first), watch(second)] as const;
  await Promise.allSettled(works);
  if (failed) throw failed.error;
  return Promise.all(works);
};
