/** The items in arrays of `most`, in order; the last array has the rest. */
export async function* inBatches<T>(
  items: AsyncIterable<T>,
  most: number,
): AsyncGenerator<T[], void, undefined> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < most) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
