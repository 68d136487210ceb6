/** How a job is shown to its account. Pure. */
import type { Job, JobResult, Warning } from '../../contract/job.ts';
import { Failure } from '../../errors.ts';
import { type Operation, operationOf, releaseForRequest } from '../../operations/operation.ts';
import { problemOf } from '../../problem.ts';
import type { SignedLink } from '../../storage/links.ts';
import type { Place } from './jobs.ts';
import { isOver, type JobError, type JobRecord } from './record.ts';

/** What a job's picture needs besides its record. */
export type Shown = {
  readonly operations: readonly Operation[];
  readonly publicUrl: string;
  /** Null when the job does not wait. */
  readonly place: Place | null;
  readonly link: SignedLink;
};

export const presentJob = (job: JobRecord, shown: Shown): Job => {
  const self = `${shown.publicUrl}/v1/jobs/${job.id}`;
  return {
    id: job.id,
    object: 'job' as const,
    kind: job.kind,
    status: job.status,
    created_at: iso(job.created_at),
    started_at: isoOrNull(job.started_at),
    finished_at: isoOrNull(job.finished_at),
    expires_at: isoOrNull(job.expires_at),
    queue_position: shown.place?.position ?? null,
    queue_eta_seconds: shown.place?.etaSeconds ?? null,
    progress: job.progress,
    model: job.model,
    model_version: job.model_version,
    release: releaseForRequest(job.release, job.model),
    canary: job.canary,
    cost: {
      estimated: job.estimated,
      held: isOver(job.status) ? 0 : job.held,
      charged: job.charged,
    },
    error: job.error && problemOf(failureOf(job.error), whereOf(job)),
    urls: urlsOf(job, self, shown),
    metadata: job.metadata,
    input: job.input,
    options: shownOptions(job, shown),
    result: presentResult(job, shown),
  };
};

const urlsOf = ({ id, expires_at }: JobRecord, self: string, { link }: Shown) => ({
  get: self,
  cancel: `${self}/cancel`,
  events: link('events', id, null),
  result: link('result', id, expires_at),
});

const shownOptions = (job: JobRecord, { operations }: Pick<Shown, 'operations'>) =>
  job.unreadable === null
    ? (operationOf(operations, job.kind).showOptions?.(job.options) ?? job.options)
    : job.options;

/** The answer of POST; null until the job succeeded and after its media was erased. */
export const presentResult = (
  job: JobRecord,
  { operations, link }: Pick<Shown, 'operations' | 'link'>,
): JobResult | null => {
  if (job.unreadable !== null || job.outcome === null || job.expires_at === null || job.erased)
    return null;
  const { file: _, warnings, ...outcome } = job.outcome;
  const { model_version = job.model_version, release = job.release, ...measured } = outcome;
  const { provenance = null } = outcome;
  const { fields, warnings: told = [] } = operationOf(operations, job.kind).tell?.(job) ?? {};
  return {
    status: 'success',
    id: job.id,
    output_url: link('result', job.id, job.expires_at),
    input_size: job.input.size,
    model_used: job.model,
    model_version,
    release: releaseForRequest(release, job.model),
    canary: job.canary && release === job.release,
    cached: job.cached,
    credits_used: job.charged,
    processing_ms: (job.finished_at ?? 0) - (job.started_at ?? job.finished_at ?? 0),
    expires_at: iso(job.expires_at),
    ...fields,
    ...measured,
    provenance,
    warnings: [...told, ...warnings, ...replacedRelease(job.model_version, model_version)],
  };
};

/** A result has a warning when another release made it than the one that the job was submitted for. */
const replacedRelease = (asked: string, used: string): Warning[] => {
  if (used === asked) return [];
  const detail = `The job was submitted for the release ${asked}, which is no longer available; the result was made by ${used} at the same price.`;
  return [{ code: 'release_replaced', detail }];
};

/** What a failed job's caller gets to hear. */
export const failureOf = (error: JobError): Failure => new Failure(error.code, error.facts);

const whereOf = (job: JobRecord) => ({
  instance: `/v1/jobs/${job.id}`,
  requestId: job.request_id,
});
const iso = (timeMs: number): string => new Date(timeMs).toISOString();
const isoOrNull = (timeMs: number | null): string | null => (timeMs === null ? null : iso(timeMs));
