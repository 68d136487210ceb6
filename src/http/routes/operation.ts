/** The two routes of an operation. */

import { z } from 'zod';
import type { estimateSchema } from '../../contract/credits.ts';
import { estimateExample, resultExample } from '../../contract/examples.ts';
import { jobSchema, queuedExample } from '../../contract/job.ts';
import { callbackFields } from '../../contract/webhooks.ts';
import type { FailureCode } from '../../errors.ts';
import { ReleaseName } from '../../models/release-names.ts';
import { namedModels, type Operation } from '../../operations/operation.ts';
import { makeEstimate, makeJob } from '../order/order.ts';
import { type Route, route } from '../route.ts';
import { jobFailures, mediaFailures } from './failures.ts';

type Schemas = { readonly Estimate: ReturnType<typeof estimateSchema> };

export const operationRoutes = (operation: Operation, { Estimate }: Schemas): Route[] => {
  const { kind, title, summary, sources, result, example } = operation;
  const refusals: readonly FailureCode[] = [...mediaFailures, ...operation.refusals];
  const shared = {
    method: 'post',
    tag: 'Enhance',
    scope: 'create',
    rate: 'create',
    body: bodyOf(operation),
    sources,
    example: example?.request,
  } as const;
  return [
    route({
      ...shared,
      path: `/v1/${kind}`,
      operationId: kind,
      summary,
      description:
        'Makes a job and waits for its result, unless `Prefer` says otherwise. Media comes as a URL in JSON, or as a file in multipart/form-data. Credits are held before the work begins, and charged when it has succeeded. The same request on the same content within 24 hours gets the first result again, at no cost.',
      creates: true,
      idempotent: true,
      waits: true,
      answer: {
        status: 200,
        description: 'The result, when it was waited for',
        body: result,
        example: example && resultExample(example),
      },
      also: [
        {
          status: 202,
          description: 'The job, when it goes on',
          body: jobSchema(operation),
          example: queuedExample(operation),
        },
      ],
      fails: [...refusals, ...jobFailures, ...operation.failures],
      handle: (wanted, parts) => makeJob(operation, wanted, parts),
    }),
    route({
      ...shared,
      path: `/v1/${kind}/estimate`,
      operationId: `estimate${title}`,
      summary: `Estimate of the price; makes no job: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
      description:
        "Takes the body of the operation itself and looks at the media. The lines of the price add up to `credits`; the account's monthly discount has a line of its own.",
      answer: {
        status: 200,
        body: Estimate,
        example: example && estimateExample(example),
      },
      fails: refusals,
      // It waits behind no jobs.
      handle: (wanted, parts) =>
        makeEstimate(operation, wanted, { ...parts, turns: parts.quickTurns }),
    }),
  ];
};

/** The request's body, whose model may name a release of it too, with what every creating request may bring. */
const bodyOf = ({ title, models, request }: Operation): z.ZodObject => {
  const names = namedModels({ models });
  const plain = z.enum(names);
  const model = z
    .union([plain, z.templateLiteral([plain, '@', ReleaseName])])
    // Of the document, for which any text that may name a release is any text: then no client would refuse a misspelt name.
    .meta({ id: `${title}Model`, anyOf: undefined, type: 'string', enum: names })
    .describe('a release of a model may be named too, as in `photo@r2`: GET /v1/models lists them');
  return request.extend({ model, ...callbackFields }).meta({ id: `${title}Request` });
};
