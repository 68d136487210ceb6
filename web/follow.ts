/** A job as it goes on: by its event stream, and where that breaks off by asking again and again. */
import type { Job } from '../src/contract/job.ts';
import { call, Offline, own } from './api.ts';

const POLL_MS = 1_500;

type Following = {
  readonly onJob: (job: Job) => void;
  /** Whether the service can be reached at the moment. */
  readonly onLine: (isOnline: boolean) => void;
  readonly signal: AbortSignal;
};

export const isOver = ({ finished_at }: Job): boolean => finished_at !== null;

/** Resolves at the end of the job, or when the signal ends it. */
export const follow = async (job: Job, following: Following): Promise<void> => {
  following.onJob(job);
  if (isOver(job)) return;
  const ended = await listen(job, following);
  if (!ended && !following.signal.aborted) await poll(job.id, following);
};

const names = ['queued', 'processing', 'progress', 'succeeded', 'failed', 'canceled'];

/** Whether the stream told the end. */
const listen = ({ urls }: Job, { onJob, onLine, signal }: Following): Promise<boolean> =>
  new Promise((resolve) => {
    const source = new EventSource(own(urls.events));
    const end = (told: boolean): void => {
      source.close();
      resolve(told);
    };
    for (const name of names)
      source.addEventListener(`job.${name}`, ({ data }) => {
        const job: Job = JSON.parse(data);
        onLine(true);
        onJob(job);
        if (isOver(job)) end(true);
      });
    // The browser would try again by itself, but says nothing of why it fails; asking does.
    source.addEventListener('error', () => end(false));
    signal.addEventListener('abort', () => end(false), { once: true });
  });

const poll = async (id: string, { onJob, onLine, signal }: Following): Promise<void> => {
  while (!signal.aborted) {
    try {
      const job = await call<Job>(`v1/jobs/${id}`, { signal });
      onLine(true);
      onJob(job);
      if (isOver(job)) return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Offline)) throw error;
      onLine(false);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
};
