/** A real worker with short leases, to be killed: what it knows is in its environment. Its log goes to standard output. */
import { loadConfig } from '../../src/config.ts';
import { openQueue } from '../../src/jobs/queue.ts';
import { openJobs } from '../../src/jobs/record/jobs.ts';
import { recordReader } from '../../src/jobs/record/record.ts';
import { openSignals } from '../../src/jobs/record/signals.ts';
import { startWorker } from '../../src/jobs/run/worker.ts';
import { createLog } from '../../src/log.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { openRegistry } from '../../src/models/registry.ts';
import { openReleases } from '../../src/models/releases.ts';
import { openTrial } from '../../src/models/trial.ts';
import { operations } from '../../src/operations/all.ts';
import { slotForms } from '../../src/operations/catalogue-entries.ts';
import { createEnhance } from '../../src/operations/enhance.ts';
import { openSigner } from '../../src/provenance/signer.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { openFiles } from '../../src/storage/files.ts';
import { noTracing } from '../../src/tracing/tracing.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { quick } from '../jobs/rig.ts';

/** Long enough for a machine that is busy with other tests. */
const LEASE_MS = 4_000;
const config = loadConfig(process.env, operations);
const log = createLog('info', 'worker');
const stores = { redis: openRedis(config.redis.url, log, 'work'), prefix: config.redis.prefix };
const files = await openFiles(config.files.dir, config.files);
const address = config.triton.servers[0];
if (!address) throw new Error('expected the address of a Triton');
const transport = await openTransport({ ...config.triton, ...address });
const control = openControl({ ...address, adminSecret: config.triton.adminSecret });
const registry = openRegistry(stores, operations.flatMap(slotForms));
const releases = openReleases(control, registry);
const bounds = { ...config.models.trial, watchMs: config.models.keepMs };
const trial = openTrial({ registry, control, log, bounds });
await startWorker(
  {
    stores,
    config,
    log,
    files,
    metrics: createMetrics(),
    tracing: noTracing,
    jobs: openJobs(stores, files, recordReader(operations)),
    signals: await openSignals(stores),
    queue: openQueue(config.redis, log),
    enhance: createEnhance({
      operations,
      releases,
      trial,
      transport,
      config,
      signer: await openSigner(config, log),
    }),
  },
  { ...quick, leaseMs: LEASE_MS },
);
log.info('ready');
