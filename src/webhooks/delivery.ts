/** A delivery: its record, and how its account sees it. Pure. */
import { z } from 'zod';
import {
  DeliveryAttempt,
  DeliveryStatus,
  MessageType,
  type WebhookDelivery,
} from '../contract/webhooks.ts';
import { timePart } from '../jobs/record/id.ts';
import { shown } from '../media/fetch/guard.ts';
import { iso, isoOrNull, json, timeOrNull } from './stored.ts';

/** The hash of a delivery. */
export const StoredDelivery = z.object({
  id: z.string(),
  account: z.string(),
  type: MessageType,
  /** '' for none. */
  job: z.string(),
  /** The endpoint; '' for a request's webhook_url. */
  endpoint: z.string(),
  /** Whole, as it is called. */
  url: z.string(),
  body: z.string(),
  status: DeliveryStatus,
  created_at: z.coerce.number(),
  finished_at: timeOrNull,
  next_attempt_at: timeOrNull,
  /** How often it was sent again by request; only the latest run goes on. */
  run: z.coerce.number(),
  /** Attempts of this run, and of all. */
  tried: z.coerce.number(),
  attempts_made: z.coerce.number(),
  attempts: json(z.array(DeliveryAttempt)),
  /** A test or one that was sent again: it is made even if the endpoint is disabled. */
  by_request: z.string().transform((text) => text === '1'),
});
export type Delivery = z.infer<typeof StoredDelivery>;

/** What is to be delivered. */
export type Message = Pick<
  Delivery,
  'id' | 'account' | 'type' | 'job' | 'endpoint' | 'url' | 'body'
> & {
  readonly created_at: number;
};

/** What an attempt changed. */
export type Attempted = {
  readonly status: Delivery['status'];
  readonly attempts: readonly DeliveryAttempt[];
  readonly nextAttemptAt: number | null;
};
/** How the ids of deliveries of that time begin; ids sort by time. */
export const idAt = (timeMs: number): string => `msg_${timePart(timeMs)}`;

/** The payload of Standard Webhooks. */
export const bodyOf = (type: MessageType, timeMs: number, data: object): string =>
  JSON.stringify({ type, timestamp: iso(timeMs), data });

/** As its account sees it. */
export const presentDelivery = (delivery: Delivery): WebhookDelivery => ({
  id: delivery.id,
  object: 'webhook_delivery',
  type: delivery.type,
  job: delivery.job || null,
  webhook: delivery.endpoint || null,
  url: shown(new URL(delivery.url)),
  status: delivery.status,
  created_at: iso(delivery.created_at),
  finished_at: isoOrNull(delivery.finished_at),
  next_attempt_at: isoOrNull(delivery.next_attempt_at),
  attempts_made: delivery.attempts_made,
  attempts: delivery.attempts,
});
