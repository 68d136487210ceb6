/** Attacks a real service with inputs that a seed makes, and tells all that did not hold. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Job } from '../../../src/contract/job.ts';
import { failures } from '../../../src/errors.ts';
import { tempDir } from '../../real/run.ts';
import { type Caller, ended, type RealService } from '../../real/service.ts';
import { type Attack, isHead, type Target, wire } from './attack.ts';
import { httpAttack } from './http.ts';
import { jsonAttack } from './json.ts';
import { faultsIn, type Rules } from './judge.ts';
import { makeSamples, mediaAttack, type Sample } from './media.ts';
import { multipartAttack, tinyPng } from './multipart.ts';
import { randomAt } from './random.ts';
import { send } from './send.ts';
import { type Found, openTally, type Slow, type Tally } from './tally.ts';
import { type Figures, figuresOf, watchHealth } from './watch.ts';

/** What a fuzzed service is started with: no rate, queue or quota may hide a fault. */
export const fuzzSettings = {
  RATE_CREATE_PER_MINUTE: '1000000',
  RATE_READ_PER_MINUTE: '1000000',
  RATE_BAD_KEYS_PER_MINUTE: '1000000',
  ACCOUNT_QUEUED_LIMIT: '10000',
  ACCOUNT_UPLOAD_FILES: '100000',
};

export type Plan = {
  readonly seed: number;
  /** Places in the seed's row of inputs. */
  readonly indexes: readonly number[];
  /** The share of media inputs that ask for a job; the others ask for a price or are uploaded. */
  readonly jobShare: number;
  /** Attacks under way at a time. */
  readonly lanes: number;
  /** Codes of 5xx that the stack at hand cannot avoid. */
  readonly expected?: readonly string[];
  /** Nothing new is sent after it; the answers are waited for. */
  readonly until?: AbortSignal;
};

export type Report = {
  readonly seed: number;
  readonly inputs: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  readonly jobs: Readonly<Record<string, number>>;
  readonly slowest: readonly Slow[];
  readonly longest_block_ms: number;
  readonly api: { readonly before: Figures; readonly after: Figures };
  readonly worker: { readonly before: Figures; readonly after: Figures };
  readonly found: readonly Found[];
};

export const answerWithinMs = 10_000;
const jobsWithinMs = 120_000;

export const fuzz = async (service: RealService, plan: Plan): Promise<Report> => {
  const samples = await makeSamples(join(tempDir('fuzz'), 'samples'));
  const caller = await service.caller(1_000_000);
  const target = await settle(service, caller, plan.jobShare > 0);
  const { secrets, files, http } = service.config;
  const rules: Rules = {
    secrets: [secrets.pepper, secrets.signing, service.adminKey, files.dir],
    expected: plan.expected ?? [],
  };
  const keys = { key: caller.key, adminKey: service.adminKey };
  let { api } = service;
  const before = figures(api, service);
  const health = watchHealth(http.port);
  const tally = openTally(plan.seed);

  const attackOnce = async (index: number): Promise<void> => {
    const attack = attackAt(plan, index, samples, target);
    const exchange = await send(wire(attack, keys), {
      port: http.port,
      ending: attack.ending,
      isRaw: attack.raw !== undefined,
      withoutBody: isHead(attack),
      withinMs: answerWithinMs,
    });
    tally.add(attack, index, exchange);
    tally.find(attack, index, faultsIn(attack, exchange, rules));
  };
  // Which of those that were under way when the API died killed it shows when each comes alone.
  const attackTogether = async (indexes: readonly number[]): Promise<void> => {
    await Promise.all(indexes.map(attackOnce));
    const death = await endOf(api.exited);
    if (!death) return;
    api = await service.startApi();
    tally.forget(indexes);
    if (indexes.length === 1)
      return tally.find(attackAt(plan, indexes[0] ?? 0, samples, target), indexes[0] ?? 0, [
        `the API died: ${death}`,
      ]);
    for (const index of indexes) await attackTogether([index]);
  };

  for (let at = 0; at < plan.indexes.length && !plan.until?.aborted; at += plan.lanes) {
    await attackTogether(plan.indexes.slice(at, at + plan.lanes));
    const dead = await endOf(service.worker.ended());
    if (dead) {
      tally.findAfter(`the worker died before input ${at + plan.lanes}: ${dead}`);
      await service.worker.start();
    }
  }
  await health.stop();
  const jobs = await afterJobs(caller, tally);
  await afterAll(service, tally);
  const after = await settled(() => figures(api, service), before);
  tally.findAfter(...grown('API', before.api, after.api));
  tally.findAfter(...grown('worker', before.worker, after.worker));
  if (health.longestMs() > longestBlockMs)
    tally.findAfter(`/healthz was not answered for ${health.longestMs()} ms`);
  return {
    seed: plan.seed,
    ...tally.figures(),
    jobs,
    longest_block_ms: health.longestMs(),
    api: { before: before.api, after: after.api },
    worker: { before: before.worker, after: after.worker },
    found: tally.found(),
  };
};

/** The attack at a place of the seed's row. */
export const attackAt = (
  { seed, jobShare }: Pick<Plan, 'seed' | 'jobShare'>,
  index: number,
  samples: readonly Sample[],
  target: Target,
): Attack => {
  const random = randomAt(seed, index);
  const kinds = {
    multipart: () => multipartAttack(random),
    json: () => jsonAttack(random, target),
    http: () => httpAttack(random, target),
    media: () => mediaAttack(random, samples, jobShare),
  };
  return kinds[random.pick(['multipart', 'json', 'http', 'media'] as const)]();
};

/** How a process ended, once it did. */
const endOf = (exited: Promise<string>): Promise<string | undefined> =>
  Promise.race([exited, sleep(30, undefined)]);

/** What the service holds before it is attacked. It has then done once what it prepares only when it is first needed. */
const settle = async (service: RealService, caller: Caller, withJobs: boolean): Promise<Target> => {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(tinyPng)]), 'a.png');
  const { data } = await caller.http.post('/v1/uploads', form);
  const other = await service.caller(100);
  const [job, othersJob] = await Promise.all(
    [caller, other].map(async ({ http, until }) => {
      if (!withJobs) return 'job_0';
      const body = new FormData();
      body.append('model', 'photo');
      body.append('scale', '2');
      body.append('image', new Blob([Uint8Array.from(tinyPng)]), 'a.png');
      const made = await http.post('/v1/upscale', body, { headers: { prefer: 'respond-async' } });
      return (await until(made.data.id, ended)).id;
    }),
  );
  return { upload: data.url, job: job ?? '', othersJob: othersJob ?? '' };
};

/** Until every job has ended; tells those that failed for a reason of ours. Jobs by how they ended. */
const afterJobs = async ({ http }: Caller, tally: Tally): Promise<Record<string, number>> => {
  const deadline = Date.now() + jobsWithinMs;
  const unfinished = async (): Promise<number> => {
    const lists = await Promise.all(
      ['queued', 'processing'].map((status) => http.get(`/v1/jobs?status=${status}`)),
    );
    return lists.reduce((sum, { data }) => sum + data.data.length, 0);
  };
  while ((await unfinished()) > 0 && Date.now() < deadline) await sleep(200);
  const late = await unfinished();
  if (late > 0) tally.findAfter(`${late} jobs did not end within ${jobsWithinMs} ms`);
  const ends: Record<string, number> = {};
  for await (const job of allJobs(http)) {
    const how = job.error?.code ?? job.status;
    ends[how] = (ends[how] ?? 0) + 1;
    const status = job.error?.status ?? 0;
    if (status >= 500 || (job.error && !Object.hasOwn(failures, job.error.code)))
      tally.findJob(job.id, `its job failed: ${JSON.stringify(job.error)}`);
  }
  return ends;
};

const Jobs = z.object({ data: z.array(Job), has_more: z.boolean() });

async function* allJobs(http: Caller['http']): AsyncGenerator<Job> {
  let after = '';
  for (;;) {
    const { data } = await http.get(`/v1/jobs?limit=100${after}`);
    const jobs = Jobs.parse(data).data;
    yield* jobs;
    const last = jobs.at(-1);
    if (!data.has_more || !last) return;
    after = `&starting_after=${last.id}`;
  }
}

/** What must be so once nothing goes on: no files but what is kept, no holds, a ledger that adds up. */
const afterAll = async (service: RealService, tally: Tally): Promise<void> => {
  const leftovers = () =>
    ['incoming', 'inputs', 'attempts'].flatMap((folder) =>
      readdirSync(join(service.config.files.dir, folder)).map((name) => `${folder}/${name}`),
    );
  for (let tries = 0; tries < 100 && leftovers().length > 0; tries += 1) await sleep(100);
  const left = leftovers();
  if (left.length > 0)
    tally.findAfter(`${left.length} files were left: ${left.slice(0, 5).join(', ')}`);
  for (const account of await service.ledger.accounts()) {
    const { differences } = await service.audit(account);
    const { held } = await service.ledger.balance(account);
    tally.findAfter(...differences.map((difference) => `${account}: ${difference}`));
    if (held > 0) tally.findAfter(`${account}: ${held} credits are still held`);
  }
};

const figures = (api: { readonly pid: number }, { worker }: RealService) => ({
  api: figuresOf(api.pid),
  worker: figuresOf(worker.pid()),
});
type Both = ReturnType<typeof figures>;

/** Connections and decoders take a moment to go. */
const settled = async (look: () => Both, before: Both): Promise<Both> => {
  const isOpen = ({ api, worker }: Both) =>
    api.fds > before.api.fds + mostFds || worker.fds > before.worker.fds + mostFds;
  for (let tries = 0; tries < 50 && isOpen(look()); tries += 1) await sleep(100);
  return look();
};

/** What a pool of connections may hold more than at the beginning. */
const mostFds = 8;
/** The collector gives memory back late: this is for what grows with each input. */
const mostMiB = 300;
/** A fifth of a second is what the service promises; the rest is for a machine that has other work. */
const longestBlockMs = 2000;

const grown = (name: string, before: Figures, after: Figures): string[] => [
  ...(after.fds > before.fds + mostFds
    ? [`${name}: ${after.fds} files open, ${before.fds} before`]
    : []),
  ...(after.rss_mib > before.rss_mib + mostMiB
    ? [`${name}: ${after.rss_mib} MiB, ${before.rss_mib} before`]
    : []),
  ...(after.decoders > before.decoders
    ? [`${name}: ${after.decoders} decoders run, ${before.decoders} before`]
    : []),
];
