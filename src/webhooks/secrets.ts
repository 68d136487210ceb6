/**
 * Secrets that sign what webhooks get. They are made from KEY_PEPPER, whom they belong to, and a seed, and are stored
 * nowhere: neither Redis nor a backup of it holds one.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { type Redises, script } from '../redis/script.ts';
import { hash, timeOrNull } from './stored.ts';

/** What a hash holds of a secret; a hash without a seed has the first secret of its owner. */
export const seedShape = {
  seed: z.string().default(''),
  previous_seed: z.string().default(''),
  previous_until: timeOrNull,
};
export type Seeds = z.infer<z.ZodObject<typeof seedShape>>;

/** Whose secret it is, and where its seeds are stored. */
type Owner = { readonly name: string; readonly key: string; readonly mustExist: boolean };
export const accountOwner = (account: string): Owner => ({
  name: `account ${account}`,
  key: `webhook-secret:${account}`,
  mustExist: false,
});
export const endpointOwner = (id: string): Owner => ({
  name: id,
  key: `webhook:${id}`,
  mustExist: true,
});

export type Message = { readonly id: string; readonly at: Date; readonly body: string };
export type Secrets = ReturnType<typeof openSecrets>;

const rotateSecret = script(new URL('scripts/rotate.lua', import.meta.url), z.number());

export const openSecrets = (stores: Redises, pepper: string) => {
  const derive = (owner: Owner, seed: string): string => {
    const digest = createHmac('sha256', pepper).update(`webhook\n${owner.name}\n${seed}`).digest();
    return `whsec_${digest.toString('base64')}`;
  };

  return {
    seedsOf: async (owner: Owner): Promise<Seeds> =>
      z.object(seedShape).parse(await hash(stores, owner.key)),

    secretOf: (owner: Owner, { seed }: Seeds): string => derive(owner, seed),

    /** The old secret is good for `overlapSeconds` more. False when the endpoint does not exist any more. */
    rotate: async (owner: Owner, overlapSeconds: number): Promise<boolean> => {
      const seed = randomBytes(16).toString('base64url');
      const overlapMs = overlapSeconds * 1000;
      const must = owner.mustExist ? '1' : '';
      return (await rotateSecret(stores, owner.key, seed, overlapMs, must)) === 1;
    },

    /** The three headers of Standard Webhooks; while an old secret is still good, with a signature by each. */
    headers: (owner: Owner, seeds: Seeds, { id, at, body }: Message) => {
      const { seed, previous_seed, previous_until } = seeds;
      const isOverlap = previous_until !== null && previous_until > at.getTime();
      const signatures = (isOverlap ? [seed, previous_seed] : [seed]).map((one) =>
        new Webhook(derive(owner, one)).sign(id, at, body),
      );
      return {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signatures.join(' '),
      };
    },
  };
};
