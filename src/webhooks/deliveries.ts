/** The log of deliveries: one message to one receiver each, with its attempts. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../config.ts';
import {
  type DeliveryQuery,
  DeliveryStatus,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
} from '../contract/webhooks.ts';
import { Failure, unknownCursor } from '../errors.ts';
import { type Redises, script } from '../redis/script.ts';
import { base62 } from '../text/base62.ts';
import {
  type Attempted,
  bodyOf,
  type Delivery,
  idAt,
  type Message,
  presentDelivery,
  StoredDelivery,
} from './delivery.ts';
import { hash } from './stored.ts';

/** Since the last attempt, or the request to send it again. The retries take three days. */
const KEPT_MS = 7 * 86_400_000;
const PAGE = 100;
const ATTEMPTS_KEPT = 10;

const from = (name: string) => new URL(`scripts/${name}.lua`, import.meta.url);
const recordDelivery = script(from('record'), z.tuple([DeliveryStatus, z.number()]));
const resendDelivery = script(from('resend'), z.number());
const attemptedDelivery = script(from('attempted'), z.number());

export const openDeliveries = (stores: Redises, { webhooks }: Config) => {
  const { redis, prefix } = stores;

  const record = ({ id, account, ...message }: Message, byRequest: boolean) => {
    const fields = {
      id,
      account,
      ...message,
      created_at: String(message.created_at),
      status: 'pending',
      run: '0',
      tried: '0',
      attempts_made: '0',
      attempts: '[]',
      next_attempt_at: String(Date.now()),
      by_request: byRequest ? '1' : '',
    };
    const oldest = idAt(Date.now() - 2 * KEPT_MS);
    return recordDelivery(
      stores,
      ...[id, account, JSON.stringify(fields), webhooks.accountDeliveries, KEPT_MS],
      ...[oldest, byRequest ? '1' : ''],
    );
  };

  const find = async (id: string): Promise<Delivery | null> => {
    const fields = await hash(stores, `delivery:${id}`);
    return fields.account === undefined ? null : StoredDelivery.parse(fields);
  };

  /** Failure not_found, also for another account's. */
  const get = async (account: string, id: string): Promise<WebhookDeliveryDetail> => {
    const found = await find(id);
    if (found?.account !== account) throw missing();
    const payload = z.looseObject({}).parse(JSON.parse(found.body));
    return { ...presentDelivery(found), payload };
  };

  return {
    find,
    get,

    /** Records a message unless it is recorded; whether it is still to be delivered, and how many were forgotten for it. */
    expect: async (message: Message) => {
      const [status, forgotten] = await record(message, false);
      return { isPending: status === 'pending', forgotten };
    },

    /** A test of an endpoint, which a deliverer finds in the outbox: its id. */
    ping: async (account: string, { id, url }: { id: string; url: string }) => {
      const now = Date.now();
      const body = bodyOf('webhook.ping', now, { webhook: id });
      const message = { account, type: 'webhook.ping', job: '', endpoint: id, url, body } as const;
      const made = `${idAt(now)}${base62(randomBytes(12))}`;
      await record({ ...message, id: made, created_at: now }, true);
      return made;
    },

    /** Makes it again, from its first attempt on: its id. Failure not_found. */
    resend: async (account: string, id: string): Promise<string> => {
      if ((await resendDelivery(stores, id, account, KEPT_MS)) === 0) throw missing();
      return id;
    },

    attempted: async (before: Delivery, url: string, now: Attempted): Promise<void> => {
      const made = now.attempts.length;
      const fields = {
        url,
        status: now.status,
        tried: String(before.tried + made),
        attempts_made: String(before.attempts_made + made),
        attempts: JSON.stringify([...before.attempts, ...now.attempts].slice(-ATTEMPTS_KEPT)),
        next_attempt_at: String(now.nextAttemptAt ?? ''),
        finished_at: now.status === 'pending' ? '' : String(Date.now()),
      };
      const text = JSON.stringify(fields);
      await attemptedDelivery(stores, before.id, String(before.run), KEPT_MS, text);
    },

    /** Newest first. Failure validation_failed when `starting_after` is no delivery of the account. */
    list: async (account: string, query: DeliveryQuery) => {
      const index = `${prefix}:deliveries:${account}`;
      const after = query.starting_after;
      if (after !== undefined && (await redis.zscore(index, after)) === null)
        throw unknownCursor('a delivery of the account');
      const data: WebhookDelivery[] = [];
      let below = after === undefined ? '+' : `(${after}`;
      for (;;) {
        const ids = await redis.zrevrangebylex(index, below, '-', 'LIMIT', 0, PAGE);
        for (const delivery of await Promise.all(ids.map(find))) {
          if (delivery === null || !matches(delivery, query)) continue;
          if (data.length === query.limit) return { data, has_more: true };
          data.push(presentDelivery(delivery));
        }
        const last = ids.at(-1);
        if (last === undefined || ids.length < PAGE) return { data, has_more: false };
        below = `(${last}`;
      }
    },
  };
};

const missing = (): Failure => new Failure('not_found', { what: 'delivery with this id' });

const matches = (delivery: Delivery, { webhook, job, status }: DeliveryQuery): boolean =>
  (webhook === undefined || delivery.endpoint === webhook) &&
  (job === undefined || delivery.job === job) &&
  (status === undefined || delivery.status === status);
