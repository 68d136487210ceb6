/** How many workers `npm start` runs. */
import { availableParallelism } from 'node:os';
import { EnvironmentError } from '../environment/environment-error.ts';

/** Of a machine, for each worker: docs/decisions/0170-a-worker-for-eight-cores.md. */
const CORES = 8;
/** Twice as many jobs run at a time (WORKER_CONCURRENCY); more were not measured. */
const MOST = 4;

/** WORKERS, or one for each 8 cores. Throws an EnvironmentError for what is no number from 1 to 64. */
export const readWorkers = (
  { WORKERS: asked }: NodeJS.ProcessEnv,
  cores = availableParallelism(),
): number => {
  const workers = asked ? Number(asked) : Math.min(MOST, Math.max(1, Math.floor(cores / CORES)));
  if (!(Number.isInteger(workers) && workers >= 1 && workers <= 64))
    throw EnvironmentError.of([`WORKERS: Expected a number from 1 to 64; got "${asked}"`]);
  return workers;
};
