/** A creating request from its checked body to its answer: the same for every operation. */
import { setTimeout as sleep } from 'node:timers/promises';
import { quote } from '../../accounts/tiers.ts';
import type { Estimate } from '../../contract/credits.ts';
import type { Job, JobInput, JobResult } from '../../contract/job.ts';
import { Failure } from '../../errors.ts';
import { sizeText } from '../../frame.ts';
import { fingerprint, identityOf } from '../../jobs/submit/fingerprint.ts';
import type { Order, Submission } from '../../jobs/submit/submission.ts';
import { reuse, type Submitted, submit } from '../../jobs/submit/submit.ts';
import { type Choice, chooseRelease } from '../../models/choose.ts';
import {
  type Identified,
  type Intake,
  modelOf,
  type Operation,
  type Options,
  type Prepared,
  releaseForRequest,
} from '../../operations/operation.ts';
import { scope } from '../../tracing/scope.ts';
import { answerJob } from '../answer/answer-job.ts';
import { oncePerKey } from '../idempotent.ts';
import type { Caller, Parts } from '../parts.ts';
import { checkCallback, splitCallback } from './callback.ts';
import { intakeOf, type OrderRequest } from './source.ts';
import { inStage } from './stage.ts';

/**
 * Makes the job, or finds it where the same request came before, and answers as the caller prefers. The cache is asked
 * as soon as the media is here: what was made before is probed no more.
 */
export const makeJob = async (
  operation: Operation,
  received: OrderRequest,
  parts: Parts,
): Promise<JobResult | Job> => {
  const { ctx, caller } = received;
  const { account } = caller;
  const { request, callback } = splitCallback(received);
  const made = await oncePerKey(received, parts, {
    make: async (idempotency) => {
      await checkCallback(callback, parts);
      const intake = intakeOf(request, parts, operation.kind);
      const { request: named, pin } = splitPin(request);
      const identified = await operation.identify(named, intake);
      const chosen = await choose(operation, identified, pin, parts);
      if (chosen === null) return refuse(operation, identified, intake);
      const { requestId } = ctx.state;
      const order = {
        ...orderOf(operation, identified, caller),
        signedBy: signedBy(operation, identified, parts),
        chosen,
        requestId,
        idempotency,
        callback,
        traceparent: scope().traceparent,
      };
      const found = await reuse(parts, order);
      if (found) return logPlaced(parts, found);
      const prepared = await probed(operation, identified, intake, parts);
      const quick = operation.quickInput === identified.inputKind;
      const submission = { ...order, ...(await probedPart(identified, prepared)), quick };
      const rechoose = () => chooseAgain(operation, identified, pin, parts);
      return logPlaced(parts, await submit(parts, { ...submission, rechoose }));
    },
    replay: async (before) => {
      if (before.state !== 'job')
        throw new Error('the key is kept per path, and here it makes jobs');
      return { job: await parts.jobs.get(account, before.jobId), joined: before.joined };
    },
  });
  // A caller may wait for a quarter of an hour: its files that no job took are removed before that.
  await received.discard();
  return answerJob(ctx, { ...made, metadata: callback?.metadata ?? {} }, parts);
};

/** Its line in the log leads from the request to the job, which may be another request's. */
const logPlaced = ({ metrics, log }: Parts, made: Submitted): Submitted => {
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
    account,
    kind,
    options,
    inputKind,
    identity: identityOf({ account, kind, sha256, inputKind, own }),
  };
};

/** A worker with other settings stores its result as what it is; it is then not found here. */
const signedBy = (
  { edit }: Operation,
  { options }: Identified<Options>,
  { config }: Parts,
): string => (config.provenance !== null && edit?.(options) ? config.provenance.signedBy : '');

/** What an order becomes once its media was probed. */
const probedPart = async (
  { files }: Identified<Options>,
  { input, found, price, made }: Prepared<JobInput, unknown>,
): Promise<Omit<Submission, keyof Order | 'rechoose' | 'quick'>> => {
  const sources = Object.entries(files);
  const paths = await Promise.all(
    sources.map(async ([role, { file }]) => [role, await file()] as const),
  );
  return {
    input,
    found,
    price,
    files: { ...Object.fromEntries(paths), ...made },
    inputBytes: sources.reduce((sum, [, { bytes }]) => sum + bytes, 0),
  };
};

/** The price of the same request, at the account's tier of now. */
export const makeEstimate = async (
  operation: Operation,
  received: OrderRequest,
  parts: Parts,
): Promise<Estimate> => {
  const intake = intakeOf(received, parts, operation.kind);
  const { request, pin } = splitPin(splitCallback(received).request);
  const identified = await operation.identify(request, intake);
  const prepared = await probed(operation, identified, intake, parts);
  const chosen = await choose(operation, identified, pin, parts);
  if (chosen === null) throw modelUnavailable(identified);
  const { identity } = orderOf(operation, identified, received.caller);
  const signer = signedBy(operation, identified, parts);
  const isCached = await parts.cached.has(fingerprint(identity, chosen.modelVersion, signer));
  const { available, month } = await parts.ledger.balance(received.caller.account);
  const { credits, lines } = quote(prepared.price, month.used, parts.config.prices);
  const { durationSeconds, warnings } = prepared;
  const { frames, fps } = prepared.input;
  return {
    credits,
    lines: [...lines],
    available_credits: available,
    model: identified.options.model,
    model_version: chosen.modelVersion,
    release: releaseForRequest(chosen.release, identified.options.model),
    input_size: prepared.input.size,
    output_size: sizeText(prepared.outputSize),
    ...(frames !== undefined && { input_frames: frames }),
    ...(fps !== undefined && { input_fps: fps }),
    ...(durationSeconds !== undefined && { duration_seconds: durationSeconds }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    ...(isCached && { cached: true as const }),
  };
};

/** The request with the model alone, and the release that its `model` may name after an "@". */
const splitPin = (
  request: OrderRequest,
): { readonly request: OrderRequest; readonly pin: string | null } => {
  const [model, pin = null] = String(request.body.model).split('@');
  return { request: { ...request, body: { ...request.body, model } }, pin };
};

/** The release of a new job; null while it is not ready. Failure validation_failed for a release that does not exist. */
const choose = async (
  operation: Operation,
  { options, inputKind }: Identified<Options>,
  pin: string | null,
  { models }: Parts,
): Promise<Choice | null> => {
  const state = (await models.describe()).find(({ id }) => id === modelOf(operation, options));
  const by = operation.variant?.(options).by;
  const named = pin === null ? null : { model: options.model, release: pin, by };
  return state ? chooseRelease(state, inputKind, named) : null;
};

/** A release is unloaded seconds after nothing means it any more; the state of the models is at most one second old. */
const chooseAgain = async (
  operation: Operation,
  identified: Identified<Options>,
  pin: string | null,
  parts: Parts,
): Promise<Choice> => {
  await sleep(1_000);
  const chosen = await choose(operation, identified, pin, parts);
  if (chosen === null) throw modelUnavailable(identified);
  return chosen;
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
