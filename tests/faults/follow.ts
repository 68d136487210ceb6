/** A caller that follows a job by its event stream, as an EventSource of a browser does. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '../../src/contract/job.ts';
import type { Caller } from '../real/service.ts';

type Followed = {
  /** The names of all events, over all connections. */
  readonly events: readonly string[];
  readonly last: Job;
  /** How often the stream was opened. */
  readonly connections: number;
};

/** Opens the stream again with its Last-Event-ID until the job's last event has come. */
export const follow = async ({ http }: Caller, id: string): Promise<Followed> => {
  const events: string[] = [];
  let [lastId, connections] = ['', 0];
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(200)) {
    connections += 1;
    for await (const { eventId, event, data } of streamOf(http, id, lastId)) {
      lastId = eventId;
      events.push(event);
      // The last event of a job has an odd id.
      if (Number(eventId) % 2 === 1) return { events, last: JSON.parse(data), connections };
    }
  }
  throw new Error(`the stream of ${id} never ended: ${events.join(', ')}`);
};

async function* streamOf(http: Caller['http'], id: string, lastId: string) {
  const headers = lastId === '' ? {} : { 'last-event-id': lastId };
  let text = '';
  try {
    const answer = await http.get(`/v1/jobs/${id}/events`, { headers, responseType: 'stream' });
    if (answer.status !== 200) return;
    for await (const chunk of answer.data) {
      const blocks = `${text}${chunk}`.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, eventId, event, data] = /^id: (\d+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
        if (eventId && event && data) yield { eventId, event, data };
      }
    }
  } catch {
    // Cut off, as by a killed API: it is opened again.
  }
}
