import { Readable } from 'node:stream';
import { jobEvents } from '../job-events.ts';
import { route } from '../route.ts';
import { JobParams } from './jobs.ts';

export const getJobEvents = route({
  method: 'get',
  path: '/v1/jobs/:id/events',
  summary: 'A job as it goes on, as Server-Sent Events; resumes from Last-Event-ID',
  scope: 'read',
  rate: 'read',
  params: JobParams,
  answer: { status: 200, description: 'Events whose data is the job', type: 'text/event-stream' },
  also: [{ status: 204, description: 'The last event was seen: do not come back' }],
  fails: ['not_found', 'record_unreadable'],
  handle: async ({ ctx, params, caller }, parts) => {
    const job = await parts.jobs.get(caller.account, params.id);
    const events = jobEvents(job, ctx.get('last-event-id'), parts, ctx.res);
    if (events === null) return null;
    ctx.type = 'text/event-stream';
    ctx.set('Cache-Control', 'no-store');
    // Proxies that gather an answer before they pass it on would hold the events back.
    ctx.set('X-Accel-Buffering', 'no');
    return Readable.from(events);
  },
});
