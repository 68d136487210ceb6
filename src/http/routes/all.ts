import type { Metrics } from '../metrics.ts';
import type { Route } from '../route.ts';
import { createKey, grantCredits, listKeys, revokeKey, rotateKey } from './admin.ts';
import { getCredits, listLedger } from './credits.ts';
import { getJobEvents } from './job-events.ts';
import { getJobResult } from './job-result.ts';
import { cancelJob, eraseJob, getJob, listJobs } from './jobs.ts';
import { createLipsync, createLipsyncEstimate } from './lipsync.ts';
import { listModels } from './models.ts';
import { getHealth, getReadiness, metricsRoute, openapiRoute } from './service.ts';
import { createUpload, getUpload } from './uploads.ts';
import { createUpscale, createUpscaleEstimate } from './upscale.ts';

/** Everything that can be asked, in the order in which the document tells it. */
export const createRoutes = (metrics: Metrics, publicUrl: string): Route[] => {
  const routes = [
    createUpscale,
    createUpscaleEstimate,
    createLipsync,
    createLipsyncEstimate,
    createUpload,
    getUpload,
    listJobs,
    getJob,
    getJobEvents,
    getJobResult,
    cancelJob,
    eraseJob,
    getCredits,
    listLedger,
    listModels,
    createKey,
    listKeys,
    rotateKey,
    revokeKey,
    grantCredits,
    getHealth,
    getReadiness,
    metricsRoute(metrics),
  ];
  return [...routes, openapiRoute(routes, publicUrl)];
};
