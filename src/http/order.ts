/** A creating request from its checked body to its answer: the same for every operation. */
import type { z } from 'zod';
import { quote } from '../accounts/price.ts';
import type { Estimate } from '../contract/credits.ts';
import type { Job } from '../contract/job.ts';
import { type Size, sizeText } from '../frame.ts';
import type { PreparedOrder } from '../jobs/submit/submission.ts';
import { submit } from '../jobs/submit/submit.ts';
import type { Warning } from '../operations/lip-sync/request.ts';
import { answerJob } from './answer-job.ts';
import { once } from './idempotent.ts';
import type { Parts } from './parts.ts';
import type { Wanted } from './source.ts';

/** An order whose media is here and found good, and what else an estimate tells of it. */
export type Prepared = PreparedOrder & {
  readonly outputSize: Size;
  readonly warnings: readonly Warning[];
};

/** Refuses whatever can be refused, before a job exists and credits are held. */
type Prepare<Body> = (wanted: Wanted<Body>, parts: Parts) => Promise<Prepared>;

/** Makes the job, or finds it where the same request came before, and answers as the caller prefers. */
export const makeJob = async <Body, Result>(
  input: Wanted<Body>,
  prepare: Prepare<Body>,
  result: z.ZodType<Result>,
  parts: Parts,
): Promise<Result | Job> => {
  const { ctx, caller } = input;
  const { account } = caller;
  const made = await once(input, parts, {
    make: async (idempotency) => {
      const { outputSize: _, warnings: __, ...order } = await prepare(input, parts);
      return submit(parts, { ...order, account, requestId: ctx.state.requestId, idempotency });
    },
    replay: async (before) => {
      if (before.state !== 'job')
        throw new Error('the key is kept per path, and here it makes jobs');
      return { job: await parts.jobs.get(account, before.jobId), joined: before.joined };
    },
  });
  // A caller may wait for a quarter of an hour: what it brought and no job took does not lie here meanwhile.
  await input.discard();
  return answerJob(ctx, made, result, parts);
};

/** The price of the same request, at the account's tier of now. */
export const makeEstimate = async <Body>(
  input: Wanted<Body>,
  prepare: Prepare<Body>,
  parts: Parts,
): Promise<Estimate> => {
  const order = await prepare(input, parts);
  const { available, month } = await parts.ledger.balance(input.caller.account);
  const { credits, lines } = quote(order.work, month.used, parts.config.prices);
  return {
    credits,
    lines: [...lines],
    available_credits: available,
    model: order.options.model,
    model_version: order.modelVersion,
    input_size: order.input.size,
    output_size: sizeText(order.outputSize),
    ...(order.work.video && { duration_seconds: order.work.video.seconds }),
    ...(order.warnings.length > 0 && { warnings: [...order.warnings] }),
  };
};
