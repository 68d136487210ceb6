/** What is measured and traced of one attempt. */
import type { Stage } from '../../contract/job.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Enhanced } from '../../operations/enhance.ts';
import type { Span, Tracing } from '../../tracing/tracing.ts';
import type { JobRecord } from '../record/record.ts';

export type AttemptWatch = ReturnType<typeof watchAttempt>;

export type WatchParts = { readonly metrics: Metrics; readonly tracing: Tracing };

/** Begins with the attempt; `end` is its last call. */
export const watchAttempt = ({ metrics, tracing }: WatchParts, job: JobRecord) => {
  const { kind: operation, model, fence } = job;
  const labels = { operation, model };
  const attributes = {
    'enhance.job.id': job.id,
    'enhance.operation': operation,
    'enhance.model': model,
  };
  const span = tracing.start('attempt', 'consumer', attributes);
  if (fence === 1 && job.started_at !== null)
    metrics.waited.observe(labels, (job.started_at - job.created_at) / 1000);
  metrics.running.inc();

  const spent = new Map<Stage, number>();
  // A model that is computed without Triton has a version only.
  let release = job.release || job.model_version;
  let code = '';
  let current: { readonly stage: Stage; readonly fromMs: number; readonly span: Span } | undefined;

  const leave = (): void => {
    if (!current) return;
    const { stage, fromMs } = current;
    spent.set(stage, (spent.get(stage) ?? 0) + performance.now() - fromMs);
    current.span.end();
    current = undefined;
  };

  return {
    span,
    /** Told as often as the work reports. */
    stage: (stage: Stage): void => {
      if (current?.stage === stage) return;
      leave();
      current = { stage, fromMs: performance.now(), span: tracing.start(stage, 'internal') };
    },
    made: ({ details, outputSize, release: replaced }: Enhanced): void => {
      release = replaced ?? release;
      const frames = typeof details.frames === 'number' ? details.frames : 1;
      const megapixels = (frames * outputSize.width * outputSize.height) / 1e6;
      metrics.made({ ...labels, release }, { frames, megapixels });
    },
    /** Why it did not succeed: the code of a failure, or what stopped it. */
    failed: (why: string): void => {
      code = why;
    },
    end: (end: string): void => {
      leave();
      for (const [stage, ms] of spent) metrics.stages.add(labels, stage, ms / 1000);
      metrics.running.dec();
      metrics.attempts.inc({ ...labels, release, end, code });
      span.set({ 'enhance.release': release, 'enhance.end': end });
      span.end(code || undefined);
    },
  };
};
