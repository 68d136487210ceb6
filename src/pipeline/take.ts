import { Failure } from '../errors.ts';

/** The first so many items; the source is told when they were all taken. */
export async function* take<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count;
  for await (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

/** Decoders may give a picture or two more than there are packets. */
const SPARE_PICTURES = 2;

/** The pictures of a video that was said to have so many. Throws media_unreadable when more of them come. */
export async function* counted<T>(pictures: AsyncIterable<T>, said: number): AsyncGenerator<T> {
  let came = 0;
  for await (const picture of pictures) {
    came += 1;
    if (came > said + SPARE_PICTURES) {
      const reason = `it holds more pictures than its packets say, which are ${said}`;
      throw new Failure('media_unreadable', { what: 'video', reason });
    }
    yield picture;
  }
}
