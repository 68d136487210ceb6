import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { base62, checksum } from '../base62.ts';
import { type FaultyKey, type IssuedKey, type Key, Scope } from '../contract/keys.ts';
import { Failure } from '../errors.ts';
import type { Redises } from '../redis.ts';

export type KeyRequest = {
  readonly account: string;
  readonly scopes?: readonly Scope[];
  readonly name?: string;
  readonly expiresInSeconds?: number | undefined;
};
export type Keys = ReturnType<typeof openKeys>;

const SECRET_BYTES = 24;
const USED_EVERY_MS = 60_000;

/** API keys. A key is shown when it is made; what is stored is its HMAC with the server's pepper. */
export const openKeys = ({ redis, prefix }: Redises, pepper: string) => {
  const digest = (key: string) => createHmac('sha256', pepper).update(key).digest('hex');
  const byDigest = (digested: string) => `${prefix}:key:${digested}`;
  const ids = `${prefix}:key-ids`;

  const create = async (request: KeyRequest): Promise<IssuedKey> => {
    const secret = base62(randomBytes(SECRET_BYTES));
    const key = `mes_live_${secret}_${checksum(secret)}`;
    const digested = digest(key);
    const now = Date.now();
    const expires = request.expiresInSeconds && now + request.expiresInSeconds * 1000;
    if (expires && !isDate(expires)) {
      const detail = `expected an end that is a date; one in ${request.expiresInSeconds} s came`;
      const faults = [{ pointer: '/expires_in_seconds', code: 'out_of_range', detail }];
      throw new Failure('validation_failed', {}, { faults });
    }
    const stored = {
      id: `key_${base62(randomBytes(12))}`,
      account: request.account,
      name: request.name ?? '',
      scopes: (request.scopes ?? ['create', 'read']).join(' '),
      shown: key.slice(0, 'mes_live_'.length + 4),
      created_at: now,
      expires_at: expires ?? '',
    };
    await redis
      .multi()
      .hset(byDigest(digested), stored)
      .hset(ids, stored.id, digested)
      .sadd(`${prefix}:accounts`, request.account)
      .exec();
    return { ...presentKey(await read(stored.id, digested)), key };
  };

  /** Whom a key stands for. Failure invalid_api_key (a mistyped one needs no look-up) or expired_api_key. */
  const lookup = async (key: string) => {
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
    if (now - (stored.last_used_at ?? 0) > USED_EVERY_MS) {
      await redis.hset(byDigest(digest(key)), 'last_used_at', now);
    }
    return { account: stored.account, keyId: stored.id, scopes: stored.scopes };
  };

  /** Those that can be shown; the others are `faulty`. */
  const list = async (account?: string): Promise<Key[]> => {
    const read = (await records()).flatMap(([, record]) => ShownKey.safeParse(record).data ?? []);
    return read
      .filter((key) => account === undefined || key.account === account)
      .sort((a, b) => b.created_at - a.created_at)
      .map(presentKey);
  };

  /** Those of the account, and those whose account cannot be told. */
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

  /** A new key like the old one, with as long a life ahead; the old one goes on working for `overlapSeconds`. */
  const rotate = async (id: string, overlapSeconds: number): Promise<IssuedKey> => {
    const digested = await digestOf(id);
    const old = await read(id, digested);
    if (old.revoked_at !== null)
      throw new Failure('not_found', { what: 'working key with this id' });
    const { account, name, scopes, created_at, expires_at } = old;
    const lifeSeconds =
      expires_at === null ? undefined : Math.ceil((expires_at - created_at) / 1000);
    const issued = await create({ account, name, scopes, expiresInSeconds: lifeSeconds });
    const end = Date.now() + overlapSeconds * 1000;
    const expires = old.expires_at === null ? end : Math.min(end, old.expires_at);
    await redis.hset(byDigest(digested), 'expires_at', expires);
    return issued;
  };

  /** At once and for good; again changes nothing. */
  const revoke = async (id: string): Promise<Key> => {
    const digested = await digestOf(id);
    await redis.hsetnx(byDigest(digested), 'revoked_at', Date.now());
    return presentKey(await read(id, digested));
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

  return { create, lookup, list, faulty, rotate, revoke };
};

const MOST_DATE_MS = 8.64e15;
const isDate = (timeMs: number): boolean => Math.abs(timeMs) <= MOST_DATE_MS;

/** An end so far away that `Date` does not hold it is an end all the same; one that is no number is none. */
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

/** One whose times can be written as dates. */
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
