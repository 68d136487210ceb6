/** A real worker with short leases, to be killed: what it knows is in its environment. Its log goes to standard output. */
import { loadConfig } from '../../src/config.ts';
import { openQueue } from '../../src/jobs/queue.ts';
import { openJobs } from '../../src/jobs/record/jobs.ts';
import { recordReader } from '../../src/jobs/record/record.ts';
import { openSignals } from '../../src/jobs/record/signals.ts';
import { startWorker } from '../../src/jobs/run/worker.ts';
import { createLog } from '../../src/log.ts';
import { openReleases } from '../../src/models/releases.ts';
import { operations } from '../../src/operations/all.ts';
import { createEnhance } from '../../src/operations/enhance.ts';
import { openRedis } from '../../src/redis.ts';
import { openFiles } from '../../src/storage/files.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { quick } from '../jobs/rig.ts';

/** Long enough for a machine that is busy with other tests. */
const LEASE_MS = 4_000;
const config = loadConfig(process.env, operations);
const log = createLog('info', 'worker');
const stores = { redis: openRedis(config.redis.url, log, 'work'), prefix: config.redis.prefix };
const files = await openFiles(config.files.dir, config.files);
const transport = await openTransport(config.triton);
const releases = openReleases(openControl(config.triton));
await startWorker(
  {
    ...{ stores, config, log, files },
    jobs: openJobs(stores, config, files, recordReader(operations)),
    signals: await openSignals(stores),
    queue: openQueue(config.redis, log, { lockMs: LEASE_MS, stalledMs: 500 }),
    enhance: createEnhance({ operations, releases, transport, config }),
  },
  { ...quick, leaseMs: LEASE_MS },
);
log.info('ready');
