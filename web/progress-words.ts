/** What a job that goes on is told as. Pure. */
import type { Job } from '../client/contract.ts';
import { etaText, labelOf } from './words.ts';

type Told = Pick<Job, 'kind' | 'status' | 'progress' | 'queue_position' | 'queue_eta_seconds'> & {
  readonly input: { readonly kind: string };
};

export const stageOf = (job: Told): string => {
  if (job.status === 'queued') return waiting(job);
  const stage = job.progress?.stage ?? job.status;
  return stage === 'decoding' ? readingOf(job) : (stages[stage] ?? labelOf(stage));
};

const waiting = ({ queue_position }: Told): string =>
  queue_position === null || queue_position === 1
    ? 'Waiting to start'
    : `Waiting: number ${queue_position} in the queue`;

const startOf = ({ queue_eta_seconds }: Told): string =>
  queue_eta_seconds === null ? '' : `starts in ${etaText(queue_eta_seconds)}`;

export const detailOf = (job: Told): string => {
  if (!job.progress) return startOf(job);
  const { percent, frames_done, frames_total, eta_seconds } = job.progress;
  // A picture is enlarged in bands, which the API counts as frames.
  const unit = job.kind === 'upscale' && job.input.kind === 'image' ? 'part' : 'frame';
  return [
    percent > 0 && `${Math.round(percent)} %`,
    frames_total !== null && frames_total > 1 ? `${unit} ${frames_done} of ${frames_total}` : '',
    eta_seconds !== null ? `${etaText(eta_seconds)} left` : '',
  ]
    .filter(Boolean)
    .join(' · ');
};

/** In lip sync the frames are read to find the faces in them. */
const readingOf = ({ kind }: Told): string =>
  kind === 'lipsync' ? 'Finding the faces' : 'Reading the picture';

const stages: Readonly<Record<string, string>> = {
  fetching: 'Fetching the files',
  probing: 'Looking at the files',
  inference: 'Computing',
  encoding: 'Writing the result',
  storing: 'Storing the result',
};
