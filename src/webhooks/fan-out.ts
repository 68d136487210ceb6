/** Makes the deliveries of a job's event: one for each receiver and each request that shares the job. */
import { createHash } from 'node:crypto';
import type { EventType, Metadata } from '../contract/webhooks.ts';
import { Failure } from '../errors.ts';
import type { Jobs } from '../jobs/record/jobs.ts';
import { presentJob, type Shown } from '../jobs/record/present.ts';
import { isOver, type JobRecord } from '../jobs/record/record.ts';
import { bodyOf, idAt, type Message } from './delivery.ts';
import type { Endpoint } from './endpoint.ts';
import type { OutboxEvent } from './outbox.ts';

export type FanOutParts = {
  readonly jobs: Pick<Jobs, 'find'>;
  readonly endpoints: { find(id: string): Promise<Endpoint | null> };
  readonly shown: Omit<Shown, 'place'>;
};

type Receiver = {
  /** Unique among all receivers of the event, and the same at each look-up, as an endpoint may be gone the next time. */
  readonly key: string;
  /** '' for a request's own URL. */
  readonly endpoint: string;
  readonly url: string;
  readonly metadata: Metadata;
};

/**
 * The messages of an event. The same event always makes the same ids, so making them twice is making them once. None for
 * progress of a job that does not run any more; null where the job's record is gone or cannot be read.
 */
export const messagesOf = async (
  entryId: string,
  event: OutboxEvent,
  parts: FanOutParts,
): Promise<Message[] | null> => {
  const found = await findReadable(event.job, parts.jobs);
  if (!found) return null;
  const job = asOf(event.type, found);
  if (!job) return [];
  return (await receiversOf(event, job, parts)).map((receiver) => ({
    id: `${idAt(event.at)}${digest(`${entryId} ${receiver.key}`)}`,
    account: job.account,
    type: event.type,
    job: job.id,
    endpoint: receiver.endpoint,
    url: receiver.url,
    created_at: event.at,
    body: bodyOf(event.type, event.at, {
      ...presentJob(job, { ...parts.shown, place: null }),
      metadata: receiver.metadata,
    }),
  }));
};

/** Null when it is gone, or has no id and account. */
const findReadable = async (id: string, jobs: FanOutParts['jobs']): Promise<JobRecord | null> => {
  try {
    return await jobs.find(id);
  } catch (error) {
    if (error instanceof Failure && error.code === 'record_unreadable') return null;
    throw error;
  }
};

/** The job as it was when that happened, as it may have gone on; null where that is of no use any more. */
const asOf = (type: EventType, job: JobRecord): JobRecord | null => {
  if (type === 'job.progress') return job.status === 'processing' ? job : null;
  if (type !== 'job.processing') return job;
  const begun = { ...job, status: 'processing' as const, progress: null, error: null };
  return isOver(job.status)
    ? { ...begun, finished_at: null, expires_at: null, outcome: null, charged: 0 }
    : begun;
};

/**
 * Each request's own URL, and the endpoints: once for the request that made the job, and once more for each different
 * metadata of a request that joined it, as its caller knows the event by that.
 */
const receiversOf = async (
  { type, endpoints, callbacks }: OutboxEvent,
  job: JobRecord,
  parts: FanOutParts,
): Promise<Receiver[]> => {
  const own = callbacks.flatMap(({ url, events, metadata }, at) =>
    url !== null && events.includes(type)
      ? [{ key: `request ${at}`, endpoint: '', url, metadata }]
      : [],
  );
  const all = [job.metadata, ...callbacks.map(({ metadata }) => metadata)];
  const different = [...new Map(all.map((metadata) => [textOf(metadata), metadata])).values()];
  const told = different.filter(
    (metadata) => metadata === different[0] || Object.keys(metadata).length > 0,
  );
  const registered = await Promise.all(
    endpoints.map(async (id) => {
      const endpoint = await parts.endpoints.find(id);
      if (!endpoint) return [];
      const { url } = endpoint;
      return told.map((metadata, at) => ({ key: `${id} ${at}`, endpoint: id, url, metadata }));
    }),
  );
  return [...own, ...registered.flat()];
};

/** The same for the same metadata in whatever order. */
const textOf = (metadata: Metadata): string => JSON.stringify(Object.entries(metadata).sort());

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 24);
