/** What the commands of operations do: make jobs of files, addresses and ids and fetch their results, or tell the price. */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { Estimate, Job } from '../../client/contract.ts';
import { EnhanceError, NoAnswerError } from '../../client/errors.ts';
import { inOrder } from '../async/in-order.ts';
import { Failure } from '../errors.ts';
import { counted } from '../text/counted.ts';
import { type Calling, serviceOf, throughRestart } from './calling.ts';
import { fetchResult } from './download.ts';
import { checkSource, checkTarget, isRemote, type Source } from './paths.ts';
import { openBars } from './progress-bars.ts';
import { Refused } from './refused.ts';

/** One job as a command asks for it. */
export type Wish = {
  /** Sources by the name of their file part, such as "image"; an address or an id goes into `<name>_url`. */
  readonly sources: Readonly<Record<string, Source>>;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Path of the result; absent where only the price is asked. */
  readonly target?: string;
};
export type JobOptions = Calling & { readonly json?: boolean; readonly force?: boolean };
type Result = NonNullable<Job['result']>;

/** What is done with the wishes of an operation's command. */
export type Use = {
  /** Adds the options that all operations' commands have. */
  readonly adopt: (command: Command) => Command;
  readonly send: (
    kind: string,
    wishes: readonly Wish[],
    options: JobOptions,
    tell?: (result: Result) => readonly string[],
  ) => Promise<void>;
};

/** The most jobs of one command that are under way at a time. */
const atOnce = 4;

/** Makes the jobs, shows their progress and downloads their results. Ctrl-C cancels them. */
export const runJobs: Use['send'] = async (kind, wishes, options, tell = () => []) => {
  check(wishes, options);
  const service = serviceOf(options);
  const stop = new AbortController();
  const cancel = () => stop.abort(new Refused('Stopped.'));
  process.once('SIGINT', cancel);
  const bars = openBars();
  const patient = serviceOf(options, throughRestart(bars.say));
  let isAccepted = false;
  const run = async (wish: Wish): Promise<Told> => {
    const target = wish.target ?? '';
    const show = bars.add(target);
    try {
      const job = await startJob(isAccepted ? patient : service, kind, wish, stop.signal);
      isAccepted = true;
      const result = await finish(job, target, { service, patient, show, signal: stop.signal });
      return { wish, result, error: null };
    } catch (error) {
      return { wish, result: null, error };
    }
  };
  try {
    for await (const told of inOrder(wishes, atOnce, run)) report(told, options, tell);
  } finally {
    process.off('SIGINT', cancel);
    bars.close();
  }
};

type Told = { readonly wish: Wish; readonly result: Result | null; readonly error: unknown };
type Watch = {
  readonly service: Client;
  /** The same one, for as long as it takes to start again. */
  readonly patient: Client;
  readonly show: (job: Job) => void;
  readonly signal: AbortSignal;
};

const finish = async (started: Job, target: string, watch: Watch): Promise<Result> => {
  const { service, patient, show, signal } = watch;
  try {
    const job = await patient.wait(started, { onUpdate: show, signal });
    const result = await patient.result(job);
    await fetchResult(patient, { result, target, signal });
    return result;
  } catch (error) {
    if (signal.aborted) throw new Refused(await stop(service, started.id));
    if (!(error instanceof NoAnswerError)) throw error;
    throw new Refused(
      `${error.message}\n  The job goes on: enhance jobs watch ${started.id} --output PATH follows it to its result.`,
    );
  }
};

/** Cancels the job; what became of it. */
const stop = async ({ jobs }: Client, id: string): Promise<string> => {
  try {
    return stoppedText(await jobs.cancel(id));
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return `Stopped waiting. ${error.message}\n  The job goes on: enhance jobs cancel ${id} cancels it.`;
  }
};

const startJob = async (
  service: Client,
  kind: string,
  wish: Wish,
  signal: AbortSignal,
): Promise<Job> => {
  const headers = { prefer: 'respond-async', 'idempotency-key': crypto.randomUUID() };
  const body = await bodyOf(wish);
  const asked = { method: 'POST', body, headers, signal } as const;
  signal.throwIfAborted();
  try {
    return JSON.parse(await (await service.request(`/v1/${kind}`, asked)).text());
  } catch (error) {
    if (!signal.aborted) throw error;
    // The service goes on with a request whose body it has in full, and its answer cannot be had any more.
    throw new Refused(
      'Stopped before the service told the job. If everything had been sent, the job goes on: enhance jobs list shows it, enhance jobs cancel ID cancels it.',
    );
  }
};

const bodyOf = async ({ sources, fields }: Wish): Promise<Record<string, unknown>> => {
  const entries = Object.entries(sources).map(async ([name, source]) =>
    isRemote(source)
      ? ([`${name}_url`, source] as const)
      : ([name, new File([await openAsBlob(source)], basename(source))] as const),
  );
  return { ...fields, ...Object.fromEntries(await Promise.all(entries)) };
};

/** A result replaces no source, be it that of another wish. */
const check = (wishes: readonly Wish[], { force = false }: JobOptions): void => {
  const all = wishes.flatMap(({ sources }) => Object.values(sources));
  all.forEach(checkSource);
  for (const { target } of wishes) if (target !== undefined) checkTarget(target, all, { force });
};

const report = (
  { wish, result, error }: Told,
  { json }: JobOptions,
  tell: (result: Result) => readonly string[],
): void => {
  if (!result) {
    if (!isExpected(error)) throw error;
    process.exitCode = 1;
    console.error(`${refusedOf(wish, error)}: ${error.message}`);
    return;
  }
  const { target } = wish;
  if (json) console.log(JSON.stringify({ ...result, file: target }));
  const paid = result.cached ? 'cached, free' : counted(result.credits_used, 'credit');
  console.error(`${target}: ${result.input_size} -> ${result.output_size}, ${paid}`);
  for (const line of tell(result)) console.error(line);
  for (const { detail } of result.warnings) console.error(`Note: ${detail}`);
};

const sourcesOf = ({ sources }: Wish): string => Object.values(sources).join(', ');

/** The source that a refusal speaks of; all of them where it names none. */
const refusedOf = (wish: Wish, error: Error): string => {
  const [fault] = error instanceof EnhanceError ? (error.problem.errors ?? []) : [];
  const field = fault?.pointer.replace(/^\/|_url$/g, '') ?? '';
  return new Map(Object.entries(wish.sources)).get(field) ?? sourcesOf(wish);
};

/** Errors that are shown by their message alone: our own refusals and those of the service. */
export const isExpected = (error: unknown): error is Error =>
  [Refused, Failure, EnhanceError, NoAnswerError].some((kind) => error instanceof kind);

/** A job that other requests share goes on after a cancel, until they have left too. */
const stoppedText = ({ id, cost, finished_at }: Job): string =>
  finished_at === null
    ? `Stopped waiting. The job ${id} was told to stop; it goes on only if other requests share it.`
    : `Stopped. The job ${id} cost ${counted(cost.charged, 'credit')}.`;

/** Tells what the jobs would cost. */
export const tellPrices: Use['send'] = async (kind, wishes, options) => {
  check(wishes, options);
  const service = serviceOf(options);
  const price = async (wish: Wish): Promise<Estimate> => {
    const asked = { method: 'POST', body: await bodyOf(wish), safe: true } as const;
    return JSON.parse(await (await service.request(`/v1/${kind}/estimate`, asked)).text());
  };
  const names = wishes.map(sourcesOf);
  let sum = 0;
  for await (const estimate of inOrder(wishes, atOnce, price)) {
    sum += estimate.cached ? 0 : estimate.credits;
    const name = names.shift();
    if (options.json) console.log(JSON.stringify(estimate));
    else console.log(`${name}: ${priceText(estimate)}`);
    for (const { detail } of estimate.warnings ?? []) console.error(`Note: ${detail}`);
  }
  if (!options.json && wishes.length > 1) console.log(`${counted(sum, 'credit')} together`);
};

const priceText = ({ cached, credits, lines, available_credits, ...sizes }: Estimate): string => {
  const change = `${sizes.input_size} -> ${sizes.output_size}`;
  if (cached) return `cached, free: ${change}`;
  return [
    `${counted(credits, 'credit')} of ${available_credits}: ${change}`,
    ...lines.map(({ text, credits }) => `  ${text}: ${credits}`),
  ].join('\n');
};
