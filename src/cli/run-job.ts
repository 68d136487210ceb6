import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Job } from '../contract/job.ts';
import { counted } from '../counted.ts';
import { createClient, download, type FilePart, follow, postJob, Refused } from './client.ts';

/** The options of every command that creates a job. */
export type JobOptions = { readonly url: string; readonly key: string; readonly output: string };

type JobRequest = {
  readonly path: string;
  readonly parts: readonly FilePart[];
  readonly fields: Readonly<Record<string, string>>;
};
type Result = NonNullable<Job['result']>;

/**
 * Sends files, shows the progress of the job, downloads its result and answers it. Ctrl-C cancels the job.
 * Paths that cannot be read or written are refused before anything is sent or paid for.
 */
export const runJob = async (
  { path, parts, fields }: JobRequest,
  { url, key, output }: JobOptions,
): Promise<Result> => {
  checkPaths(parts, output);
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
    throw new Refused(stoppedText(Job.parse(data)));
  }
};

/** A job that other requests share goes on after a cancel, until they have left too. */
const stoppedText = ({ id, cost, finished_at }: Job): string =>
  finished_at === null
    ? `Stopped waiting. The job ${id} was told to stop; it goes on only if other requests share it.`
    : `Stopped. The job ${id} cost ${counted(cost.charged, 'credit')}.`;

const checkPaths = (parts: readonly FilePart[], output: string): void => {
  for (const { path } of parts) {
    if (!existsSync(path)) throw new Refused(`There is no file ${path}.`);
    if (!statSync(path).isFile()) throw new Refused(`${path} is not a file.`);
  }
  const folder = dirname(resolve(output));
  if (!existsSync(folder)) throw new Refused(`There is no folder ${folder} for the result.`);
};

const fetchResult = async (job: Job, target: string, signal: AbortSignal): Promise<Result> => {
  const { status, result } = job;
  if (status !== 'succeeded' || !result) throw new Refused(endOf(job));
  await download(result.output_url, target, signal);
  const paid = result.cached ? 'cached, free' : counted(result.credits_used, 'credit');
  console.error(`${target}: ${result.input_size} -> ${result.output_size}, ${paid}`);
  return result;
};

const endOf = ({ id, status, error }: Job): string =>
  error ? `The job ${id} failed: ${error.detail}` : `The job ${id} ended as ${status}.`;

/** A progress bar when stderr is a terminal, otherwise nothing. */
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
