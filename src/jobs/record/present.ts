/** How a job is shown to its account. Pure. */
import type { Job } from '../../contract/job.ts';
import { Failure } from '../../errors.ts';
import { warningsOf } from '../../operations/lip-sync/length.ts';
import type {
  LipsyncJobOptions,
  LipsyncOptions,
  LipsyncResult,
} from '../../operations/lip-sync/request.ts';
import type { UpscaleResult } from '../../operations/upscale/request.ts';
import { problemOf } from '../../problem.ts';
import {
  isOver,
  type JobError,
  type JobRecord,
  type LipsyncRecord,
  type UpscaleRecord,
} from './record.ts';

/** Where a job's links lead. */
export type Shown = {
  readonly publicUrl: string;
  /** 1 is next; null when the job does not wait. */
  readonly queuePosition: number | null;
  readonly resultUrl: ResultUrl;
};
type ResultUrl = (id: string, expiresAtMs: number) => string;

export const presentJob = (job: JobRecord, shown: Shown): Job => {
  const self = `${shown.publicUrl}/v1/jobs/${job.id}`;
  const common = {
    id: job.id,
    object: 'job' as const,
    status: job.status,
    created_at: iso(job.created_at),
    started_at: isoOrNull(job.started_at),
    finished_at: isoOrNull(job.finished_at),
    expires_at: isoOrNull(job.expires_at),
    queue_position: shown.queuePosition,
    progress: job.progress,
    model: job.model,
    model_version: job.model_version,
    cost: {
      estimated: job.estimated,
      held: isOver(job.status) ? 0 : job.held,
      charged: job.charged,
    },
    error: job.error && problemOf(failureOf(job.error), whereOf(job)),
    urls: { self, cancel: `${self}/cancel`, result: `${self}/result` },
  };
  if (job.kind === 'upscale') {
    const { kind, input, options } = job;
    return { ...common, kind, input, options, result: presentUpscale(job, shown.resultUrl) };
  }
  const { kind, input } = job;
  const options = presentOptions(job.options);
  return { ...common, kind, input, options, result: presentLipsync(job, shown.resultUrl) };
};

const presentOptions = ({ speaker, ...options }: LipsyncOptions): LipsyncJobOptions => ({
  ...options,
  speaker: 'boxes' in speaker ? { boxes: speaker.boxes.length } : speaker,
});

/** The answer of POST; null until the job succeeded and after its media was erased. */
export const presentResult = (
  job: JobRecord,
  { resultUrl }: Pick<Shown, 'resultUrl'>,
): UpscaleResult | LipsyncResult | null =>
  job.kind === 'upscale' ? presentUpscale(job, resultUrl) : presentLipsync(job, resultUrl);

const presentUpscale = (job: UpscaleRecord, resultUrl: ResultUrl): UpscaleResult | null => {
  const common = commonResult(job, resultUrl);
  if (job.outcome === null || common === null) return null;
  const { file: _, ...measured } = job.outcome;
  return { ...common, model_used: job.model, scale: job.options.scale, ...measured };
};

const presentLipsync = (job: LipsyncRecord, resultUrl: ResultUrl): LipsyncResult | null => {
  const common = commonResult(job, resultUrl);
  if (job.outcome === null || common === null) return null;
  const { file: _, warnings, ...measured } = job.outcome;
  const all = [...warningsOf(job.input, job.options), ...warnings];
  return { ...common, model_used: job.model, ...measured, warnings: all };
};

const commonResult = (job: JobRecord, resultUrl: ResultUrl) =>
  job.expires_at === null || job.erased
    ? null
    : {
        status: 'success' as const,
        output_url: resultUrl(job.id, job.expires_at),
        input_size: job.input.size,
        credits_used: job.charged,
        id: job.id,
        model_version: job.model_version,
        cached: job.cached,
        processing_ms: (job.finished_at ?? 0) - (job.started_at ?? job.finished_at ?? 0),
        expires_at: iso(job.expires_at),
      };

/** What a failed job's caller gets to hear. */
export const failureOf = (error: JobError): Failure => new Failure(error.code, error.facts);

const whereOf = (job: JobRecord) => ({
  instance: `/v1/jobs/${job.id}`,
  requestId: job.request_id,
});
const iso = (timeMs: number): string => new Date(timeMs).toISOString();
const isoOrNull = (timeMs: number | null): string | null => (timeMs === null ? null : iso(timeMs));
