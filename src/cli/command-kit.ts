/** What the CLI lends an operation to make its command of. */
import type { Command } from 'commander';
import type { JobResult } from '../contract/job.ts';

/** What every command that makes a job is told. */
export type Calling = { readonly url: string; readonly key: string; readonly output: string };

/** A file under the name that the API gives its part. */
export type FilePart = { readonly part: string; readonly path: string };

export type JobRequest = {
  readonly path: string;
  readonly parts: readonly FilePart[];
  readonly fields: Readonly<Record<string, string>>;
};

export type CommandKit = {
  /** A new command that takes --url, --key and the required --output. `usage`: "upscale <file>". */
  command(usage: string, outputHelp: string): Command;
  /** Fills in the key. Throws what `refuse` makes when there is none. */
  keyed<T extends { readonly key?: string }>(options: T): T & { readonly key: string };
  /** Sends files, shows the progress of the job, downloads its result and answers it. */
  runJob(request: JobRequest, calling: Calling): Promise<JobResult>;
  /** A sentence for the person at the terminal, to be thrown. */
  refuse(sentence: string): Error;
};
