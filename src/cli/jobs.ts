/** `enhance jobs list|show|watch|cancel|delete`: the jobs of the key's account. */
import type { Job } from '../../client/contract.ts';
import { counted } from '../text/counted.ts';
import { type Calling, serviceOf, throughRestart } from './calling.ts';
import { fetchResult } from './download.ts';
import { checkTarget } from './paths.ts';
import { openBars } from './progress-bars.ts';

type Options = Calling & { readonly json?: boolean };
type ListOptions = Options & {
  readonly status?: Job['status'];
  readonly kind?: string;
  readonly limit: number;
};

export const listJobs = async (options: ListOptions): Promise<void> => {
  const { status, kind, limit, json } = options;
  const { data } = await serviceOf(options).jobs.list({
    limit,
    ...(status && { status }),
    ...(kind && { kind }),
  });
  if (json) return console.log(JSON.stringify(data));
  if (data.length === 0) console.error(`The account has no ${status || kind ? 'such ' : ''}jobs.`);
  for (const job of data) console.log(lineOf(job));
};

export const showJob = async (id: string, options: Options): Promise<void> =>
  print(await serviceOf(options).jobs.get(id), options);

export const cancelJob = async (id: string, options: Options): Promise<void> =>
  print(await serviceOf(options).jobs.cancel(id), options);

export const deleteJob = async (id: string, options: Options): Promise<void> => {
  const job = await serviceOf(options).jobs.erase(id);
  console.log(options.json ? JSON.stringify(job) : `The media of ${id} are erased.`);
};

type WatchOptions = Options & { readonly output?: string; readonly force?: boolean };

/** Waits for the job's end; exit code 1 when it has no result. With --output that is downloaded. */
export const watchJob = async (id: string, options: WatchOptions): Promise<void> => {
  const { output, force = false } = options;
  if (output) checkTarget(output, [], { force });
  const first = await serviceOf(options).jobs.get(id);
  const bars = openBars();
  const service = serviceOf(options, throughRestart(bars.say));
  const job = await service.wait(first, { onUpdate: bars.add(id) }).finally(bars.close);
  print(job, options);
  if (job.status !== 'succeeded') process.exitCode = 1;
  if (output) await fetchResult(service, { result: await service.result(job), target: output });
};

const print = (job: Job, { json }: Options): void => {
  console.log(json ? JSON.stringify(job) : lineOf(job));
  if (json) return;
  if (job.error) console.log(`  ${job.error.code}: ${job.error.detail}`);
  if (job.result) console.log(`  ${job.result.output_url}`);
};

const lineOf = (job: Job): string => {
  const { id, created_at, kind, model, status, cost } = job;
  return `${id}  ${created_at}  ${kind} ${model}  ${status}${standOf(job)}  ${counted(cost.charged, 'credit')}`;
};

/** How far it is, or how long it still waits. */
const standOf = ({ status, progress, queue_position, queue_eta_seconds }: Job): string => {
  if (status === 'processing' && progress) return ` ${Math.floor(progress.percent)}%`;
  if (queue_position === null) return '';
  const starts = queue_eta_seconds === null ? '' : `, starts in about ${queue_eta_seconds} s`;
  return `, place ${queue_position}${starts}`;
};
