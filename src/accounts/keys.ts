import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sharedInRound } from '../async/share.ts';
import { type FaultyKey, type IssuedKey, type Key, Scope } from '../contract/keys.ts';
import { Failure } from '../errors.ts';
import { type Redises, script } from '../redis/script.ts';
import { base62, checksum } from '../text/base62.ts';
import { type Grant, Granted, granted } from './grant.ts';

export type KeyRequest = {
  readonly account: string;
  readonly scopes?: readonly Scope[];
  readonly name?: string;
  readonly expiresInSeconds?: number | undefined;
  /** Credits that the account gets in the same step. */
  readonly grant?: Grant | undefined;
};
export type Keys = ReturnType<typeof openKeys>;

/** 192 random bits in each key. */
const SECRET_BYTES = 24;
/** `last_used_at` is written at most once in this time. */
const LAST_USED_STEP_MS = 60_000;

const issueKey = script(new URL('scripts/issue-key.lua', import.meta.url), Granted);

/** API keys. A key is shown once, when it is created; only its HMAC-SHA256 with the server's pepper is stored. */
export const openKeys = (stores: Redises, pepper: string) => {
  const { redis, prefix } = stores;
  const digest = (key: string) => createHmac('sha256', pepper).update(key).digest('hex');
  const byDigest = (digested: string) => `${prefix}:key:${digested}`;
  const ids = `${prefix}:key-ids`;

  /** Failure validation_failed for an expiry or a balance that is too great; there is neither a key nor a grant then. */
  const create = async (request: KeyRequest): Promise<IssuedKey> => {
    const secret = base62(randomBytes(SECRET_BYTES));
    const key = `mes_live_${secret}_${checksum(secret)}`;
    const digested = digest(key);
    const now = Date.now();
    const expires = request.expiresInSeconds && now + request.expiresInSeconds * 1000;
    if (expires && !isDate(expires)) {
      const detail = `Expected an expiry before the year 275,760; got ${request.expiresInSeconds} s from now.`;
      const faults = [{ pointer: '/expires_in_seconds', code: 'out_of_range', detail }];
      throw new Failure('validation_failed', {}, { faults });
    }
    const stored = {
      id: `key_${base62(randomBytes(12))}`,
      account: request.account,
      name: request.name ?? '',
      scopes: (request.scopes ?? ['create', 'read']).join(' '),
      shown: key.slice(0, 'mes_live_'.length + 4),
      created_at: String(now),
      expires_at: String(expires ?? ''),
    };
    await granted(request.grant ?? { credits: 0 }, (...grant) =>
      issueKey(stores, stored.account, ...grant, stored.id, digested, JSON.stringify(stored)),
    );
    return { ...presentKey(await read(stored.id, digested)), key };
  };

  /**
   * The account, id and scopes of a key. A mistyped key is refused by its checksum. Requests with the same key that arrive
   * together are one question. Failure invalid_api_key | expired_api_key.
   */
  const lookup = sharedInRound(
    (key) => key,
    async (key: string) => {
      const parts = /^mes_live_([0-9A-Za-z]+)_([0-9A-Za-z]+)$/.exec(key);
      if (parts?.[1] === undefined || checksum(parts[1]) !== parts[2]) {
        throw new Failure('invalid_api_key');
      }
      const found = await redis.hgetall(byDigest(digest(key)));
      const stored = StoredKey.safeParse(found).data;
      if (stored === undefined || stored.revoked_at !== null) throw new Failure('invalid_api_key');
      const now = Date.now();
      if (stored.expires_at !== null && stored.expires_at <= now) {
        throw new Failure('expired_api_key', {
          expired_at: new Date(stored.expires_at).toISOString(),
        });
      }
      if (now - (stored.last_used_at ?? 0) > LAST_USED_STEP_MS) {
        await redis.hset(byDigest(digest(key)), 'last_used_at', now);
      }
      return { account: stored.account, keyId: stored.id, scopes: stored.scopes };
    },
  );

  /** The keys with valid records, newest first; the others are in `faulty`. */
  const list = async (account?: string): Promise<Key[]> => {
    const read = (await records()).flatMap(([, record]) => ShownKey.safeParse(record).data ?? []);
    return read
      .filter((key) => account === undefined || key.account === account)
      .sort((a, b) => b.created_at - a.created_at)
      .map(presentKey);
  };

  /** The faulty records of the account, and those without an account. */
  const faulty = async (account?: string): Promise<FaultyKey[]> =>
    (await records())
      .filter(([, record]) => !account || !record.account || record.account === account)
      .flatMap(([id, record]) => {
        const fields = faultsOf(record);
        return fields.length > 0 ? [{ id, fields }] : [];
      });

  const records = async () =>
    Promise.all(
      Object.entries(await redis.hgetall(ids)).map(
        async ([id, digested]) => [id, await redis.hgetall(byDigest(digested))] as const,
      ),
    );

  /** Creates a key with the same account, scopes and lifetime; the old one expires after `overlapSeconds`. */
  const rotate = async (id: string, overlapSeconds: number): Promise<IssuedKey> => {
    const digested = await digestOf(id);
    const old = await read(id, digested);
    if (old.revoked_at !== null)
      throw new Failure('not_found', { what: 'key with this id that is not revoked' });
    const { account, name, scopes, created_at, expires_at } = old;
    const lifeSeconds =
      expires_at === null ? undefined : Math.ceil((expires_at - created_at) / 1000);
    const issued = await create({ account, name, scopes, expiresInSeconds: lifeSeconds });
    const end = Date.now() + overlapSeconds * 1000;
    const expires = old.expires_at === null ? end : Math.min(end, old.expires_at);
    await redis.hset(byDigest(digested), 'expires_at', expires);
    return issued;
  };

  /** Disables a key at once. Revoking it again changes nothing. */
  const revoke = async (id: string): Promise<Key> => {
    const digested = await digestOf(id);
    await redis.hsetnx(byDigest(digested), 'revoked_at', Date.now());
    return presentKey(await read(id, digested));
  };

  /** The key of this id as long as it works; null for one that is unknown, revoked or expired. */
  const working = async (id: string): Promise<Key | null> => {
    const digested = await redis.hget(ids, id);
    const { data } = ShownKey.safeParse(digested && (await redis.hgetall(byDigest(digested))));
    if (!data || data.revoked_at !== null) return null;
    return data.expires_at === null || data.expires_at > Date.now() ? presentKey(data) : null;
  };

  const digestOf = async (id: string): Promise<string> => {
    const digested = await redis.hget(ids, id);
    if (digested === null) throw new Failure('not_found', { what: 'key with this id' });
    return digested;
  };

  const read = async (id: string, digested: string): Promise<StoredKey> => {
    const record = await redis.hgetall(byDigest(digested));
    const { data } = ShownKey.safeParse(record);
    if (data) return data;
    const revoked = record.revoked_at ? '; it is revoked' : '';
    const reason = `the record of ${id} is faulty in ${faultsOf(record).join(', ')}${revoked}`;
    throw new Failure('internal_error', { reason });
  };

  return { create, lookup, list, faulty, rotate, revoke, working };
};

/** The range of `Date`: 100 million days around 1970 (ECMA-262). */
const MAX_DATE_MS = 8.64e15;
const isDate = (timeMs: number): boolean => Math.abs(timeMs) <= MAX_DATE_MS;

/** A time in ms, or null when the field is empty. Times beyond the range of `Date` are valid here: the key works until then. */
const time = z
  .string()
  .default('')
  .transform((text) => (text === '' ? null : Number(text)))
  .refine((timeMs) => timeMs === null || timeMs >= 0);
const StoredKey = z.object({
  id: z.string(),
  account: z.string(),
  name: z.string(),
  scopes: z
    .string()
    .transform((text) => text.split(' '))
    .pipe(z.array(Scope)),
  shown: z.string(),
  created_at: z.coerce.number(),
  expires_at: time,
  revoked_at: time,
  last_used_at: time,
});
type StoredKey = z.infer<typeof StoredKey>;

/** A record whose times are within the range of `Date`, so that they can be shown. */
const ShownKey = StoredKey.superRefine((key, ctx) => {
  for (const name of ['created_at', 'expires_at', 'revoked_at', 'last_used_at'] as const) {
    if (!isDate(key[name] ?? 0)) ctx.addIssue({ code: 'custom', path: [name] });
  }
});
const faultsOf = (record: Readonly<Record<string, string>>): string[] => {
  const { error } = ShownKey.safeParse(record);
  return [...new Set(error?.issues.map(({ path }) => String(path[0])))];
};

const presentKey = (key: StoredKey): Key => ({
  id: key.id,
  account: key.account,
  name: key.name === '' ? null : key.name,
  prefix: key.shown,
  scopes: key.scopes,
  created_at: new Date(key.created_at).toISOString(),
  last_used_at: isoOrNull(key.last_used_at),
  expires_at: isoOrNull(key.expires_at),
  revoked_at: isoOrNull(key.revoked_at),
});

const isoOrNull = (timeMs: number | null): string | null =>
  timeMs === null ? null : new Date(timeMs).toISOString();
