import { repeat } from '../../async/repeat.ts';
import type { Log } from '../../log.ts';
import type { Enhance } from '../../operations/enhance.ts';
import type { Files } from '../../storage/files.ts';
import type { LocalCopies } from '../../storage/local-copies.ts';
import type { Jobs } from '../record/jobs.ts';
import type { Signals } from '../record/signals.ts';
import type { ChunkList, Taken } from './chunk-list.ts';

type HelpParts = {
  readonly chunks: ChunkList;
  readonly jobs: Jobs;
  readonly signals: Signals;
  readonly files: Files;
  readonly enhance: Enhance;
  readonly log: Log;
};

type HelpTiming = {
  /** Between two looks whether there is a chunk to take. */
  readonly lookMs: number;
  /** Between two heartbeats. */
  readonly silenceMs: number;
  /** After a chunk that could not be done here: as when this worker's Triton is away. */
  readonly restMs: number;
};

type Leaving = {
  /** The worker takes nothing more. */
  readonly soon: AbortSignal;
  /** What still runs stops. */
  readonly now: AbortSignal;
};

/**
 * Does chunks of other workers' videos, one at a time, while `mayHelp` says that this worker has a free slot: with a free
 * slot no job waits that could use it. A job that comes meanwhile starts at once beside the chunk. Returns what ends it,
 * which resolves when the last chunk is done or given back.
 */
export const startHelping = (
  parts: HelpParts,
  timing: HelpTiming,
  mayHelp: () => boolean,
  leaving: Leaving,
) => {
  const copies = openCopies(parts.files);
  let restUntil = 0;
  const helpOn = async (): Promise<void> => {
    while (mayHelp() && !leaving.soon.aborted && performance.now() >= restUntil) {
      const taken = await parts.chunks.take();
      if (!taken) return;
      const helped = await help({ ...parts, copies }, timing, taken, leaving.now);
      if (!helped) restUntil = performance.now() + timing.restMs;
    }
  };
  const look = async (): Promise<void> => {
    try {
      await helpOn();
    } finally {
      await copies.drop();
    }
  };
  return repeat(timing.lookMs, look, parts.log);
};

type Input = ReturnType<LocalCopies['fetchInputs']>;
type Copies = ReturnType<typeof openCopies>;

/** Local copies of the job that was helped last: its next chunk needs the same. */
const openCopies = (files: Files) => {
  let last: { readonly id: string; readonly local: LocalCopies; readonly input: Input } | undefined;
  const drop = async (): Promise<void> => {
    const { local } = last ?? {};
    last = undefined;
    await local?.remove();
  };
  return {
    drop,
    of: async (id: string, signal: AbortSignal) => {
      if (last?.id !== id) {
        await drop();
        const local = files.localCopies(id);
        last = { id, local, input: local.fetchInputs(signal) };
      }
      return { input: await last.input, work: last.local.checkpoints };
    },
  };
};

/** Does a chunk, or gives it back. Whether this worker could do more. */
const help = async (
  parts: HelpParts & { readonly copies: Copies },
  timing: HelpTiming,
  taken: Taken,
  leaving: AbortSignal,
): Promise<boolean> => {
  const { chunks, copies, jobs, files, enhance } = parts;
  const { id, fence, chunk } = taken;
  const log = parts.log.child({ job_id: id, fence, chunk });
  const heart = startChunkHeart(parts, timing, taken);
  const stop = AbortSignal.any([heart.lost, leaving]);
  try {
    const job = await jobs.find(id);
    if (!job || job.unreadable !== null) throw new Error('its job cannot be read');
    await files.space.demand();
    log.info({ request_id: job.request_id, model: job.model }, 'chunk of another worker starts');
    const places = await copies.of(id, stop);
    await enhance.help(job, places, { chunk, onFrames: heart.onFrames }, stop);
    await chunks.end(taken, 'done', heart.frames());
    log.info('chunk of another worker done');
    return true;
  } catch (error) {
    await copies.drop();
    if (!stop.aborted) log.warn({ err: error }, 'a chunk is left to the worker that has the job');
    await chunks.end(taken, stop.aborted ? 'free' : 'left', 0);
    return stop.aborted;
  } finally {
    heart.stop();
    // The job may have ended, and its files been removed, while this wrote another one.
    if (!(await jobs.isUnfinished(id))) await files.removeJob(id);
  }
};

/** Keeps the lease of a chunk; `lost` aborts when nobody wants the chunk from this worker any more. */
const startChunkHeart = (
  { chunks, signals, log }: HelpParts,
  { silenceMs }: HelpTiming,
  taken: Taken,
) => {
  const lost = new AbortController();
  let frames = 0;
  const stop = () => lost.abort(new Error('The chunk is not wanted from this worker any more'));
  const beat = async () => {
    if ((await chunks.beat(taken, frames)) === 'stop') stop();
  };
  const stopBeating = repeat(silenceMs, beat, log);
  const unlisten = signals.listen(taken.id, (event) => {
    if (event !== 'progress' && event !== 'unsure') stop();
  });
  return {
    lost: lost.signal,
    onFrames: (done: number): void => {
      frames = done;
    },
    frames: () => frames,
    stop: (): void => {
      unlisten();
      void stopBeating();
    },
  };
};
