/**
 * Callers that wait for one job, and callers that read its events, in a process of their own, so that they do not slow down
 * the one that measures. Prints "ready" when every stream has had its first event, then a line of JSON when all have ended.
 * usage: node --import tsx bench/waiting/crowd.ts URL KEY JOB CLIP WAITING STREAMS
 */
import { readFileSync } from 'node:fs';

const [url = '', key = '', job = '', clip = '', waiting = '0', streams = '0'] =
  process.argv.slice(2);
const headers = { authorization: `Bearer ${key}` };
const content = new Blob([Uint8Array.from(readFileSync(clip))]);

/** The same request as the job's: it joins the job and waits for its end. */
const wait = async (): Promise<number> => {
  const form = new FormData();
  form.append('model', 'photo');
  form.append('scale', '2');
  form.append('video', content, 'a.mp4');
  const answer = await fetch(`${url}/v1/upscale`, { method: 'POST', headers, body: form });
  await answer.arrayBuffer();
  return answer.status;
};

const started = { count: 0 };
/** How many events came, and whether the last one was the end. */
const follow = async (): Promise<{ events: number; ended: boolean }> => {
  const answer = await fetch(`${url}/v1/jobs/${job}/events`, { headers });
  let [text, isFirst] = ['', true];
  for await (const bytes of answer.body ?? []) {
    text += Buffer.from(bytes).toString();
    if (isFirst) started.count += 1;
    isFirst = false;
  }
  return {
    events: text.split('\nevent: ').length - 1,
    ended: text.includes('event: job.succeeded'),
  };
};

const following = Promise.all(Array.from({ length: Number(streams) }, follow));
const answering = Promise.all(Array.from({ length: Number(waiting) }, wait));
const look = setInterval(() => {
  if (started.count < Number(streams)) return;
  clearInterval(look);
  console.log('ready');
}, 100);
const [followed, statuses] = await Promise.all([following, answering]);
console.log(
  JSON.stringify({
    waited: statuses.length,
    answered_200: statuses.filter((status) => status === 200).length,
    streams: followed.length,
    saw_the_end: followed.filter(({ ended }) => ended).length,
    events: followed.reduce((sum, { events }) => sum + events, 0),
  }),
);
