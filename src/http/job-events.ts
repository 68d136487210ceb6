import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isOver, type JobRecord } from '../jobs/record/record.ts';
import { showJob } from './answer-job.ts';
import type { Parts } from './parts.ts';

const heartbeatMs = 15_000;

/**
 * The text of a job's event stream, up to its last event. Every event holds the whole job, so a caller that
 * reconnects gets its present state and needs none of the events in between.
 * Null for a caller whose Last-Event-ID is that of the last event.
 */
export const jobEvents = (
  job: JobRecord,
  lastEventId: string,
  parts: Parts,
  res: ServerResponse,
): AsyncGenerator<string> | null => {
  const seen = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 0;
  return isFinal(seen) && isOver(job.status) ? null : follow(job, seen, parts, res);
};

async function* follow(
  { account, id }: JobRecord,
  seen: number,
  parts: Parts,
  res: ServerResponse,
) {
  const { jobs, signals, draining } = parts;
  let change = new AbortController();
  const note = () => change.abort();
  const unlisten = signals.listen(id, note);
  // The stream has no end to wait for: a caller that closes its side of the connection has hung up.
  const hangUp = () => res.destroy();
  res.once('close', note);
  res.req.socket.once('end', hangUp);
  draining.addEventListener('abort', note);
  let eventId = seen;
  let name = '';
  try {
    while (!res.closed && !draining.aborted) {
      // Made before the job is read, so that a change after the reading is not missed.
      change = new AbortController();
      const job = await jobs.get(account, id);
      const over = isOver(job.status);
      eventId = nextId(eventId, over);
      name = nameOf(job, name);
      yield `id: ${eventId}\nevent: ${name}\ndata: ${JSON.stringify(await showJob(job, parts))}\n\n`;
      if (over) return;
      while (await isQuiet(change.signal)) yield ': still here\n\n';
    }
  } finally {
    unlisten();
    res.off('close', note);
    res.req.socket.off('end', hangUp);
    draining.removeEventListener('abort', note);
  }
}

/**
 * Twice the time in ms, or more, so that ids always increase; the last event of a job has an odd id, all others even
 * ones.
 */
const nextId = (before: number, final: boolean): number =>
  2 * Math.max(Date.now(), Math.floor(before / 2) + 1) + (final ? 1 : 0);
const isFinal = (id: number): boolean => id % 2 === 1;

const nameOf = ({ status }: JobRecord, before: string): string =>
  status === 'processing' && ['job.processing', 'job.progress'].includes(before)
    ? 'job.progress'
    : `job.${status}`;

/** Whether 15 s (`heartbeatMs`) passed without a change. */
const isQuiet = async (change: AbortSignal): Promise<boolean> => {
  try {
    return await sleep(heartbeatMs, true, { signal: change });
  } catch {
    return false;
  }
};
