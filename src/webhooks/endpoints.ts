/** The endpoints that accounts registered. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../config.ts';
import {
  type AccountSecret,
  type EventType,
  endEvents,
  type WebhookChange,
  type WebhookEndpoint,
  type WebhookWithSecret,
} from '../contract/webhooks.ts';
import { Failure, naming } from '../errors.ts';
import { timePart } from '../jobs/record/id.ts';
import { checkHost } from '../media/fetch/guard.ts';
import { type Redises, script } from '../redis/script.ts';
import { base62 } from '../text/base62.ts';
import { type Endpoint, presentEndpoint, Reason, StoredEndpoint, untilOf } from './endpoint.ts';
import { accountOwner, endpointOwner, type Secrets } from './secrets.ts';
import { hash } from './stored.ts';

type NewEndpoint = {
  readonly url: string;
  readonly events?: readonly EventType[] | undefined;
  readonly description?: string | undefined;
};

/** The most endpoints of one account. Each gets every event of each job. */
const MOST_ENDPOINTS = 20;
const OVERLAP_SECONDS = 86_400;

const from = (name: string) => new URL(`scripts/${name}.lua`, import.meta.url);
const createEndpoint = script(from('create'), z.number());
const changeEndpoint = script(from('change'), z.number());
const removeEndpoint = script(from('remove'), z.number());
const hearEndpoint = script(from('heard'), z.union([Reason, z.literal('')]));

export const openEndpoints = (stores: Redises, secrets: Secrets, config: Config) => {
  const { redis, prefix } = stores;

  /** Failure url_not_allowed: the same guard as for media that callers name. */
  const checkUrl = (url: string) => checkHost(new URL(url), config.fetch.allowHosts);

  /** Null when there is none. */
  const find = async (id: string): Promise<Endpoint | null> => {
    const fields = await hash(stores, `webhook:${id}`);
    return fields.account === undefined ? null : StoredEndpoint.parse(fields);
  };

  /** Failure not_found, also for another account's. */
  const read = async (account: string, id: string): Promise<Endpoint> => {
    const found = await find(id);
    if (found?.account !== account) throw missing();
    return found;
  };

  const withSecret = async (account: string, id: string): Promise<WebhookWithSecret> => {
    const endpoint = await read(account, id);
    return {
      ...presentEndpoint(endpoint),
      secret: secrets.secretOf(endpointOwner(id), endpoint),
    };
  };

  const accountSecret = async (account: string): Promise<AccountSecret> => {
    const owner = accountOwner(account);
    const seeds = await secrets.seedsOf(owner);
    return {
      secret: secrets.secretOf(owner, seeds),
      previous_secret_until: untilOf(seeds.previous_until),
    };
  };

  return {
    find,
    withSecret,
    accountSecret,
    checkUrl,
    get: async (account: string, id: string): Promise<WebhookEndpoint> =>
      presentEndpoint(await read(account, id)),

    list: async (account: string): Promise<WebhookEndpoint[]> => {
      const ids = await redis.zrange(`${prefix}:webhooks:${account}`, 0, -1);
      const found = await Promise.all(ids.map(find));
      return found.flatMap((endpoint) => (endpoint ? [presentEndpoint(endpoint)] : []));
    },

    /** Its id. Failure url_not_allowed | too_many_webhooks. */
    create: async (account: string, asked: NewEndpoint): Promise<string> => {
      await naming('url', () => checkUrl(asked.url));
      const now = Date.now();
      const id = `we_${timePart(now)}${base62(randomBytes(10))}`;
      const fields = {
        id,
        account,
        url: asked.url,
        events: JSON.stringify([...new Set(asked.events ?? endEvents)]),
        description: asked.description ?? '',
        created_at: String(now),
        disabled_reason: '',
        // Another one than of an endpoint with the same id in a Redis that was set back to an older state.
        seed: randomBytes(16).toString('base64url'),
      };
      const count = await createEndpoint(
        stores,
        ...[id, account, MOST_ENDPOINTS, JSON.stringify(fields)],
      );
      if (count > 0) throw new Failure('too_many_webhooks', { count });
      return id;
    },

    /** Failure not_found | url_not_allowed. */
    change: async (account: string, id: string, change: WebhookChange) => {
      const { url, events, description, enabled } = change;
      await read(account, id);
      if (url !== undefined) await naming('url', () => checkUrl(url));
      const fields = {
        ...(url !== undefined && { url }),
        ...(events && { events: JSON.stringify([...new Set(events)]) }),
        ...(description !== undefined && { description }),
        ...(enabled === true && { disabled_reason: '', failing_since: '' }),
        ...(enabled === false && { disabled_reason: 'by_request' }),
      };
      if ((await changeEndpoint(stores, id, account, JSON.stringify(fields))) === 0)
        throw missing();
      return presentEndpoint(await read(account, id));
    },

    /** Failure not_found. */
    remove: async (account: string, id: string): Promise<void> => {
      if ((await removeEndpoint(stores, id, account)) === 0) throw missing();
    },

    /** Its id. Failure not_found. */
    rotate: async (account: string, id: string, overlapSeconds = OVERLAP_SECONDS) => {
      await read(account, id);
      if (!(await secrets.rotate(endpointOwner(id), overlapSeconds))) throw missing();
      return id;
    },

    /** The account. */
    rotateAccount: async (account: string, overlapSeconds = OVERLAP_SECONDS) => {
      await secrets.rotate(accountOwner(account), overlapSeconds);
      return account;
    },

    /** How it answered; why it was disabled by that, or ''. */
    heard: (id: string, how: 'ok' | 'failed' | 'gone') =>
      hearEndpoint(stores, id, how, config.webhooks.disableMs),
  };
};

const missing = (): Failure => new Failure('not_found', { what: 'webhook with this id' });
