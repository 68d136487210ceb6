import { once } from 'node:events';
import { startWorker } from '../../src/jobs/run/worker.ts';
import { enhanceBy, pictureOf } from '../jobs/rig.ts';
import type { realApi } from './api.ts';

type Parts = Awaited<ReturnType<typeof realApi>>['parts'];

/** A worker whose jobs end as `write` does, at once or when the test says. The real work is tests/walk's. */
export const scriptedWorker = async (parts: Parts, write: (target: string) => Promise<unknown>) => {
  let work = async (): Promise<void> => {};
  const worker = await startWorker({
    ...parts,
    enhance: enhanceBy(async (_, { target }) => {
      await work();
      await write(target);
      return pictureOf(8);
    }),
  });
  return {
    /** What the next jobs do before they write; nothing, unless it is given. */
    does: (next = async (): Promise<void> => {}) => {
      work = next;
    },
    /** Holds the work of the next jobs until the returned function is called. */
    held: (): (() => void) => {
      const gate = new AbortController();
      work = async () => void (gate.signal.aborted || (await once(gate.signal, 'abort')));
      return () => gate.abort();
    },
    close: () => worker.close(),
  };
};
