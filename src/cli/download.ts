import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Client } from '../../client/client.ts';
import { writeChunks } from '../storage/write-all.ts';
import { Refused } from './refused.ts';

type Wanted = {
  readonly result: { readonly id: string; readonly output_url: string };
  readonly target: string;
  readonly signal?: AbortSignal;
};

/** Saves a result. It is paid for, so where saving fails the message says how to get it later. Throws Refused. */
export const fetchResult = async (
  service: Pick<Client, 'download'>,
  { result, target, signal = new AbortController().signal }: Wanted,
): Promise<void> => {
  try {
    await saveWhole(service, { result, target, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new Refused(
      `The result could not be fetched: ${error instanceof Error ? error.message : error}\n  enhance jobs watch ${result.id} --output PATH fetches it again, at no cost.`,
    );
  }
};

/** How often a download is begun whose connection breaks in its middle. One that gets no answer is repeated by the client. */
const ATTEMPTS = 3;

const saveWhole = async (
  service: Pick<Client, 'download'>,
  { result, target, signal }: Required<Wanted>,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await service.download(result, signal);
    try {
      return await saveAs(target, answer, signal);
    } catch (error) {
      // A broken connection is a TypeError of fetch; a full disk or a missing folder is another error.
      if (attempt === ATTEMPTS || !(error instanceof TypeError)) throw error;
    }
  }
};

/**
 * Writes an answer into a file of its own beside `target` and renames it: a broken download leaves no file, and two
 * downloads to one target do not mix.
 */
export const saveAs = async (
  target: string,
  answer: Response,
  signal: AbortSignal,
): Promise<void> => {
  const partial = join(dirname(target), `.enhance-${randomUUID()}.part`);
  try {
    const body = answer.body ? Readable.fromWeb(answer.body) : Readable.from([]);
    await writeChunks(partial, body, signal);
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
};
