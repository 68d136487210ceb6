import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Job } from '../contract/job.ts';
import { createClient, download, follow, type Part, postJob, Refused } from './client.ts';

/** What every command that makes a job is told. */
export type Calling = { readonly url: string; readonly key: string; readonly output: string };

type Asked = {
  readonly path: string;
  readonly parts: readonly Part[];
  readonly fields: Readonly<Record<string, string>>;
};
type Result = NonNullable<Job['result']>;

/**
 * Sends files, shows the progress of the job, downloads its result and answers it. Ctrl-C cancels the job.
 * Places that cannot be are refused before anything is sent, and paid for.
 */
export const runJob = async (
  { path, parts, fields }: Asked,
  { url, key, output }: Calling,
): Promise<Result> => {
  checkPlaces(parts, output);
  const client = createClient(url, key);
  const job = await postJob(client, path, parts, fields);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const bar = progressBar();
  try {
    const ended = await follow(client, job, bar.show, stop.signal).finally(bar.close);
    return await fetchResult(ended, output, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    const { data } = await client.post(`/v1/jobs/${job.id}/cancel`);
    const { cost } = Job.parse(data);
    throw new Refused(`Stopped; the job ${job.id} was charged ${cost.charged} credits.`);
  }
};

const checkPlaces = (parts: readonly Part[], output: string): void => {
  for (const { path } of parts) {
    if (!existsSync(path)) throw new Refused(`There is no file ${path}.`);
    if (!statSync(path).isFile()) throw new Refused(`${path} is not a file.`);
  }
  const folder = dirname(resolve(output));
  if (!existsSync(folder)) throw new Refused(`There is no folder ${folder} for the result.`);
};

const fetchResult = async (job: Job, target: string, signal: AbortSignal): Promise<Result> => {
  const { id, status, result, error } = job;
  if (status !== 'succeeded' || !result)
    throw new Refused(`The job ${id} ${status}: ${error?.detail ?? 'no reason given'}`);
  await download(result.output_url, target, signal);
  const paid = result.cached ? 'cached, free' : `${result.credits_used} credits`;
  console.error(`${target}: ${result.input_size} -> ${result.output_size}, ${paid}`);
  return result;
};

/** A bar on a terminal, nothing elsewhere. */
const progressBar = () => {
  if (!process.stderr.isTTY) return { show: () => undefined, close: () => undefined };
  const bar = new SingleBar({
    stream: process.stderr,
    format: '{bar} {percentage}% {stage} {frames} {eta_text}',
    hideCursor: true,
  });
  bar.start(100, 0, { stage: 'queued', frames: '', eta_text: '' });
  const show = ({ status, progress }: Job): void => {
    const { stage, percent, frames_done, frames_total, eta_seconds } = progress ?? {};
    bar.update(percent ?? 0, {
      stage: stage ?? status,
      frames: frames_total ? `${frames_done}/${frames_total}` : '',
      eta_text: eta_seconds ? `${Math.round(eta_seconds)} s left` : '',
    });
  };
  return { show, close: () => bar.stop() };
};
