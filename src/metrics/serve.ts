/** `/metrics` of a process that has no API, on a port of its own. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { bearerOf, isLoopback, isOneOf } from '../bearer.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Metrics } from './metrics.ts';

type Served = { readonly metrics: Metrics; readonly config: Config; readonly log: Log };

/** Listens until the returned function is called. As at the API, who reaches it from another machine needs METRICS_TOKEN or ADMIN_KEY. */
export const serveMetrics = async ({ metrics: { registry }, config, log }: Served) => {
  const { secrets } = config;
  const { host, port } = config.metrics;
  const isOpen = isLoopback(host) && secrets.metricsToken === undefined;
  const isAllowed = ({ headers }: IncomingMessage): boolean =>
    isOpen ||
    isOneOf(bearerOf(headers.authorization ?? ''), [secrets.metricsToken, secrets.adminKey]);
  const statusOf = (request: IncomingMessage): number => {
    if (request.url !== '/metrics' || request.method !== 'GET') return 404;
    return isAllowed(request) ? 200 : 401;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const status = statusOf(request);
    const body = status === 200 ? await registry.metrics() : '';
    response.writeHead(status, {
      'content-type': registry.contentType,
      'cache-control': 'no-store',
    });
    response.end(body);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      log.error({ err: error }, 'the metrics could not be told');
      response.writeHead(500).end();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
};
