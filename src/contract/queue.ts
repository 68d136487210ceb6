/** What waits and runs, as operators see it. */
import { z } from 'zod';
import { exampleTimes } from './examples.ts';

const Count = z.int().min(0);

const BullQueue = z
  .strictObject({
    name: z.string(),
    paused: z.boolean(),
    waiting: Count,
    active: Count,
    delayed: Count,
    failed: Count,
    workers: Count.nullable().describe(
      'processes that take from it; null where Redis does not list its clients',
    ),
  })
  .meta({ id: 'BullQueue' });

export const QueueState = z
  .strictObject({
    jobs: z
      .strictObject({
        queued: Count,
        processing: Count,
        oldest_queued_at: z.iso.datetime().nullable().describe('null while no job waits'),
        succeeded: Count.describe('since this Redis was set up, like the next two'),
        failed: Count.describe(
          'because of what the caller sent, or because of a fault of the service',
        ),
        canceled: Count,
        workers_lost: Count.describe('attempts whose worker vanished'),
      })
      .describe('of all accounts'),
    queues: z
      .array(BullQueue)
      .describe(
        "Bull's own, which carry tickets: each lets one job start, or brings one webhook delivery",
      ),
    tritons: z.array(z.strictObject({ name: z.string(), healthy: z.boolean() })),
  })
  .meta({ id: 'QueueState' });
export type QueueState = z.infer<typeof QueueState>;

export const queueExample: QueueState = {
  jobs: {
    queued: 3,
    processing: 2,
    oldest_queued_at: exampleTimes.created,
    succeeded: 1042,
    failed: 7,
    canceled: 12,
    workers_lost: 0,
  },
  queues: [
    { name: 'jobs', paused: false, waiting: 1, active: 2, delayed: 0, failed: 0, workers: 1 },
    { name: 'webhooks', paused: false, waiting: 0, active: 0, delayed: 4, failed: 0, workers: 1 },
  ],
  tritons: [{ name: '127.0.0.1:8000', healthy: true }],
};

/** Lets a browser look at Bull Board; it comes as a cookie. */
export const BoardSession = z
  .strictObject({ url: z.url(), expires_at: z.iso.datetime() })
  .meta({ id: 'BoardSession' });
export type BoardSession = z.infer<typeof BoardSession>;

export const boardSessionExample: BoardSession = {
  url: 'https://media.example.com/board',
  expires_at: exampleTimes.expires,
};
