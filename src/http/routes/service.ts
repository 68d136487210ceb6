import { STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLoopback } from '../../bearer.ts';
import { Health, Readiness } from '../../contract/health.ts';
import type { Description, Json } from '../../contract/openapi/description.ts';
import { openapi } from '../../contract/openapi/document.ts';
import { Failure, isFailureCode } from '../../errors.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { tryWrite } from '../../redis/connection.ts';
import { refusedWrite } from '../../redis/errors.ts';
import type { Redises } from '../../redis/script.ts';
import { explain } from '../pages/problem-notes.ts';
import type { Parts } from '../parts.ts';
import { openRoute } from '../route.ts';

export const getHealth = openRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  tag: 'Service',
  summary: 'The process answers',
  answer: { status: 200, body: Health, example: { status: 'ok' } },
  fails: [],
  handle: async () => ({ status: 'ok' as const }),
});

export const getReadiness = openRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  tag: 'Service',
  summary: 'Redis, Triton, every model, the storage of media and room on the disk are there',
  answer: {
    status: 200,
    description: 'Ready for work',
    body: Readiness,
    example: { ready: true, missing: [] },
  },
  also: [
    {
      status: 503,
      description: 'Something is missing',
      body: Readiness,
      example: { ready: false, missing: ['the model detail is not ready'] },
    },
  ],
  fails: [],
  handle: async ({ ctx }, parts) => {
    const missing = await missingOf(parts);
    if (missing.length > 0) ctx.status = 503;
    return { ready: missing.length === 0, missing };
  },
});

const patienceMs = 2000;
const storeIsAway = 'the storage of media does not answer';

const missingOf = async ({ stores, models, files, draining, log }: Parts): Promise<string[]> => {
  const [redis, states, isLow, store] = await Promise.all([
    inTime(faultsOf(stores)),
    inTime(models.describe()),
    inTime(files.space.isLow()),
    inTime(storeFaults(files, log)),
  ]);
  return [
    ...(draining.aborted ? ['the server is shutting down'] : []),
    ...(isLow === undefined ? ['the disk does not answer'] : []),
    ...(isLow ? ['the disk is nearly full'] : []),
    ...(store ?? [storeIsAway]),
    ...(redis ?? ['Redis does not answer']),
    // Which models there are is asked of Redis first, so without it nothing is known of Triton.
    ...(states === undefined && redis !== undefined ? ['Triton does not answer'] : []),
    ...(states ?? []).filter(({ ready }) => !ready).map(({ id }) => `the model ${id} is not ready`),
  ];
};

/** Why it is not there is told to the operator's log only: the cause may hold internal addresses. */
const storeFaults = async ({ check }: Parts['files'], log: Parts['log']): Promise<string[]> => {
  try {
    await check();
    return [];
  } catch (error) {
    const isRefused = error instanceof Failure && error.code === 'storage_failed';
    const fault = isRefused ? 'the storage of media refuses access' : storeIsAway;
    const why = error instanceof Failure ? error.cause : error;
    log.warn({ why: String(why).slice(0, 300) }, fault);
    return [fault];
  }
};

const faultsOf = async (stores: Redises): Promise<string[]> => {
  try {
    await tryWrite(stores);
    return [];
  } catch (error) {
    const why = refusedWrite(error);
    if (why !== undefined) return [`Redis ${why}`];
    throw error;
  }
};

/** Undefined for what fails or takes too long: a connection that is down may wait for ever. */
const inTime = <T>(answer: Promise<T>): Promise<T | undefined> =>
  Promise.race([
    answer.then(undefined, () => undefined),
    sleep(patienceMs, undefined, { ref: false }),
  ]);

export const metricsRoute = ({ registry }: Metrics) =>
  openRoute({
    method: 'get',
    path: '/metrics',
    operationId: 'getMetrics',
    tag: 'Service',
    summary:
      'Figures for Prometheus; with METRICS_TOKEN or ADMIN_KEY unless only this machine can ask',
    answer: { status: 200, type: 'text/plain' },
    fails: ['missing_api_key', 'invalid_api_key', 'rate_limited'],
    handle: async ({ ctx, demandScraper }, { config }) => {
      if (!isPrivate(config)) demandScraper();
      ctx.type = registry.contentType;
      return registry.metrics();
    },
  });

/** Whether only programs on this machine can ask, and no token was set that they would have to show. */
const isPrivate = ({ http, secrets }: Parts['config']): boolean =>
  secrets.metricsToken === undefined && http.trustedProxies === 0 && isLoopback(http.host);

export const openapiRoute = (routes: readonly Description[], server: string) => {
  const described = {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getDocument',
    tag: 'Service',
    summary: 'This document',
    answer: { status: 200, type: 'application/json' },
    fails: [],
  } as const;
  const facts = { version: '1', server, reasonOf, problemOf };
  // Made when it is first asked for: no start waits for it. It cannot fail: a test makes it of the same routes.
  let document: Promise<Json> | undefined;
  return openRoute({
    ...described,
    handle: async () => {
      document ??= openapi([...routes, described], facts);
      return document;
    },
  });
};

const reasonOf = (status: string): string => STATUS_CODES[status] ?? status;

const problemOf = (code: string) => {
  if (!isFailureCode(code)) throw new Error(`${code} is not in the catalogue of failures`);
  return explain(code).example;
};
