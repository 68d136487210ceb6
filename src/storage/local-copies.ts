import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../errors.ts';
import type { CheckpointPlace } from './checkpoints.ts';
import type { Store } from './store.ts';
import { jobOf } from './sweep.ts';
import type { Admit } from './write-all.ts';

/** The files of a job on the disk of the machine that works on it. */
export type LocalCopies = {
  /**
   * Copies the job's inputs here; answers the path of each role, also of one that was never kept. Failure storage_full when
   * the disk has no room for them, storage_failed when none is there.
   */
  fetchInputs(signal?: AbortSignal): Promise<(role: string) => string>;
  /** Where it finds and leaves what another need not do again. */
  readonly checkpoints: CheckpointPlace;
  /** Removes all of it from the disk; what is in the store stays. */
  remove(): Promise<void>;
};

type Places = { readonly store: Store; readonly admit: Admit; readonly parent: string };

/** The name of an input in the store. */
export const inputName = (jobId: string, role: string): string =>
  role === 'media' ? jobId : `${jobId}.${role}`;

/** Each in a folder of its own: several may work on one job beside each other, on one disk. */
export const openLocalCopies = (jobId: string, { store, admit, parent }: Places): LocalCopies => {
  const folder = join(parent, `${jobId}.${randomUUID()}.local`);
  const inputs = join(folder, 'inputs');
  return {
    fetchInputs: async (signal) => {
      await mkdir(inputs, { recursive: true, mode: 0o700 });
      let count = 0;
      for await (const { name } of store.list('inputs', jobId)) {
        if (jobOf(name) !== jobId) continue;
        if (await store.fetch(`inputs/${name}`, join(inputs, name), { signal, admit })) count += 1;
      }
      if (count === 0) throw new Failure('storage_failed', { reason: "the job's inputs are gone" });
      return (role) => join(inputs, inputName(jobId, role));
    },
    checkpoints: {
      folder: join(folder, 'checkpoints'),
      shared: {
        put: (name, path) => store.put(`checkpoints/${jobId}.${name}`, path),
        has: async (name) => (await store.size(`checkpoints/${jobId}.${name}`)) !== null,
        fetch: (name, path) => store.fetch(`checkpoints/${jobId}.${name}`, path, { admit }),
      },
    },
    // Retried, as a file may be created in a folder while it is being removed.
    remove: () => rm(folder, { force: true, recursive: true, maxRetries: 3 }),
  };
};
