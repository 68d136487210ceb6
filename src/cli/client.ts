import { openAsBlob } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance } from 'axios';
import { Job } from '../contract/job.ts';
import { writeChunks } from '../storage/write-all.ts';

/** A sentence for the person at the terminal; anything else that is thrown is a bug and keeps its stack. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The service over HTTP, with the key of one account. */
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
    return new Refused(`${url} does not answer (${error.code ?? error.message}); is it running?`);
  const { detail, errors, code } = error.response.data ?? {};
  const faults = Array.isArray(errors)
    ? errors.map((fault) => `\n  ${fault.pointer}: ${fault.detail}`)
    : [];
  return new Refused(
    `${error.response.status} ${code ?? ''}: ${detail ?? error.message}${faults.join('')}`,
  );
};

/** A file under the name that the API gives its part. */
export type Part = { readonly part: string; readonly path: string };

/** Sends files with their fields and answers the job that they became. */
export const postJob = async (
  client: AxiosInstance,
  path: string,
  files: readonly Part[],
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

/** Watches a job to its end. */
export const follow = async (
  client: AxiosInstance,
  first: Job,
  watch: (job: Job) => void,
  signal: AbortSignal,
): Promise<Job> => {
  let job = first;
  for (;;) {
    watch(job);
    if (job.finished_at !== null) return job;
    await sleep(pollMs, undefined, { signal });
    job = Job.parse((await client.get(`/v1/jobs/${job.id}`, { signal })).data);
  }
};

/**
 * Downloads a result beside its place and renames it, so that a broken download leaves no half file.
 * The link is signed: the key does not travel.
 */
export const download = async (url: string, target: string, signal: AbortSignal): Promise<void> => {
  const aside = `${target}.part`;
  try {
    const answer = await axios.get<Readable>(url, { responseType: 'stream', proxy: false, signal });
    await writeChunks(aside, answer.data, signal);
    await rename(aside, target);
  } finally {
    await rm(aside, { force: true });
  }
};
