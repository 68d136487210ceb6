import { z } from 'zod';

export const Scope = z
  .enum(['create', 'read', 'admin'])
  .describe('create: make, cancel and erase; read: look; admin: issue keys and grant credits');
export type Scope = z.infer<typeof Scope>;

export const Account = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  .describe('letters, digits, dot, dash and underscore; at most 64');

export const KeyRequest = z
  .strictObject({
    account: Account,
    name: z.string().min(1).max(100).optional().describe('to tell keys apart'),
    scopes: z.array(Scope).min(1).max(3).optional().describe('create and read unless given'),
    expires_in_seconds: z.int().min(1).optional().describe('never expires unless given'),
    credits: z.int().min(1).optional().describe('granted to the account along with the key'),
  })
  .meta({ id: 'KeyRequest' });

export const KeyRotation = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .optional()
      .describe('how long the old key still works; 24 hours unless given'),
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
  .strictObject({ ...Key.shape, key: z.string().describe('shown here and never again') })
  .meta({ id: 'IssuedKey' });
export type IssuedKey = z.infer<typeof IssuedKey>;

export const KeyListQuery = z.strictObject({ account: Account.optional() });

export const KeyList = z
  .strictObject({ object: z.literal('list'), data: z.array(Key) })
  .meta({ id: 'KeyList' });
