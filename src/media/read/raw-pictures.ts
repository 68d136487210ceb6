import { decodeFailed } from '../outcome.ts';
import type { Pipe } from '../pipe.ts';

/** Where the pixels of frames are put. */
export type FrameMemory = {
  /** So many frames lie one behind the other in one piece of memory. */
  readonly framesPerBlock: number;
  /** Blocks to use again. Who has finished with one pushes it here: this saves the garbage collector 1 GB per minute. */
  readonly spare: ArrayBufferLike[];
};

/** A decoder that writes nothing for this long, while a picture is asked for, has stalled. */
const STALL_MS = 120_000;
const STALLED = `the decoder gave nothing for ${STALL_MS / 1000} s`;

/** The raw pictures in a decoder's output, `bytes` each; a shorter rest is dropped. Throws decode_failed after 120 s without any. */
export async function* picturesIn(
  pipe: Pipe,
  bytes: number,
  memory: FrameMemory,
): AsyncGenerator<Buffer> {
  const next = placesIn(memory, bytes);
  const watch = () => setTimeout(() => pipe.destroy(decodeFailed(STALLED)), STALL_MS);
  let timer = watch();
  let picture: Buffer | null = null;
  let filled = 0;
  try {
    for await (const chunk of pipe.chunks) {
      timer.refresh();
      for (let at = 0; at < chunk.length; ) {
        picture ??= next();
        const copied: number = chunk.copy(picture, filled, at);
        at += copied;
        filled += copied;
        if (filled < bytes) continue;
        clearTimeout(timer);
        yield picture;
        timer = watch();
        [picture, filled] = [null, 0];
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The next place for a picture: blocks are filled one after the other. */
const placesIn = ({ framesPerBlock, spare }: FrameMemory, bytes: number): (() => Buffer) => {
  let at = framesPerBlock;
  let block: ArrayBufferLike = new ArrayBuffer(0);
  return () => {
    if (at === framesPerBlock) {
      block = spare.pop() ?? Buffer.allocUnsafeSlow(framesPerBlock * bytes).buffer;
      at = 0;
    }
    at += 1;
    return Buffer.from(block, (at - 1) * bytes, bytes);
  };
};
