import { Readable } from 'node:stream';
import type { jobSchemas } from '../../contract/job.ts';
import { jobByLink, LinkQuery } from '../answer/by-link.ts';
import { createJobEvents } from '../answer/job-events.ts';
import { openRoute } from '../route.ts';
import { linkFailures } from './failures.ts';
import { JobParams } from './jobs.ts';

export const jobEventsRoute = ({ JobEvent, example }: ReturnType<typeof jobSchemas>) => {
  const jobEvents = createJobEvents();
  return openRoute({
    method: 'get',
    path: '/v1/jobs/:id/events',
    operationId: 'getJobEvents',
    tag: 'Jobs',
    summary:
      'A job as it goes on, as Server-Sent Events, by a signed link or by a key; resumes from Last-Event-ID',
    description:
      'The first event is the job as it is now. Every event holds the whole job, so none that was missed is needed. A comment every 15 seconds keeps the connection open; the stream ends after the last status.',
    params: JobParams,
    query: LinkQuery,
    headers: ['Last-Event-ID'],
    byLink: true,
    answer: {
      status: 200,
      description: 'Events whose data is the job',
      type: 'text/event-stream',
      event: JobEvent,
      example:
        example && `id: 3560284810001\nevent: job.succeeded\ndata: ${JSON.stringify(example)}\n\n`,
    },
    also: [{ status: 204, description: 'The last event was seen: do not come back' }],
    fails: [
      ...linkFailures,
      'link_expired',
      'result_expired',
      'concurrency_limited',
      'record_unreadable',
    ],
    handle: async ({ ctx, params, query, authenticate, enter }, parts) => {
      const job =
        query.signature === undefined
          ? await parts.jobs.get((await authenticate('read')).account, params.id)
          : await jobByLink('events', params.id, query, parts);
      if (query.signature !== undefined) enter(job.account);
      const events = jobEvents(job, ctx.get('last-event-id'), parts, ctx);
      if (events === null) return null;
      ctx.type = 'text/event-stream';
      ctx.set('Cache-Control', 'no-store');
      // Proxies that gather an answer before they pass it on would hold the events back.
      ctx.set('X-Accel-Buffering', 'no');
      return Readable.from(events);
    },
  });
};
