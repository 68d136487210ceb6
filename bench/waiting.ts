/**
 * 200 callers wait for one job of a minute and 300 read its events, while somebody asks for the job twenty times a second.
 * The model takes a fixed time for a frame and computes nothing, so that the figures are the API's.
 * Ends with 1 unless the API's event loop is less than 50 ms late at p99, 99 of 100 questions take less than 100 ms, and
 * everybody has seen the end.
 * usage: node --import tsx bench/waiting.ts [waiting] [streams] [frames]
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { h264, makeClip, pattern } from '../tests/real/clip.ts';
import { fixedDelayTriton } from '../tests/real/fixed-delay.ts';
import { tempDir } from '../tests/real/run.ts';
import { ended, realService } from '../tests/real/service.ts';
import { percentile, tell } from './bare.ts';
import { times } from './load/judge.ts';
import { offer } from './load/offer.ts';

const [waiting = '200', streams = '300', frames = '1500'] = process.argv.slice(2);
const loopBudgetMs = 50;
const jobBudgetMs = 100;
const token = 'token-of-the-waiting-bench';

const service = await realService(
  { RATE_CREATE_PER_MINUTE: '100000', RATE_READ_PER_MINUTE: '100000', METRICS_TOKEN: token },
  fixedDelayTriton(40),
);
const caller = await service.caller(1_000_000);
const source = pattern(Number(frames) / 25, 25, '64x48');
const clip = await makeClip(join(tempDir('bench'), 'a.mp4'), source, h264);
const fields = { model: 'photo', scale: 2, effort: 'best' };
const { data: job } = await caller.upscale(clip, fields, { prefer: 'respond-async' });

const script = new URL('waiting/crowd.ts', import.meta.url).pathname;
const words = [service.url, caller.key, job.id, clip, waiting, streams];
const crowd = execa('node', ['--import', 'tsx', script, ...words], { stderr: 'inherit' });
const lines = createInterface({ input: crowd.stdout });
await once(lines, 'line');

/** p99 of the API's event loop delay in the last 10 s, as it measures it itself. */
const loopDelayMs = async (): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  const metrics = await (await fetch(`${service.url}/metrics`, { headers })).text();
  return 1000 * Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(metrics)?.[1]);
};

const over = new AbortController();
void caller.until(job.id, ended, 600_000).finally(() => over.abort());
const delays: number[] = [];
const sampling = setInterval(() => void loopDelayMs().then((ms) => delays.push(ms)), 5_000);
const asked = await offer({
  perSecond: 20,
  until: over.signal,
  next: () => ({
    what: 'job',
    send: async () => ({ status: (await caller.http.get(`/v1/jobs/${job.id}`)).status, code: '' }),
  }),
});
clearInterval(sampling);
const [last] = await once(lines, 'line');
const seen = JSON.parse(String(last));
const jobTimes = times(asked);
const loop = Math.max(...delays);
const holds =
  loop < loopBudgetMs &&
  jobTimes.p99_ms < jobBudgetMs &&
  seen.answered_200 === Number(waiting) &&
  seen.saw_the_end === Number(streams);
tell({
  bench: 'waiting',
  ...seen,
  get_job: jobTimes,
  loop_delay_p99_ms: { median: percentile(delays, 0.5).toFixed(1), most: loop.toFixed(1) },
  budgets_ms: { loop: loopBudgetMs, get_job: jobBudgetMs },
  holds,
});
await service.close();
process.exit(holds ? 0 : 1);
