/** A creating request from its checked body to its answer: the same for every operation. */
import { quote } from '../accounts/tiers.ts';
import type { Estimate } from '../contract/credits.ts';
import type { Job, JobInput, JobResult } from '../contract/job.ts';
import { Failure } from '../errors.ts';
import { sizeText } from '../frame.ts';
import { identityOf } from '../jobs/submit/fingerprint.ts';
import type { Order, Submission } from '../jobs/submit/submission.ts';
import { reuse, type Submitted, submit } from '../jobs/submit/submit.ts';
import type { Identified, Intake, Operation, Options, Prepared } from '../operations/operation.ts';
import { scope } from '../scope.ts';
import { answerJob } from './answer-job.ts';
import { once } from './idempotent.ts';
import type { Caller, Parts } from './parts.ts';
import { intakeOf, type Wanted } from './source.ts';
import { inStage } from './stage.ts';

/**
 * Makes the job, or finds it where the same request came before, and answers as the caller prefers. The cache is asked
 * as soon as the media is here: what was made before is probed no more.
 */
export const makeJob = async (
  operation: Operation,
  wanted: Wanted,
  parts: Parts,
): Promise<JobResult | Job> => {
  const { ctx, caller } = wanted;
  const { account } = caller;
  const made = await once(wanted, parts, {
    make: async (idempotency) => {
      const intake = intakeOf(wanted, parts, operation.kind);
      const identified = await operation.identify(wanted, intake);
      const modelVersion = await releaseOf(identified, parts);
      if (modelVersion === null) return refuse(operation, identified, intake);
      const { requestId } = ctx.state;
      const order = {
        ...orderOf(operation, identified, caller),
        ...{ modelVersion, requestId, idempotency, traceparent: scope().traceparent },
      };
      const found = await reuse(parts, order);
      if (found) return counted(parts, found);
      const prepared = await probed(operation, identified, intake, parts);
      return counted(parts, await submit(parts, { ...order, ...probedPart(identified, prepared) }));
    },
    replay: async (before) => {
      if (before.state !== 'job')
        throw new Error('the key is kept per path, and here it makes jobs');
      return { job: await parts.jobs.get(account, before.jobId), joined: before.joined };
    },
  });
  // A caller may wait for a quarter of an hour: what it brought and no job took does not lie here meanwhile.
  await wanted.discard();
  return answerJob(ctx, made, parts);
};

/** Its line in the log leads from the request to the job, which may be another request's. */
const counted = ({ metrics, log }: Parts, made: Submitted): Submitted => {
  const { id: job_id, kind: operation, model } = made.job;
  const placed = (made.cached && 'cached') || (made.joined && 'joined') || 'new';
  metrics.orders.inc({ operation, model, placed });
  log.info({ job_id, placed }, 'order placed');
  return made;
};

const probed = (
  operation: Operation,
  identified: Identified<Options>,
  intake: Intake,
  parts: Parts,
): Promise<Prepared<JobInput, unknown>> => {
  const labels = { operation: operation.kind, model: identified.options.model };
  return inStage(parts, 'probing', labels, () => operation.prepare(identified, intake));
};

const orderOf = (
  { kind, identity }: Operation,
  identified: Identified<Options>,
  { account }: Caller,
) => {
  const { options, inputKind, files } = identified;
  const { sha256 } = files.media;
  const own = identity(identified);
  return {
    ...{ account, kind, options, inputKind },
    identity: identityOf({ account, kind, sha256, inputKind, own }),
  };
};

/** What an order becomes once its media was probed. */
const probedPart = (
  { files }: Identified<Options>,
  { input, found, price, made }: Prepared<JobInput, unknown>,
): Omit<Submission, keyof Order> => {
  const sources = Object.entries(files);
  return {
    ...{ input, found, price },
    files: { ...Object.fromEntries(sources.map(([role, { path }]) => [role, path])), ...made },
    inputBytes: sources.reduce((sum, [, { bytes }]) => sum + bytes, 0),
  };
};

/** The price of the same request, at the account's tier of now. */
export const makeEstimate = async (
  operation: Operation,
  wanted: Wanted,
  parts: Parts,
): Promise<Estimate> => {
  const intake = intakeOf(wanted, parts, operation.kind);
  const identified = await operation.identify(wanted, intake);
  const prepared = await probed(operation, identified, intake, parts);
  const modelVersion = await releaseOf(identified, parts);
  if (modelVersion === null) throw modelUnavailable(identified);
  const { available, month } = await parts.ledger.balance(wanted.caller.account);
  const { credits, lines } = quote(prepared.price, month.used, parts.config.prices);
  const { durationSeconds, warnings } = prepared;
  return {
    credits,
    lines: [...lines],
    available_credits: available,
    model: identified.options.model,
    model_version: modelVersion,
    input_size: prepared.input.size,
    output_size: sizeText(prepared.outputSize),
    ...(durationSeconds !== undefined && { duration_seconds: durationSeconds }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
};

/** What callers see as model_version; null while the model is not ready. */
const releaseOf = async (
  { options, inputKind }: Identified<Options>,
  { models }: Parts,
): Promise<string | null> => {
  const state = (await models.describe()).find(({ id }) => id === options.model);
  return state?.ready ? state.releases[inputKind] : null;
};

/** While a model is not ready, media that would be refused anyway gets that refusal, as trying again would not help. */
const refuse = async (
  operation: Operation,
  identified: Identified<Options>,
  intake: Intake,
): Promise<never> => {
  await operation.prepare(identified, intake);
  throw modelUnavailable(identified);
};

const modelUnavailable = ({ options }: Identified<Options>): Failure =>
  new Failure('model_unavailable', { model: options.model });
