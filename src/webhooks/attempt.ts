/** One attempt of a delivery. */
import type { Config } from '../config.ts';
import { asFailure } from '../errors.ts';
import type { Jobs } from '../jobs/record/jobs.ts';
import type { Log } from '../log.ts';
import { postTo } from '../media/fetch/post.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryTicket } from './queue.ts';
import { accountOwner, endpointOwner, type Seeds } from './secrets.ts';
import { iso } from './stored.ts';
import type { Webhooks } from './webhooks.ts';

export type AttemptParts = {
  readonly webhooks: Webhooks;
  readonly jobs: Pick<Jobs, 'isUnfinished'>;
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'webhooks'>;
};

type Target = {
  readonly url: string;
  readonly owner: ReturnType<typeof accountOwner>;
  readonly seeds: Seeds;
};

/** The status by which a receiver says that it wants nothing more. */
const GONE = 410;

/** A receiver's answer, or why there was none. */
type Answer = { readonly status: number | null; readonly error: string | null };

/**
 * Makes the next attempt and records it; answers after how many ms another one follows, null when none does. Throws what
 * keeps it from being made, such as the reason of `signal`; then nothing is recorded.
 */
export const attempt = async (
  ticket: DeliveryTicket,
  parts: AttemptParts,
  signal: AbortSignal,
): Promise<number | null> => {
  const { deliveries } = parts.webhooks;
  const delivery = await deliveries.find(ticket.id);
  if (delivery?.status !== 'pending' || delivery.run !== ticket.run) return null;
  const target = await targetOf(delivery, parts);
  if (typeof target === 'string') {
    const at = new Date();
    await finish(delivery, parts, { at, answer: { status: null, error: target }, isLast: true });
    return null;
  }
  const at = new Date();
  const answer = await send(delivery, target, parts, signal);
  const isLast = answer.status === GONE || delivery.type === 'webhook.ping';
  const againMs = await finish(delivery, parts, { at, answer, isLast, url: target.url });
  await tellEndpoint(delivery, answer, parts);
  return againMs;
};

/** Where it goes; in words, why it goes nowhere any more. */
const targetOf = async (
  delivery: Delivery,
  { webhooks, jobs }: AttemptParts,
): Promise<Target | string> => {
  const isOld = delivery.type === 'job.progress' && delivery.tried > 0;
  if (isOld && !(await jobs.isUnfinished(delivery.job)))
    return 'the job has ended, so its progress is of no use any more';
  if (delivery.endpoint === '') {
    const owner = accountOwner(delivery.account);
    return { url: delivery.url, owner, seeds: await webhooks.secrets.seedsOf(owner) };
  }
  const endpoint = await webhooks.endpoints.find(delivery.endpoint);
  if (!endpoint) return 'the webhook was deleted';
  if (endpoint.disabled_reason !== '' && !delivery.by_request) return 'the webhook is disabled';
  return { url: endpoint.url, owner: endpointOwner(endpoint.id), seeds: endpoint };
};

const send = async (
  { id, body }: Delivery,
  { url, owner, seeds }: Target,
  { webhooks, config }: AttemptParts,
  signal: AbortSignal,
): Promise<Answer> => {
  const headers = webhooks.secrets.headers(owner, seeds, { id, at: new Date(), body });
  const { timeoutMs } = config.webhooks;
  try {
    const status = await postTo({ url, body, headers, config: config.fetch, timeoutMs, signal });
    return { status, error: faultOf(status) };
  } catch (error) {
    signal.throwIfAborted();
    const { facts, message } = asFailure(error);
    return { status: null, error: String(facts.reason ?? message) };
  }
};

const faultOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  const redirects = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return `expected a status of 200 to 299; got ${status}${redirects}`;
};

type Ended = {
  readonly at: Date;
  readonly answer: Answer;
  /** Whatever the schedule says. */
  readonly isLast: boolean;
  /** Undefined: nothing was sent. */
  readonly url?: string;
};

const finish = async (
  delivery: Delivery,
  { webhooks, config, log, metrics }: AttemptParts,
  { at, answer, isLast, url }: Ended,
): Promise<number | null> => {
  const { retriesMs } = config.webhooks;
  const isDelivered = answer.error === null;
  const next = isDelivered || isLast ? undefined : retriesMs[delivery.tried];
  // Up to a tenth later, so that what failed together is not sent again together.
  const againMs = next === undefined ? null : Math.round(next * (1 + Math.random() / 10));
  const made = {
    at: at.toISOString(),
    duration_ms: Date.now() - at.getTime(),
    status_code: answer.status,
    error: answer.error,
  };
  const ended = isDelivered ? 'delivered' : 'failed';
  const status = againMs === null ? ended : 'pending';
  await webhooks.deliveries.attempted(delivery, url ?? delivery.url, {
    status,
    attempts: [made],
    nextAttemptAt: againMs === null ? null : Date.now() + againMs,
  });
  metrics.webhooks.attempts.inc({
    type: delivery.type,
    outcome: status === 'pending' ? 'again' : status,
  });
  const about = { delivery: delivery.id, job_id: delivery.job, webhook: delivery.endpoint };
  const next_attempt_at = againMs === null ? null : iso(Date.now() + againMs);
  log.info(
    { ...about, status, next_attempt_at, ...made },
    isDelivered ? 'webhook sent' : 'webhook not delivered',
  );
  return againMs;
};

/**
 * An endpoint is disabled by its answers alone: that it was disabled or deleted says nothing about it. Nor does a test that
 * failed, often made before the receiver is there: nothing tries it again, so it would count until the next event succeeds.
 */
const tellEndpoint = async (
  { endpoint, type }: Delivery,
  { status, error }: Answer,
  { webhooks, log }: AttemptParts,
): Promise<void> => {
  if (endpoint === '') return;
  const failed = status === GONE ? 'gone' : 'failed';
  const how = error === null ? 'ok' : failed;
  if (type === 'webhook.ping' && how === 'failed') return;
  const reason = await webhooks.endpoints.heard(endpoint, how);
  if (reason !== '') log.warn({ webhook: endpoint, reason }, 'a webhook was disabled');
};
