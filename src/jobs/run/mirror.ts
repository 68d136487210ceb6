import { link } from 'node:fs/promises';
import { asFailure } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Enhance } from '../../operations/enhance.ts';
import type { Files } from '../../storage/files.ts';
import type { ReadableJob } from '../record/record.ts';

type Parts = { readonly enhance: Enhance; readonly files: Files; readonly log: Log };

/** A copy of a job's result, beside it, for as long as it is compared; null where the job is not mirrored. */
export const keepForMirror = async (job: ReadableJob, target: string): Promise<string | null> => {
  if (job.mirror === '') return null;
  const kept = `${target}.stable`;
  await link(target, kept);
  return kept;
};

/**
 * Does a finished job's work again on the candidate that is on trial and compares the results. The caller has the result
 * already and pays nothing for this; a failure is the candidate's alone.
 */
export const mirrorJob = async (
  { enhance, files, log }: Parts,
  job: ReadableJob,
  { input, result }: { readonly input: (role: string) => string; readonly result: string },
  signal: AbortSignal,
): Promise<void> => {
  const local = files.localCopies(job.id);
  const target = files.attemptPath(`${job.id}.${job.fence}.mirror.${enhance.format(job)}`);
  try {
    const work = { ...job, release: job.mirror, pinned: true };
    const places = { input, target, work: { folder: local.checkpoints.folder } };
    const likeness = await enhance.mirror(work, places, result, signal);
    log.info({ release: job.mirror, likeness }, 'the candidate has done a finished job again');
  } catch (error) {
    if (!signal.aborted)
      log.warn(
        { release: job.mirror, err: asFailure(error) },
        'the candidate failed a mirrored job',
      );
  } finally {
    await files.remove(target);
    await files.remove(result);
    await local.remove();
  }
};
