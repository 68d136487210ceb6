/** The events that the scripts of jobs leave for webhooks (jobs/scripts/outbox.lua). */
import { z } from 'zod';
import { EventType, Metadata } from '../contract/webhooks.ts';
import { type Redises, script } from '../redis/script.ts';
import { json } from './stored.ts';

const Callback = z.object({
  metadata: Metadata,
  url: z.string().nullable(),
  events: z.array(EventType),
});

/** An event of a job, with whom to tell as it was at that moment. */
const OutboxEvent = z.object({
  kind: z.literal('event'),
  type: EventType,
  /** When it happened (ms). */
  at: z.number(),
  job: z.string(),
  endpoints: z.string().transform((text) => text.split(' ').filter(Boolean)),
  callbacks: json(z.array(Callback)),
});
export type OutboxEvent = z.infer<typeof OutboxEvent>;

/** A delivery that was recorded already: a test, or one that is made again. */
const OutboxDelivery = z.object({
  kind: z.literal('delivery'),
  id: z.string(),
  run: z.number(),
});

const OutboxEntry = z.discriminatedUnion('kind', [OutboxEvent, OutboxDelivery]);
export type OutboxEntry = z.infer<typeof OutboxEntry>;

export type Outbox = ReturnType<typeof openOutbox>;

const takeEntries = script(
  new URL('scripts/take-outbox.lua', import.meta.url),
  z.array(z.tuple([z.string(), z.string()])),
);

/** The most entries that are taken at a time. */
const AT_ONCE = 50;

/** An entry that is not done after `leaseMs` comes again: its deliverer was lost, or could not do it. */
export const openOutbox = (stores: Redises, leaseMs = 15_000) => {
  const { redis, prefix } = stores;
  return {
    /** The oldest entries, as their texts by their ids; none when there is nothing to do. */
    take: () => takeEntries(stores, AT_ONCE, leaseMs),

    read: (text: string): OutboxEntry => OutboxEntry.parse(JSON.parse(text)),

    done: async (id: string): Promise<void> => {
      await redis.multi().zrem(`${prefix}:outbox`, id).hdel(`${prefix}:outbox:entries`, id).exec();
    },
  };
};
