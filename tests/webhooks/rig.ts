/** Webhooks over real Redis, Bull and HTTP: a job's end by the rig of tests/jobs, a deliverer, and receivers of the test. */
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { EventType, Metadata } from '../../src/contract/webhooks.ts';
import { endEvents } from '../../src/contract/webhooks.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { operations } from '../../src/operations/all.ts';
import { openLinks } from '../../src/storage/links.ts';
import { type DelivererParts, startDeliverer } from '../../src/webhooks/deliverer.ts';
import { openOutbox } from '../../src/webhooks/outbox.ts';
import { openDeliveryQueue } from '../../src/webhooks/queue.ts';
import { openWebhooks } from '../../src/webhooks/webhooks.ts';
import { openRig, type Place } from '../jobs/rig.ts';
import { serve } from '../media/server.ts';
import { until } from '../real/until.ts';

const Payload = z.object({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.looseObject({
    id: z.string().optional(),
    status: z.string().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
});
type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly body: string;
  readonly payload: z.infer<typeof Payload>;
  readonly atMs: number;
};

/** A receiver that keeps what it gets, and answers as the test says: 204 unless it says otherwise. */
export const receiver = async (
  answer: RequestListener = (_, response) => {
    response.writeHead(204).end();
  },
) => {
  const received: Received[] = [];
  const server = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const payload = Payload.parse(JSON.parse(body));
      const { headers, url: path = '' } = request;
      received.push({ headers, path, body, payload, atMs: Date.now() });
      answer(request, response);
    });
  });
  return {
    ...server,
    received,
    /** Waits for so many messages and answers the latest. */
    got: async (count = 1): Promise<Received> => {
      await until(`${count} messages came`, () => received.length >= count);
      const last = received[count - 1];
      if (!last) throw new Error('there is no such message');
      return last;
    },
  };
};

/** Throws unless the message is signed with the secret. */
export const verify = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(body, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });

export const callback = (
  url: string | null,
  metadata: Metadata = {},
  events: readonly EventType[] = endEvents,
) => ({ url, metadata, events });

/** A rig with an account that has credits, and webhooks whose receivers on this machine are allowed. */
export const openWebhookRig = async (place: Place, settings: NodeJS.Dict<string> = {}) => {
  const rig = await openRig(place, {
    FETCH_ALLOW_HOSTS: '127.0.0.1,localhost',
    WEBHOOK_RETRY_SECONDS: '0.05,0.05,0.05',
    ...settings,
  });
  const { config, stores, jobs, log } = rig;
  const webhooks = openWebhooks(stores, config);
  const metrics = createMetrics();
  const { publicUrl } = config.http;
  const { url: link } = openLinks(config.secrets.signing, publicUrl, config.files.ttlMs);
  const closers: (() => Promise<unknown>)[] = [];
  const parts = { webhooks, metrics, config, stores, jobs, log };
  return {
    ...rig,
    webhooks,
    metrics,
    /** Starts a deliverer, with another configuration or log where one is given. */
    deliver: (changed: Partial<Pick<DelivererParts, 'config' | 'log'>> = {}) => {
      const deliveryQueue = openDeliveryQueue(config.redis, log, { lockMs: 1_000, stalledMs: 300 });
      const deliverer = startDeliverer(
        { ...parts, ...changed, deliveryQueue, shown: { operations, publicUrl, link } },
        openOutbox(stores, 1_000),
      );
      const close = async () => {
        await deliverer.close();
        await deliveryQueue.close();
      };
      closers.push(close);
      return { close };
    },
    /** The log of an account, newest first. */
    delivered: async (account = 'acme') =>
      (await webhooks.deliveries.list(account, { limit: 100 })).data,
    close: async () => {
      for (const close of closers) await close();
      await rig.close();
    },
  };
};
