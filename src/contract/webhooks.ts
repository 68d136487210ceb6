/** Events of jobs, the receivers that they are sent to, and the log of the deliveries. */
import { z } from 'zod';
import { exampleJobId, exampleTimes } from './examples.ts';
import { HttpUrl } from './media.ts';
import { PageLimit } from './page.ts';

/** The events that an endpoint or a request may ask for. */
export const EventType = z
  .enum([
    ...(['job.succeeded', 'job.failed', 'job.canceled'] as const),
    ...(['job.processing', 'job.progress'] as const),
  ])
  .meta({ id: 'WebhookEventType' });
export type EventType = z.infer<typeof EventType>;

/** The events that are sent by default: the ends of jobs. */
export const endEvents = ['job.succeeded', 'job.failed', 'job.canceled'] as const;

/** What a message may be about: an event, or a test by the caller. */
export const MessageType = z
  .enum([...EventType.options, 'webhook.ping'])
  .meta({ id: 'WebhookMessageType' });
export type MessageType = z.infer<typeof MessageType>;

const EventTypes = z
  .array(EventType)
  .min(1)
  .max(EventType.options.length)
  .describe(
    'job.succeeded, job.failed and job.canceled unless given; job.processing: its work has begun; job.progress: at most every 2 s',
  );

const MOST_KEYS = 16;

/** The caller's own text about its request. */
export const Metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .superRefine((given, { addIssue }) => {
    if (Object.keys(given).length > MOST_KEYS)
      addIssue({
        code: 'too_big',
        origin: 'object',
        maximum: MOST_KEYS,
        inclusive: true,
        input: given,
      });
  })
  // Sorted: the order of JSON fields has no meaning, so it must not make a repeated request count as another one.
  .overwrite((given) => Object.fromEntries(Object.entries(given).sort()))
  .describe(
    `at most ${MOST_KEYS} texts of up to 500 characters under names of up to 40; they come back in the job and its events`,
  )
  .meta({ id: 'Metadata', maxProperties: MOST_KEYS });
export type Metadata = z.infer<typeof Metadata>;

/** No media: the id of a job or an upload does not stand for an address here. */
const WebhookUrl = HttpUrl.max(2000);

/** What every creating request may bring that is no part of its work. */
export const callbackFields = {
  metadata: Metadata.optional(),
  webhook_url: WebhookUrl.optional().describe(
    "is told this job's events, signed with the account's secret (GET /v1/webhook-secret)",
  ),
  webhook_events: EventTypes.optional(),
};

export const WebhookRequest = z
  .strictObject({
    url: WebhookUrl.describe('http or https, without user name and password, at a public address'),
    events: EventTypes.optional(),
    description: z.string().max(200).optional(),
  })
  .meta({ id: 'WebhookRequest' });

export const WebhookChange = z
  .strictObject({
    url: WebhookUrl.optional(),
    events: EventTypes.optional(),
    description: z.string().max(200).optional(),
    enabled: z
      .boolean()
      .optional()
      .describe('false: it gets no events; true: it gets all events from now on'),
  })
  .meta({ id: 'WebhookChange' });
export type WebhookChange = z.infer<typeof WebhookChange>;

const time = z.iso.datetime().nullable();

/** An endpoint that gets the events of all jobs of its account. */
export const WebhookEndpoint = z
  .strictObject({
    id: z.string(),
    object: z.literal('webhook'),
    url: z.string(),
    events: z.array(EventType),
    description: z.string().nullable(),
    status: z.enum(['enabled', 'disabled']),
    disabled_reason: z
      .enum(['by_request', 'answered_410', 'failed_for_days'])
      .nullable()
      .describe('null while it is enabled'),
    created_at: z.iso.datetime(),
    last_success_at: time,
    failing_since: time.describe('the first failed attempt since the last success'),
    previous_secret_until: time.describe('until then messages are signed with both secrets'),
  })
  .meta({ id: 'Webhook' });
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

const Secret = z.string().describe('whsec_ and base64, as Standard Webhooks has it');

export const WebhookWithSecret = z
  .strictObject({
    ...WebhookEndpoint.shape,
    secret: Secret.describe('shown when it is made and when it is rotated'),
  })
  .meta({ id: 'WebhookWithSecret' });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

export const WebhookList = z
  .strictObject({ object: z.literal('list'), data: z.array(WebhookEndpoint) })
  .meta({ id: 'WebhookList' });

export const DeletedWebhook = z
  .strictObject({ id: z.string(), object: z.literal('webhook'), deleted: z.literal(true) })
  .meta({ id: 'DeletedWebhook' });

/** The secret that signs messages to the `webhook_url` of requests. */
export const AccountSecret = z
  .strictObject({ secret: Secret, previous_secret_until: time })
  .meta({ id: 'WebhookSecret' });
export type AccountSecret = z.infer<typeof AccountSecret>;

export const SecretRotation = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(7 * 86_400)
      .optional()
      .describe('how long messages are signed with the old secret too; 24 hours unless given'),
  })
  .meta({ id: 'WebhookSecretRotation' });

export const DeliveryStatus = z
  .enum(['pending', 'delivered', 'failed'])
  .meta({ id: 'WebhookDeliveryStatus' });

export const DeliveryAttempt = z
  .strictObject({
    at: z.iso.datetime(),
    duration_ms: z.int(),
    status_code: z.int().nullable().describe('null when there was no answer'),
    error: z.string().nullable().describe('why it did not count as delivered'),
  })
  .meta({ id: 'WebhookDeliveryAttempt' });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

/** One message to one receiver. */
const delivery = {
  id: z.string().describe('the webhook-id of all its attempts'),
  object: z.literal('webhook_delivery'),
  type: MessageType,
  job: z.string().nullable(),
  webhook: z.string().nullable().describe("the endpoint; null for a request's webhook_url"),
  url: z.string().describe('without its query, which may hold a secret'),
  status: DeliveryStatus,
  created_at: z.iso.datetime(),
  finished_at: time,
  next_attempt_at: time,
  attempts_made: z.int(),
  attempts: z.array(DeliveryAttempt).describe('the latest ten'),
};
export const WebhookDelivery = z.strictObject(delivery).meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryDetail = z
  .strictObject({ ...delivery, payload: z.looseObject({}).describe('the body that is sent') })
  .meta({ id: 'WebhookDeliveryDetail' });
export type WebhookDeliveryDetail = z.infer<typeof WebhookDeliveryDetail>;

export const DeliveryList = z
  .strictObject({
    object: z.literal('list'),
    data: z.array(WebhookDelivery),
    has_more: z.boolean(),
  })
  .meta({ id: 'WebhookDeliveryList' });

export const DeliveryQuery = z.strictObject({
  webhook: z.string().optional().describe('id of an endpoint'),
  job: z.string().optional().describe('id of a job'),
  status: DeliveryStatus.optional(),
  limit: PageLimit,
  starting_after: z
    .string()
    .regex(/^msg_\w+$/, 'Expected the id of a delivery')
    .optional()
    .describe('id of the last delivery of the page before'),
});
export type DeliveryQuery = z.infer<typeof DeliveryQuery>;

export const webhookRequestExample = WebhookRequest.parse({
  url: 'https://app.example.com/hooks/enhance',
  events: ['job.succeeded', 'job.failed'],
  description: 'the shop',
});
export const webhookExample = {
  id: 'wh_2nT6vQ9eXb4Lk8Ys',
  object: 'webhook',
  ...webhookRequestExample,
  status: 'enabled',
  disabled_reason: null,
  created_at: exampleTimes.created,
  last_success_at: exampleTimes.finished,
  failing_since: null,
  previous_secret_until: null,
};
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
export const webhookWithSecretExample = { ...webhookExample, secret };
export const accountSecretExample = { secret, previous_secret_until: null };
export const deliveryExample = {
  id: 'msg_4Qm8Zt1xKcW0sPb7RyLd2a',
  object: 'webhook_delivery',
  type: 'job.succeeded',
  job: exampleJobId,
  webhook: webhookExample.id,
  url: webhookExample.url,
  status: 'delivered',
  created_at: exampleTimes.finished,
  finished_at: exampleTimes.finished,
  next_attempt_at: null,
  attempts_made: 1,
  attempts: [{ at: exampleTimes.finished, duration_ms: 84, status_code: 204, error: null }],
};
export const deliveryDetailExample = {
  ...deliveryExample,
  payload: {
    type: 'job.succeeded',
    timestamp: exampleTimes.finished,
    data: { id: exampleJobId, object: 'job', status: 'succeeded' },
  },
};
