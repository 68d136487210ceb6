/**
 * Results of `work` in the order of the source, with at most `width` in flight.
 * Nothing is pulled from the source before it is asked for, so a slow consumer holds the source back.
 * When one fails, the rest is awaited before the failure is thrown: no work outlives the call.
 */
export async function* inOrder<In, Out>(
  source: AsyncIterable<In> | Iterable<In>,
  width: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out, void, undefined> {
  const running: Promise<Out>[] = [];
  try {
    for await (const item of source) {
      const result = work(item);
      // Its turn to be awaited comes later; until then a rejection must not count as unhandled.
      result.catch(() => undefined);
      running.push(result);
      if (running.length >= width) yield await next(running);
    }
    while (running.length > 0) yield await next(running);
  } finally {
    await Promise.allSettled(running);
  }
}

const next = async <Out>(running: Promise<Out>[]): Promise<Out> => {
  const [first] = running;
  if (first === undefined) throw new Error('nothing is running');
  try {
    return await first;
  } finally {
    void running.shift();
  }
};
