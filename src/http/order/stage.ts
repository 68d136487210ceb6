import type { Stage } from '../../contract/job.ts';
import type { WorkLabels } from '../../metrics/stages.ts';
import { inside } from '../../tracing/tracing.ts';
import type { Parts } from '../parts.ts';

/** Measures and traces a stage that comes before there is a job. */
export const inStage = async <T>(
  { metrics, tracing }: Pick<Parts, 'metrics' | 'tracing'>,
  stage: Stage,
  labels: WorkLabels,
  work: () => Promise<T>,
): Promise<T> => {
  const span = tracing.start(stage, 'internal');
  try {
    return await inside(span, () => metrics.stages.during(labels, stage, work));
  } finally {
    span.end();
  }
};
