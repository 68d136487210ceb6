import { z } from 'zod';
import { exampleTimes } from './examples.ts';

export const Scope = z
  .enum(['create', 'read', 'admin'])
  .meta({ id: 'Scope' })
  .describe(
    'create: create, cancel and erase jobs; read: read jobs, results and credits; admin: what operators do, such as issue keys and grant credits',
  );
export type Scope = z.infer<typeof Scope>;

export const Account = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'Expected 1 to 64 characters: letters, digits, ".", "_" and "-", beginning with a letter or digit',
  )
  .describe('letters, digits, dot, dash and underscore; at most 64');

export const KeyName = z.string().min(1).max(100);

/** Ten years: what has to live longer is rotated. Every date that follows from it is one that `Date` holds. */
export const ExpiresInSeconds = z
  .int()
  .min(1)
  .max(10 * 366 * 86_400);

/** Credits that may be granted in one step. */
export const GrantedCredits = z.int().min(1).max(1_000_000_000);

/** The same, and credits that are withdrawn. */
export const ChangedCredits = z.int().min(-1_000_000_000).max(1_000_000_000);

export const OverlapSeconds = z
  .int()
  .min(0)
  .max(30 * 86_400);

export const KeyRequest = z
  .strictObject({
    account: Account,
    name: KeyName.optional().describe('to tell keys apart'),
    scopes: z.array(Scope).min(1).max(3).optional().describe('create and read unless given'),
    expires_in_seconds: ExpiresInSeconds.optional().describe('never expires unless given'),
    credits: GrantedCredits.optional().describe('granted to the account along with the key'),
  })
  .meta({ id: 'KeyRequest' });

export const KeyRotation = z
  .strictObject({
    overlap_seconds: OverlapSeconds.optional().describe(
      'how long the old key still works; 24 hours unless given',
    ),
  })
  .meta({ id: 'KeyRotation' });

/** A key as it may be shown at any time. */
export const Key = z
  .strictObject({
    id: z.string(),
    account: Account,
    name: z.string().nullable(),
    prefix: z.string().describe('how the key begins, to tell keys apart'),
    scopes: z.array(Scope),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable().describe('to the minute'),
    expires_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Key' });
export type Key = z.infer<typeof Key>;

export const IssuedKey = z
  .strictObject({ ...Key.shape, key: z.string().describe('shown only once, in this answer') })
  .meta({ id: 'IssuedKey' });
export type IssuedKey = z.infer<typeof IssuedKey>;

/** The key that a request has. */
export const OwnKey = z
  .strictObject({
    id: z.string().describe('`operator` for ADMIN_KEY'),
    account: Account.nullable().describe('null for ADMIN_KEY, which belongs to no account'),
    name: z.string().nullable(),
    scopes: z.array(Scope),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'OwnKey' });
export type OwnKey = z.infer<typeof OwnKey>;

export const KeyListQuery = z.strictObject({ account: Account.optional() });

/** A record that cannot be shown as a key; it can still be revoked. */
export const FaultyKey = z
  .strictObject({
    id: z.string(),
    fields: z.array(z.string()).describe('the fields that are faulty'),
  })
  .meta({ id: 'FaultyKey' });
export type FaultyKey = z.infer<typeof FaultyKey>;

export const KeyList = z
  .strictObject({ object: z.literal('list'), data: z.array(Key), faulty: z.array(FaultyKey) })
  .meta({ id: 'KeyList' });
export type KeyList = z.infer<typeof KeyList>;

export const keyExample: Key = {
  id: 'key_2nR7cVxT0pLq',
  account: 'acme',
  name: 'website',
  prefix: 'mes_live_7hK2',
  scopes: ['create', 'read'],
  created_at: exampleTimes.created,
  last_used_at: null,
  expires_at: null,
  revoked_at: null,
};
export const ownKeyExample: OwnKey = {
  id: keyExample.id,
  account: keyExample.account,
  name: keyExample.name,
  scopes: keyExample.scopes,
  expires_at: keyExample.expires_at,
};
/** Not a key of any service. */
export const issuedKeyExample: IssuedKey = { ...keyExample, key: 'mes_live_7hK2…_…' };
