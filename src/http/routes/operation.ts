/** The two routes of an operation. */

import { z } from 'zod';
import type { estimateSchema } from '../../contract/credits.ts';
import type { jobSchemas } from '../../contract/job.ts';
import { callbackFields } from '../../contract/webhooks.ts';
import type { FailureCode } from '../../errors.ts';
import { ReleaseName } from '../../models/release-names.ts';
import type { Operation } from '../../operations/operation.ts';
import { makeEstimate, makeJob } from '../order.ts';
import { type Route, route } from '../route.ts';
import { jobFailures, mediaFailures } from './failures.ts';

type Schemas = {
  readonly Job: ReturnType<typeof jobSchemas>['Job'];
  readonly Estimate: ReturnType<typeof estimateSchema>;
};

export const operationRoutes = (operation: Operation, { Job, Estimate }: Schemas): Route[] => {
  const { kind, summary, sources, result } = operation;
  const refusals: readonly FailureCode[] = [...mediaFailures, ...operation.refusals];
  const shared = {
    method: 'post',
    scope: 'create',
    rate: 'create',
    body: bodyOf(operation),
    sources,
  } as const;
  return [
    route({
      ...shared,
      path: `/v1/${kind}`,
      summary,
      creates: true,
      idempotent: true,
      waits: true,
      answer: { status: 200, description: 'The result, when it was waited for', body: result },
      also: [{ status: 202, description: 'The job, when it goes on', body: Job }],
      fails: [...refusals, ...jobFailures, ...operation.failures],
      handle: (wanted, parts) => makeJob(operation, wanted, parts),
    }),
    route({
      ...shared,
      path: `/v1/${kind}/estimate`,
      summary: 'What the same request would cost; makes no job',
      answer: { status: 200, body: Estimate },
      fails: refusals,
      // It waits behind no jobs.
      handle: (wanted, parts) =>
        makeEstimate(operation, wanted, { ...parts, turns: parts.quickTurns }),
    }),
  ];
};

/** The request's body, whose model may name a release of it too, with what every creating request may bring. */
const bodyOf = ({ title, models, request }: Operation): z.ZodObject => {
  const model = z.enum(Object.keys(models));
  const pinned = z
    .templateLiteral([model, '@', ReleaseName])
    .describe('a release of the model, such as one that GET /v1/models lists');
  return request
    .extend({ model: z.union([model, pinned]), ...callbackFields })
    .meta({ id: `${title}Request` });
};
