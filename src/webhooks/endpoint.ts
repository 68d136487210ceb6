/** An endpoint: its record, and how its account sees it. */
import { z } from 'zod';
import { EventType, type WebhookEndpoint } from '../contract/webhooks.ts';
import { seedShape } from './secrets.ts';
import { iso, isoOrNull, json, timeOrNull } from './stored.ts';

/** Why an endpoint is disabled. */
export const Reason = z.enum(['by_request', 'answered_410', 'failed_for_days']);

/** The hash of an endpoint. `disabled_reason` is '' while it is enabled. */
export const StoredEndpoint = z.object({
  id: z.string(),
  account: z.string(),
  url: z.string(),
  events: json(z.array(EventType)),
  description: z.string(),
  created_at: z.coerce.number(),
  disabled_reason: z.union([Reason, z.literal('')]),
  last_success_at: timeOrNull,
  failing_since: timeOrNull,
  ...seedShape,
});
export type Endpoint = z.infer<typeof StoredEndpoint>;

/** When the secret before ends; null where it has ended. */
export const untilOf = (timeMs: number | null): string | null =>
  timeMs !== null && timeMs > Date.now() ? iso(timeMs) : null;

/** As its account sees it. */
export const presentEndpoint = (endpoint: Endpoint): WebhookEndpoint => ({
  id: endpoint.id,
  object: 'webhook',
  url: endpoint.url,
  events: endpoint.events,
  description: endpoint.description || null,
  status: endpoint.disabled_reason === '' ? 'enabled' : 'disabled',
  disabled_reason: endpoint.disabled_reason || null,
  created_at: iso(endpoint.created_at),
  last_success_at: isoOrNull(endpoint.last_success_at),
  failing_since: isoOrNull(endpoint.failing_since),
  previous_secret_until: untilOf(endpoint.previous_until),
});
