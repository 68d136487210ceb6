/**
 * Offers ten times the jobs that the machine can do, for minutes, and cheap calls beside them. Tells what was accepted and
 * refused, how long cheap calls took, memory and queue over time, and how every accepted job ended.
 * Ends with 1 unless: no process died, the queue stayed within QUEUE_LIMIT, memory stayed flat, every accepted job ended,
 * every ledger is right, and 99 of 100 cheap calls took less than 200 ms.
 * usage: node --import tsx bench/load.ts [--seconds 300] [--times 10] [--accounts 8] [--cheap 20]
 *        --times: how often the measured capacity is offered; --cheap: cheap calls a second
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Job } from '../src/contract/job.ts';
import { type Caller, ended, realService } from '../tests/real/service.ts';
import { median, percentile, tell } from './bare.ts';
import { type Answer, type Call, counts, offer } from './load/offer.ts';
import { type Kind, kindNames, memoryByKind } from './load/processes.ts';
import { makeWorks, type Work } from './load/works.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    times: { type: 'string', default: '10' },
    accounts: { type: 'string', default: '8' },
    cheap: { type: 'string', default: '20' },
  },
});
const seconds = Number(values.seconds);
const budgetMs = 200;
/** Memory in the last quarter of the time, beside the second quarter: within 10 %, or within so many MiB. */
const flatMiB = 32;

const work = await makeWorks();
const settings = {
  RATE_CREATE_PER_MINUTE: '100000',
  RATE_READ_PER_MINUTE: '100000',
  ACCOUNT_QUEUED_LIMIT: '60',
  QUEUE_LIMIT: '300',
  WAIT_LIMIT_SECONDS: '20',
  METRICS_TOKEN: 'token-of-the-load-bench',
};
const service = await realService(settings);
const callers = await Promise.all(
  Array.from({ length: Number(values.accounts) }, () => service.caller(10_000_000)),
);
const callerAt = (index: number): Caller => callers[index % callers.length] ?? fail('no account');

function fail(why: string): never {
  throw new Error(why);
}

const accepted: { readonly caller: Caller; readonly id: string }[] = [];

/** Sends one job. A tenth of the callers wait for the result, as long as the service lets them. */
const post = async (caller: Caller, { path, form }: Work, waits: boolean): Promise<Answer> => {
  const headers = waits ? {} : { prefer: 'respond-async' };
  const { status, data } = await caller.http.post(path, await form(), { headers });
  const id = typeof data?.job_id === 'string' ? data.job_id : data?.id;
  if (status < 300 && typeof id === 'string') accepted.push({ caller, id });
  return { status, code: status < 300 ? '' : String(data?.code ?? 'none') };
};

/** Jobs a second: twenty of the mix, all at once. Models are warm afterwards, and results lie ready. */
const measureCapacity = async (): Promise<number> => {
  const rounds = 2;
  let perSecond = 0;
  for (let round = 0; round < rounds; round += 1) {
    const from = performance.now();
    const jobs = Array.from({ length: 20 }, (_, i) =>
      post(callerAt(i), work(1_000_000 + 1000 * round + i), false),
    );
    await Promise.all(jobs);
    await allEnded(300_000);
    perSecond = (20 * 1000) / (performance.now() - from);
  }
  return perSecond;
};

const unfinished = async (): Promise<number> => {
  const { redis, prefix } = service.stores;
  const [queued, processing] = await Promise.all([
    redis.zcard(`${prefix}:queued`),
    redis.scard(`${prefix}:processing`),
  ]);
  return queued + processing;
};

const allEnded = async (withinMs: number): Promise<number> => {
  const deadline = performance.now() + withinMs;
  while ((await unfinished()) > 0 && performance.now() < deadline) await sleep(100);
  return unfinished();
};

const get = async (caller: Caller, path: string): Promise<Answer> => {
  const { status, data } = await caller.http.get(path);
  return { status, code: status < 300 ? '' : String(data?.code ?? 'none') };
};

/** What costs the service next to nothing, in turn. */
const cheapCalls = async (caller: Caller): Promise<readonly Call[]> => {
  const form = new FormData();
  const file = (await work(1).form()).get('image');
  form.append('file', file instanceof Blob ? file : fail('no picture'), 'a.png');
  const { data: upload } = await caller.http.post('/v1/uploads', form);
  const done = accepted.find(({ caller: { account } }) => account === caller.account)?.id;
  const { output_url } = Job.parse((await caller.http.get(`/v1/jobs/${done}`)).data).result ?? {};
  const result = new URL(String(output_url));
  const estimate = { model: 'photo', scale: 2, image_url: upload.url };
  return [
    { what: 'models', send: () => get(caller, '/v1/models') },
    { what: 'jobs', send: () => get(caller, '/v1/jobs?limit=20') },
    { what: 'job', send: () => get(caller, `/v1/jobs/${done}`) },
    { what: 'credits', send: () => get(caller, '/v1/credits') },
    { what: 'result', send: () => get(caller, result.pathname + result.search) },
    {
      what: 'estimate',
      send: async () => {
        const { status, data } = await caller.http.post('/v1/upscale/estimate', estimate);
        return { status, code: status < 300 ? '' : String(data?.code ?? 'none') };
      },
    },
  ];
};

type Sample = {
  readonly at_seconds: number;
  readonly queued: number;
  readonly loop_lag_p99_ms: number;
  readonly mib: Record<Kind, number>;
};

const sample = async (): Promise<Sample> => {
  const { redis, prefix } = service.stores;
  const headers = { authorization: `Bearer ${settings.METRICS_TOKEN}` };
  const metrics = await fetch(`${service.url}/metrics`, { headers });
  const lag = /^nodejs_eventloop_lag_p99_seconds(?:\{.*\})? (\S+)$/m.exec(
    await metrics.text(),
  )?.[1];
  return {
    at_seconds: Math.round((performance.now() - startedMs) / 1000),
    queued: await redis.zcard(`${prefix}:queued`),
    loop_lag_p99_ms: Math.round(Number(lag) * 1000),
    mib: memoryByKind(),
  };
};

const watch = async (until: AbortSignal): Promise<Sample[]> => {
  const samples: Sample[] = [];
  while (!until.aborted) {
    const now = await sample();
    samples.push(now);
    if (samples.length % 10 === 0) tell({ bench: 'load', ...now });
    await sleep(1000);
  }
  return samples;
};

const startedMs = performance.now();
const pids = () => [service.api.pid, service.worker.pid()];
const capacity = await measureCapacity();
const rate = capacity * Number(values.times);
tell({ bench: 'load', capacity_per_second: round(capacity), offered_per_second: round(rate) });
const cheap = (await Promise.all(callers.map(cheapCalls))).flat();
const before = pids();
const died: string[] = [];
void service.api.exited.then((how) => died.push(`API: ${how}`));
void service.worker.ended().then((how) => died.push(`worker: ${how}`));

const own = monitorEventLoopDelay();
own.enable();
const until = AbortSignal.timeout(seconds * 1000);
const [offered, light, samples] = await Promise.all([
  offer({
    perSecond: rate,
    until,
    next: (index) => {
      const one = work(index);
      return { what: one.what, send: () => post(callerAt(index), one, index % 10 === 9) };
    },
  }),
  offer({
    perSecond: Number(values.cheap),
    until,
    next: (index) => cheap[(index * 7) % cheap.length] ?? fail('no call'),
  }),
  watch(until),
]);
own.disable();
const diedUnderLoad = [...died];
tell({
  bench: 'load',
  answers_came_seconds: Math.round((performance.now() - startedMs) / 1000),
  accepted: accepted.length,
  cheap: times(light),
});
const left = await allEnded(15 * 60_000);
const sameProcesses = String(before) === String(pids());

const jobs = await Promise.all(accepted.map(({ caller, id }) => caller.job(id)));
const ends = counts(jobs.map(({ status, error }) => error?.code ?? status));
const audits = await Promise.all(callers.map(({ account }) => service.audit(account)));
const differences = audits.flatMap((audit) => audit.differences);

const quarter = Math.floor(samples.length / 4);
const memory = Object.fromEntries(
  kindNames.map((kind) => {
    const part = (from: number) =>
      Math.round(
        median(samples.slice(from * quarter, (from + 1) * quarter).map(({ mib }) => mib[kind])),
      );
    return [
      kind,
      {
        second_quarter_mib: part(1),
        last_quarter_mib: part(3),
        most_mib: Math.round(Math.max(...samples.map(({ mib }) => mib[kind]))),
      },
    ];
  }),
);
const grew = Object.entries(memory)
  .filter(([kind]) => kind !== 'ffmpeg')
  .filter(
    ([, { second_quarter_mib: second, last_quarter_mib: last }]) =>
      last > second * 1.1 && last > second + flatMiB,
  )
  .map(([kind]) => kind);

const longest = Math.max(...samples.map(({ queued }) => queued));
const unended = jobs.filter((job) => !ended(job)).length;
const refusedWrongly = [...offered, ...light].filter(
  ({ status, code }) => status === 0 || (status >= 500 && code !== 'queue_full'),
);
const p99 = percentile(
  light.map(({ ms }) => ms),
  0.99,
);
const faults = [
  ...diedUnderLoad,
  ...(sameProcesses ? [] : ['a process was replaced']),
  ...(longest > Number(settings.QUEUE_LIMIT) ? [`the queue held ${longest} jobs`] : []),
  ...grew.map((kind) => `the memory of ${kind} grew`),
  ...(left > 0 || unended > 0
    ? [`${left} jobs in Redis and ${unended} accepted ones have no end`]
    : []),
  ...differences,
  ...Object.entries(counts(refusedWrongly.map(({ status, code }) => `${status} ${code}`))).map(
    ([what, times]) => `${times} calls got ${what}`,
  ),
  ...(p99 < budgetMs ? [] : [`cheap calls: p99 of ${Math.round(p99)} ms`]),
];
tell({
  bench: 'load',
  ...{ seconds, offered: offered.length, accepted: accepted.length, jobs: ends },
  answers: counts(offered.map(({ status, code }) => `${status} ${code}`.trim())),
  by_work: counts(offered.filter(({ status }) => status < 300).map(({ what }) => what)),
  posts: times(offered.filter(({ status }) => status === 202)),
  refusals: times(offered.filter(({ status }) => status >= 400)),
  cheap: times(light),
  cheap_by_call: Object.fromEntries(
    [...new Set(light.map(({ what }) => what))].map((what) => [
      what,
      times(light.filter((one) => one.what === what)),
    ]),
  ),
  cheap_answers: counts(light.map(({ status, code }) => `${status} ${code}`.trim())),
  queue: { longest, limit: Number(settings.QUEUE_LIMIT) },
  api_loop_lag_p99_ms: Math.max(...samples.map((one) => one.loop_lag_p99_ms)),
  /** Of this process, which sends and measures: what it stood still is in the times above. */
  bench_loop_lag_p99_ms: Math.round(own.percentile(99) / 1e6),
  memory,
  faults,
});
await service.close();
process.exit(faults.length === 0 ? 0 : 1);

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function times(some: readonly { readonly ms: number }[]) {
  return {
    calls: some.length,
    ...Object.fromEntries(
      [0.5, 0.95, 0.99, 1].map((share) => [
        share === 1 ? 'max_ms' : `p${share * 100}_ms`,
        Math.round(
          percentile(
            some.map(({ ms }) => ms),
            share,
          ),
        ),
      ]),
    ),
  };
}
