import type { Config } from './config.ts';
import { EnvironmentError } from './environment-error.ts';

/** The EnvironmentError that says which variable kept the service from starting; `error` itself where none is known to. */
export const startFault = (error: unknown, { files }: Config): unknown => {
  if (!(error instanceof Error)) return error;
  const variable = variableOf(error, files.dir);
  return variable ? EnvironmentError.of([`${variable}: ${error.message}`]) : error;
};

const variableOf = (error: NodeJS.ErrnoException, dataDir: string): string | null => {
  if (error.syscall === 'listen') return 'HOST or PORT';
  // Redis answered: a wrong password, a database that it does not have, a replica that takes no writes.
  if (error.name === 'ReplyError') return 'REDIS_URL';
  return error.path?.startsWith(dataDir) ? 'DATA_DIR' : null;
};
