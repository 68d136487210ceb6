/** The service under load, its callers, and what they ask. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Job } from '../../src/contract/job.ts';
import { niceness } from '../../src/process/niceness.ts';
import { type Caller, realService } from '../../tests/real/service.ts';
import { ownTriton } from '../../tests/real/triton.ts';
import type { Sample } from './judge.ts';
import type { Answer, Call } from './offer.ts';
import { memoryByKind } from './processes.ts';
import type { Work } from './works.ts';

/** No rate of calls hides what the queue's limits do; waiting callers get their 202 soon. */
const settings = {
  RATE_CREATE_PER_MINUTE: '100000',
  RATE_READ_PER_MINUTE: '100000',
  ACCOUNT_QUEUED_LIMIT: '60',
  QUEUE_LIMIT: '300',
  WAIT_LIMIT_SECONDS: '20',
  METRICS_TOKEN: 'token-of-the-load-bench',
};
const together = 20;

export const openTarget = async (work: (index: number) => Work, accounts: number) => {
  // As `npm start` has it: the API comes before the models.
  const service = await realService(
    settings,
    ownTriton(undefined, undefined, { niceness: niceness.triton }),
  );
  const callers = await Promise.all(
    Array.from({ length: accounts }, () => service.caller(10_000_000)),
  );
  const accepted: { readonly caller: Caller; readonly id: string }[] = [];
  const callerAt = (index: number): Caller => {
    const caller = callers[index % callers.length];
    if (!caller) throw new Error('expected at least one account');
    return caller;
  };

  /** Sends the job at a place of the row. One of seven callers waits for the result, as long as the service lets it. */
  const post = async (index: number): Promise<Answer> => {
    const { path, form } = work(index);
    const caller = callerAt(index);
    const headers = index % 7 === 6 ? {} : { prefer: 'respond-async' };
    const { status, data } = await caller.http.post(path, await form(), { headers });
    const id = data?.job_id ?? data?.id;
    if (status < 300 && typeof id === 'string') accepted.push({ caller, id });
    return { status, code: codeOf(status, data) };
  };

  const jobOf = ({ caller, id }: (typeof accepted)[number]): Promise<Job> => caller.job(id);

  const unfinished = async (): Promise<number> => {
    const { redis, prefix } = service.stores;
    const [queued, processing] = await Promise.all([
      redis.zcard(`${prefix}:queued`),
      redis.scard(`${prefix}:processing`),
    ]);
    return queued + processing;
  };
  const allEnded = async (withinMs: number): Promise<void> => {
    const deadline = performance.now() + withinMs;
    while ((await unfinished()) > 0 && performance.now() < deadline) await sleep(100);
  };

  return {
    service,
    settings,
    post,
    allEnded,
    /** Jobs a second, of twenty that are sent at once; the second time, when everything is warm. */
    capacity: async (): Promise<number> => {
      let perSecond = 0;
      for (const first of [1_000_000, 2_000_000]) {
        const from = performance.now();
        await Promise.all(Array.from({ length: together }, (_, i) => post(first + i)));
        await allEnded(300_000);
        perSecond = (together * 1000) / (performance.now() - from);
      }
      return perSecond;
    },
    /** What costs next to nothing, by every account, in turn. */
    cheapCalls: async (): Promise<readonly Call[]> => {
      const file = (await work(1).form()).get('image');
      const calls = callers.map((caller) => {
        const done = accepted.find(({ caller: { account } }) => account === caller.account);
        if (!done || !(file instanceof Blob)) throw new Error('no job or no picture to ask about');
        return cheapCalls(caller, done.id, file);
      });
      return (await Promise.all(calls)).flat();
    },
    sample: async (): Promise<Omit<Sample, 'at_seconds'>> => {
      const { redis, prefix } = service.stores;
      const headers = { authorization: `Bearer ${settings.METRICS_TOKEN}` };
      const metrics = await (await fetch(`${service.url}/metrics`, { headers })).text();
      const milliseconds = (name: string): number => {
        const [, seconds] = new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(metrics) ?? [];
        return Math.round(Number(seconds) * 1000);
      };
      return {
        queued: await redis.zcard(`${prefix}:queued`),
        loop_lag_p99_ms: milliseconds('nodejs_eventloop_lag_p99_seconds'),
        redis_ping_ms: milliseconds('enhance_redis_ping_seconds'),
        mib: memoryByKind(),
      };
    },
    /** Every accepted job as it is now. */
    jobs: async (): Promise<Job[]> => {
      const jobs: Job[] = [];
      // Thousands at once would be a load of their own.
      for (let from = 0; from < accepted.length; from += together)
        jobs.push(...(await Promise.all(accepted.slice(from, from + together).map(jobOf))));
      return jobs;
    },
    /** What is wrong in the ledgers. */
    differences: async (): Promise<string[]> => {
      const audits = await Promise.all(callers.map(({ account }) => service.audit(account)));
      return audits.flatMap((audit) => audit.differences);
    },
  };
};

const codeOf = (status: number, data: { readonly code?: unknown } | undefined): string =>
  status < 300 ? '' : String(data?.code ?? 'no code');

/** `done`: a job of the caller that has a result. */
const cheapCalls = async (caller: Caller, done: string, file: Blob): Promise<readonly Call[]> => {
  const form = new FormData();
  form.append('file', file, 'a.png');
  const { data: upload } = await caller.http.post('/v1/uploads', form);
  const { result } = Job.parse((await caller.http.get(`/v1/jobs/${done}`)).data);
  const { pathname, search } = new URL(String(result?.output_url));
  const get = (what: string, path: string): Call => ({
    what,
    send: async () => {
      const { status, data } = await caller.http.get(path);
      return { status, code: codeOf(status, data) };
    },
  });
  return [
    get('models', '/v1/models'),
    get('jobs', '/v1/jobs?limit=20'),
    get('job', `/v1/jobs/${done}`),
    get('credits', '/v1/credits'),
    get('result', pathname + search),
    {
      what: 'estimate',
      send: async () => {
        const body = { model: 'photo', scale: 2, image_url: upload.url };
        const { status, data } = await caller.http.post('/v1/upscale/estimate', body);
        return { status, code: codeOf(status, data) };
      },
    },
  ];
};
