import type { Config } from '../config.ts';
import { EnvironmentError } from './environment-error.ts';

/** The EnvironmentError that says which variable kept the service from starting; `error` itself where none is known to. */
export const startFault = (error: unknown, config: Config): unknown => {
  if (!(error instanceof Error)) return error;
  const variable = variableOf(error, config);
  return variable ? EnvironmentError.of([`${variable}: ${error.message}`]) : error;
};

/** As Node throws it: `port` is that of a server that could not listen, `hostname` a name that has no address. */
type SystemError = NodeJS.ErrnoException & { readonly port?: number; readonly hostname?: string };

const variableOf = (error: SystemError, { files, http, metrics }: Config): string | null => {
  if (error.syscall === 'listen')
    return error.port === metrics.port ? 'METRICS_HOST or METRICS_PORT' : 'HOST or PORT';
  if (error.hostname === http.host) return 'HOST';
  if (error.hostname === metrics.host) return 'METRICS_HOST';
  // Redis answered: a wrong password, a database that it does not have, a replica that takes no writes.
  if (error.name === 'ReplyError') return 'REDIS_URL';
  const { path } = error;
  return path && (path.startsWith(files.dir) || files.dir.startsWith(`${path}/`))
    ? 'DATA_DIR'
    : null;
};
