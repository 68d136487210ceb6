import { estimateSchema } from '../../contract/credits.ts';
import { jobSchemas } from '../../contract/job.ts';
import { modelSchemas } from '../../contract/models.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { namedModels, type Operation } from '../../operations/operation.ts';
import { boardRoutes } from '../pages/board.ts';
import { pageRoutes } from '../pages/routes.ts';
import type { Route } from '../route.ts';
import { getAccount, listAccountLedger, listAccounts } from './accounts.ts';
import { createKey, grantCredits, listKeys, revokeKey, rotateKey } from './admin.ts';
import { getCredits, listLedger } from './credits.ts';
import { docsScriptRoute, getDocs } from './docs.ts';
import { jobEventsRoute } from './job-events.ts';
import { jobResultRoute } from './job-result.ts';
import { jobRoutes } from './jobs.ts';
import { getKey } from './key.ts';
import { modelsRoute } from './models.ts';
import { operationRoutes } from './operation.ts';
import { getProblemType } from './problems.ts';
import { createBoardSession, getQueue } from './queue.ts';
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
import { createUpload, deleteUpload, getUpload, listUploads } from './uploads.ts';
import { webhookRoutes } from './webhooks.ts';

/** All routes, in the order in which the document lists them. */
export const createRoutes = (
  operations: readonly Operation[],
  metrics: Metrics,
  publicUrl: string,
): Route[] => {
  const jobs = jobSchemas(operations);
  const Estimate = estimateSchema(operations.flatMap(namedModels));
  const { listJobs, getJob, cancelJob, eraseJob } = jobRoutes(jobs);
  const routes = [
    ...operations.flatMap((operation) => operationRoutes(operation, { Estimate })),
    createUpload,
    listUploads,
    getUpload,
    deleteUpload,
    listJobs,
    getJob,
    jobEventsRoute(jobs),
    jobResultRoute(operations),
    cancelJob,
    eraseJob,
    ...webhookRoutes,
    getCredits,
    listLedger,
    getKey,
    modelsRoute(modelSchemas(operations), operations),
    createKey,
    listKeys,
    rotateKey,
    revokeKey,
    grantCredits,
    listAccounts,
    getAccount,
    listAccountLedger,
    getQueue,
    createBoardSession,
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
    getProblemType,
  ];
  const pages = [getDocs, docsScriptRoute(), ...boardRoutes(), ...pageRoutes];
  return [...routes, openapiRoute(routes, publicUrl), ...pages];
};
