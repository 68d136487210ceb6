import type { Memory } from '../../memory.ts';
import { decodeFailed } from '../outcome.ts';
import type { Pipe } from '../pipe.ts';

/** Where the pixels of frames are put. */
export type FrameMemory = {
  /** How many frames share one piece of memory, one behind the other. Absent: each has its own. */
  readonly framesPerBlock?: number;
  /** Gets what the receivers of frames have finished with. */
  readonly blocks: Memory;
};

/** A decoder that gives no picture for this long, while one is asked for, has stalled. */
const STALL_MS = 120_000;
const STALLED = `the decoder gave nothing for ${STALL_MS / 1000} s`;

/** The pictures that fill a decoder's pipe. Throws decode_failed after 120 s without any. */
export async function* picturesIn(pipe: Pipe): AsyncGenerator<Buffer> {
  const watch = () => setTimeout(() => pipe.destroy(decodeFailed(STALLED)), STALL_MS);
  let timer = watch();
  try {
    for await (const picture of pipe.filled) {
      clearTimeout(timer);
      yield picture;
      timer = watch();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The next place for a picture of `bytes` bytes: blocks are filled one after the other. */
export const placesIn = (
  { framesPerBlock = 1, blocks }: FrameMemory,
  bytes: number,
): (() => Buffer) => {
  let at = framesPerBlock;
  let block: Buffer = Buffer.alloc(0);
  return () => {
    if (at === framesPerBlock) {
      block = blocks.take(framesPerBlock * bytes);
      at = 0;
    }
    at += 1;
    return block.subarray((at - 1) * bytes, at * bytes);
  };
};
