import { sharedInTurn } from '../../async/share.ts';
import type { JobStatus } from '../../contract/job.ts';
import { isOver, type JobRecord } from '../../jobs/record/record.ts';
import type { Context } from '../context.ts';
import type { Parts } from '../parts.ts';
import { type ShowParts, showJob } from './answer-job.ts';

type EventParts = ShowParts & Pick<Parts, 'signals' | 'draining'>;

type Look = { readonly status: JobStatus; readonly json: string };

/**
 * A function that gives the text of a job's event stream, up to its last event. Every event holds the whole job, so a
 * caller that reconnects gets its present state and needs none of the events in between.
 * Null for a caller whose Last-Event-ID is that of the last event. At least every `heartbeatMs` something is sent.
 */
export const createJobEvents = (heartbeatMs = 15_000) => {
  // A change wakes all streams of its job together: they share one reading of the record and one JSON text.
  const look = sharedInTurn(
    ({ id }: JobRecord, _: EventParts) => id,
    async ({ account, id }, parts): Promise<Look> => {
      const job = await parts.jobs.get(account, id);
      return { status: job.status, json: JSON.stringify(await showJob(job, parts)) };
    },
  );

  return (
    job: JobRecord,
    lastEventId: string,
    parts: EventParts,
    ctx: Context,
  ): AsyncGenerator<string> | null => {
    const seen = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 0;
    if (isFinal(seen) && isOver(job.status)) return null;
    return follow(() => look(job, parts), { id: job.id, seen, heartbeatMs }, parts, ctx);
  };
};

type From = { readonly id: string; readonly seen: number; readonly heartbeatMs: number };

async function* follow(
  look: () => Promise<Look>,
  { id, seen, heartbeatMs }: From,
  { signals, draining }: EventParts,
  { req, res, state }: Context,
) {
  let isChanged = true;
  let name = '';
  let wake = () => {};
  const note = () => {
    isChanged = true;
    wake();
  };
  const heartbeat = setTimeout(() => {
    // Nobody announces that a waiting job has moved up in the queue.
    if (name === 'job.queued') isChanged = true;
    wake();
  }, heartbeatMs);
  const unlisten = signals.listen(id, note);
  // The stream has no end to wait for: a caller that closes its side of the connection has hung up.
  const hangUp = () => res.destroy();
  state.onGone.push(note);
  req.socket.once('end', hangUp);
  draining.addEventListener('abort', note);
  let eventId = seen;
  try {
    while (!res.closed && !draining.aborted) {
      if (isChanged) {
        // Before the job is read, so that a change after the reading is not missed.
        isChanged = false;
        const { status, json } = await look();
        eventId = nextId(eventId, isOver(status));
        name = nameOf(status, name);
        yield `id: ${eventId}\nevent: ${name}\ndata: ${json}\n\n`;
        if (isOver(status)) return;
      } else yield ': still here\n\n';
      heartbeat.refresh();
      if (isChanged) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    clearTimeout(heartbeat);
    unlisten();
    req.socket.off('end', hangUp);
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

const nameOf = (status: JobStatus, before: string): string =>
  status === 'processing' && ['job.processing', 'job.progress'].includes(before)
    ? 'job.progress'
    : `job.${status}`;
