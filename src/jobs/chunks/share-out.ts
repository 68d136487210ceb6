import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../../async/repeat.ts';
import type { Log } from '../../log.ts';
import { alone, type Share } from '../../operations/sharing.ts';
import type { JobRecord } from '../record/record.ts';
import type { ChunkList } from './chunk-list.ts';

type Owner = {
  readonly chunks: ChunkList;
  readonly log: Log;
  /** How often to look what the helpers have done. */
  readonly lookMs: number;
  readonly signal: AbortSignal;
};

/**
 * Has the chunks of a job done by its attempt, from the first one on, while workers that have nothing else to do take the
 * last ones. What they do not finish comes back to the attempt, so it ends without them too.
 */
export const shareOut =
  ({ chunks, log, lookMs, signal }: Owner, { id, fence }: JobRecord): Share =>
  async (work) => {
    if (work.missing.length < 2) return alone(work);
    if ((await chunks.share(id, fence, work.missing)) === 'lost') throw lostJob(id);
    const { ofOwn, ofOthers, endChunk } = createTally(work.onFrames);
    const stopLooking = repeat(lookMs, async () => ofOthers(await chunks.framesOfOthers(id)), log);
    try {
      for (;;) {
        signal.throwIfAborted();
        const next = await chunks.next(id, fence);
        if (next === 'done') return;
        if (next === 'lost') throw lostJob(id);
        if (next === 'wait') {
          await sleep(lookMs, undefined, { signal });
          continue;
        }
        await work.make(next, ofOwn);
        await chunks.end({ id, fence, chunk: next }, 'done', endChunk());
        log.info({ chunk: next }, 'chunk done');
      }
    } finally {
      await stopLooking();
    }
  };

const lostJob = (id: string): Error => new Error(`${id} belongs to another attempt by now`);

/** The frames that all have done. The sum never falls, though a helper that is lost takes its frames along. */
const createTally = (onFrames: (framesDone: number) => void) => {
  let [finished, current, others, told] = [0, 0, 0, 0];
  const tell = () => {
    told = Math.max(told, finished + current + others);
    onFrames(told);
  };
  return {
    ofOwn: (frames: number): void => {
      current = frames;
      tell();
    },
    ofOthers: (frames: number): void => {
      others = frames;
      tell();
    },
    /** Returns how many frames the chunk had. */
    endChunk: (): number => {
      const frames = current;
      finished += frames;
      current = 0;
      return frames;
    },
  };
};
