import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance } from 'axios';
import { Job } from '../contract/job.ts';
import { writeChunks } from '../storage/write-all.ts';

/** A failure that is printed as its message only. Any other error is a bug and is printed with its stack. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** An HTTP client of the service with an API key. Failures are thrown as `Refused`. */
export const createClient = (url: string, key: string): AxiosInstance => {
  const client = axios.create({
    baseURL: url,
    headers: { authorization: `Bearer ${key}` },
    maxBodyLength: Number.POSITIVE_INFINITY,
    maxContentLength: Number.POSITIVE_INFINITY,
    proxy: false,
  });
  client.interceptors.response.use(undefined, (error: unknown) => {
    throw refusal(url, error);
  });
  return client;
};

const refusal = (url: string, error: unknown): unknown => {
  if (!axios.isAxiosError(error)) return error;
  if (!error.response)
    return new Refused(
      `The service at ${url} does not answer (${error.code ?? error.message}). Is it running?`,
    );
  const { detail, errors, code } = error.response.data ?? {};
  const faults = Array.isArray(errors)
    ? errors.map((fault) => `\n  ${fault.pointer}: ${fault.detail}`)
    : [];
  return new Refused(
    `${error.response.status} ${code ?? ''}: ${detail ?? error.message}${faults.join('')}`,
  );
};

/** A local file and the name of the multipart part in which it is sent. */
export type FilePart = { readonly part: string; readonly path: string };

/** Sends files and fields to a route that creates a job; answers the job without waiting for its result. */
export const postJob = async (
  client: AxiosInstance,
  path: string,
  files: readonly FilePart[],
  fields: Readonly<Record<string, string>>,
): Promise<Job> => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const file of files) {
    form.append(file.part, await openAsBlob(file.path), basename(file.path));
  }
  const answer = await client.post(path, form, { headers: { prefer: 'respond-async' } });
  return Job.parse(answer.data);
};

const pollMs = 400;

/** Polls a job until it is finished and calls `show` with every state. */
export const follow = async (
  client: AxiosInstance,
  first: Job,
  show: (job: Job) => void,
  signal: AbortSignal,
): Promise<Job> => {
  let job = first;
  for (;;) {
    show(job);
    if (job.finished_at !== null) return job;
    await sleep(pollMs, undefined, { signal });
    job = Job.parse((await client.get(`/v1/jobs/${job.id}`, { signal })).data);
  }
};

/**
 * Downloads a result into a file of its own beside `target` and renames it: a broken download leaves no file, and two
 * downloads to one target do not mix. The link is signed, so the API key is not sent.
 */
export const download = async (url: string, target: string, signal: AbortSignal): Promise<void> => {
  const partial = join(dirname(target), `.enhance-${randomUUID()}.part`);
  try {
    const answer = await axios.get<Readable>(url, { responseType: 'stream', proxy: false, signal });
    await writeChunks(partial, answer.data, signal);
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
};
