import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { noTracing, type Tracing } from './tracing.ts';

/** Tracing to the configured collector. Where there is none, no package of OpenTelemetry is loaded. */
export const openTracing = async (
  config: Config['tracing'],
  part: string,
  log: Log,
): Promise<Tracing> => {
  const { endpoint } = config;
  if (endpoint === undefined) return noTracing;
  const { openOtel } = await import('./otel.ts');
  return openOtel({ ...config, endpoint }, part, log);
};
