import { estimateSchema } from '../../contract/credits.ts';
import { jobSchemas } from '../../contract/job.ts';
import { modelSchemas } from '../../contract/models.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Operation } from '../../operations/operation.ts';
import { pageRoutes } from '../pages/routes.ts';
import type { Route } from '../route.ts';
import { createKey, grantCredits, listKeys, revokeKey, rotateKey } from './admin.ts';
import { getCredits, listLedger } from './credits.ts';
import { getJobEvents } from './job-events.ts';
import { jobResultRoute } from './job-result.ts';
import { jobRoutes } from './jobs.ts';
import { modelsRoute } from './models.ts';
import { operationRoutes } from './operation.ts';
import {
  addRelease,
  applyReleases,
  canaryRelease,
  checkRelease,
  listReleases,
  promoteRelease,
  releaseLog,
  rollBack,
  unloadRelease,
} from './releases.ts';
import { getHealth, getReadiness, metricsRoute, openapiRoute } from './service.ts';
import { createUpload, getUpload } from './uploads.ts';

/** Everything that can be asked, in the order in which the document tells it. */
export const createRoutes = (
  operations: readonly Operation[],
  metrics: Metrics,
  publicUrl: string,
): Route[] => {
  const jobs = jobSchemas(operations);
  const Estimate = estimateSchema(operations.flatMap(({ models }) => Object.keys(models)));
  const { listJobs, getJob, cancelJob, eraseJob } = jobRoutes(jobs);
  const routes = [
    ...operations.flatMap((operation) => operationRoutes(operation, { ...jobs, Estimate })),
    createUpload,
    getUpload,
    listJobs,
    getJob,
    getJobEvents,
    jobResultRoute(operations),
    cancelJob,
    eraseJob,
    getCredits,
    listLedger,
    modelsRoute(modelSchemas(operations)),
    createKey,
    listKeys,
    rotateKey,
    revokeKey,
    grantCredits,
    listReleases,
    releaseLog,
    addRelease,
    checkRelease,
    canaryRelease,
    promoteRelease,
    rollBack,
    unloadRelease,
    applyReleases,
    getHealth,
    getReadiness,
    metricsRoute(metrics),
  ];
  return [...routes, openapiRoute(routes, publicUrl), ...pageRoutes];
};
