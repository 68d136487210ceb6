import { existsSync, statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Job } from '../contract/job.ts';
import { createClient, download, follow, postJob, Refused } from './client.ts';

type Options = {
  readonly model: string;
  readonly scale: string;
  readonly output: string;
  readonly url: string;
  readonly key: string;
  readonly format?: string;
  readonly quality?: string;
};

const formats: Readonly<Record<string, string>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
  '.avif': 'avif',
  '.mp4': 'mp4',
};

/** `enhance upscale FILE -o OUT`: sends, shows the progress, downloads. Ctrl-C cancels the job. */
export const upscale = async (file: string, options: Options): Promise<void> => {
  checkPlaces(file, options.output);
  const client = createClient(options.url, options.key);
  const job = await postJob(
    client,
    '/v1/upscale',
    { part: partOf(options.output), path: file },
    fieldsOf(options),
  );

  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const bar = progressBar();
  try {
    const ended = await follow(client, job, bar.show, stop.signal).finally(bar.close);
    await fetchResult(ended, options.output, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    const { data } = await client.post(`/v1/jobs/${job.id}/cancel`);
    const { cost } = Job.parse(data);
    throw new Refused(`Stopped; the job ${job.id} was charged ${cost.charged} credits.`);
  }
};

/** Before anything is sent, and paid for. */
const checkPlaces = (file: string, output: string): void => {
  if (!existsSync(file)) throw new Refused(`There is no file ${file}.`);
  if (!statSync(file).isFile()) throw new Refused(`${file} is not a file.`);
  const folder = dirname(resolve(output));
  if (!existsSync(folder)) throw new Refused(`There is no folder ${folder} for the result.`);
};

const fetchResult = async (job: Job, target: string, signal: AbortSignal): Promise<void> => {
  const { id, status, result, error } = job;
  if (status !== 'succeeded' || !result)
    throw new Refused(`The job ${id} ${status}: ${error?.detail ?? 'no reason given'}`);
  await download(result.output_url, target, signal);
  const paid = result.cached ? 'cached, free' : `${result.credits_used} credits`;
  console.error(`${target}: ${result.input_size} -> ${result.output_size}, ${paid}`);
};

/** The content decides what a file is; the part's name only has to be one of the two. */
const partOf = (output: string) => (extname(output).toLowerCase() === '.mp4' ? 'video' : 'image');

const fieldsOf = ({ model, scale, output, format, quality }: Options): Record<string, string> => {
  const wanted = format ?? formats[extname(output).toLowerCase()];
  if (!wanted) {
    const known = Object.keys(formats).join(' ');
    throw new Refused(`${output} must end in one of ${known}, or say --format.`);
  }
  return {
    model,
    scale,
    output_format: wanted,
    ...(quality === undefined ? {} : { output: JSON.stringify({ quality: Number(quality) }) }),
  };
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
