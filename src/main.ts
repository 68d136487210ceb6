/** Opens every part, passes them by hand, closes them in reverse. `node dist/main.js api|worker` */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openKeys } from './accounts/keys.ts';
import { openLedger } from './accounts/ledger.ts';
import { repeat } from './async/repeat.ts';
import { openTurns } from './async/turns.ts';
import { type Config, loadConfig } from './config.ts';
import { EnvironmentError } from './environment/environment-error.ts';
import { startFault } from './environment/start-fault.ts';
import { createServer } from './http/server.ts';
import { requestsOf } from './http/under-way.ts';
import { openQueue } from './jobs/queue.ts';
import { openJobs } from './jobs/record/jobs.ts';
import { recordReader } from './jobs/record/record.ts';
import { openSignals } from './jobs/record/signals.ts';
import { startWorker } from './jobs/run/worker.ts';
import { openCachedResults } from './jobs/submit/cached-results.ts';
import { openIdempotency } from './jobs/submit/idempotency.ts';
import { createLog, type Log } from './log.ts';
import { checkChildren } from './media/child.ts';
import { fetchTo } from './media/fetch/fetch-to.ts';
import { identify } from './media/probe/identify.ts';
import { openProbed } from './media/probe/probed.ts';
import { openProbers } from './media/probe/probers.ts';
import { createMetrics } from './metrics/metrics.ts';
import { openProcessMetrics } from './metrics/process.ts';
import { measureReplicas } from './metrics/replicas.ts';
import { serveMetrics } from './metrics/serve.ts';
import { measureState } from './metrics/state.ts';
import { measureWebhooks } from './metrics/webhooks.ts';
import { openCatalogue } from './models/catalogue.ts';
import { openEverywhere } from './models/everywhere.ts';
import { openOperate } from './models/operate.ts';
import { openReconcile } from './models/reconcile.ts';
import { openRegistry } from './models/registry.ts';
import { openReleases } from './models/releases.ts';
import { openTrial } from './models/trial.ts';
import { operations } from './operations/all.ts';
import { catalogueEntries, slotForms } from './operations/catalogue-entries.ts';
import { createEnhance } from './operations/enhance.ts';
import { niceness } from './process/niceness.ts';
import { openSigner } from './provenance/signer.ts';
import { openBullQueues } from './redis/bull.ts';
import { checkDatabase, closeRedis, openRedis, tryWrite } from './redis/connection.ts';
import { openFiles } from './storage/files.ts';
import { openLinks } from './storage/links.ts';
import { openUploads } from './storage/uploads.ts';
import { openTracing } from './tracing/open-tracing.ts';
import { openReplicas } from './triton/replicas/replicas.ts';
import { watched } from './triton/watched.ts';
import { startDeliverer } from './webhooks/deliverer.ts';
import { openDeliveryQueue } from './webhooks/queue.ts';
import { openWebhooks } from './webhooks/webhooks.ts';

type Closer = () => Promise<unknown>;
export type Service = { readonly url: string; close(): Promise<void> };

/** The API on its port. */
const openApi = (config: Config, log: Log): Promise<Service> =>
  opening(async (closers) => {
    // Imported here: a worker does not need them, and would take a sixth longer to start. See decision 43.
    const { createApp } = await import('./http/app.ts');
    const { bundlePage } = await import('./http/pages/bundle.ts');
    const shared = await openShared(config, log, closers, 'api');
    const { stores, files, metrics } = shared;
    const webhooks = openWebhooks(stores, config);
    measureState(metrics.registry, shared);
    measureWebhooks(metrics.registry, webhooks.backlog);
    const [draining, closing] = [new AbortController(), new AbortController()];
    const turns = openTurns(config.probing);
    const probers = openProbers(config.ffmpeg);
    closers.push(() => probers.close());
    const bullQueues = openBullQueues(['jobs', 'webhooks'], config.redis);
    closers.push(() => bullQueues.close());
    const models = openCatalogue(entries, { ...shared, signal: closing.signal });
    closers.push(repeat(LOOK_MS, models.look, log));
    const app = createApp({
      ...shared,
      keys: openKeys(stores, config.secrets.pepper),
      cached: openCachedResults(stores, shared.files, shared.jobs),
      idempotency: openIdempotency(stores),
      uploads: openUploads(stores, files, {
        publicUrl: config.http.publicUrl,
        ttlMs: config.files.ttlMs,
        quota: config.files.accountUploads,
      }),
      links: openLinks(config.secrets.signing, config.http.publicUrl, config.files.ttlMs),
      webhooks,
      fetchTo,
      identify,
      page: await bundlePage(),
      models,
      operate: openOperate({ ...shared, entries, signal: closing.signal }),
      turns,
      quickTurns: turns.quick,
      probers,
      probed: openProbed(),
      bullQueues,
      draining: draining.signal,
      closing: closing.signal,
    });
    const server = createServer(app, config.http);
    const requests = requestsOf(server);
    server.listen(config.http.port, config.http.host);
    await once(server, 'listening');
    closers.push(async () => {
      draining.abort();
      // It goes on listening: new requests are answered with `draining`, and those under way are finished.
      await requests.ended(config.http.drainMs);
      closing.abort();
      await closeServer(server);
    });
    return config.http.publicUrl;
  });

/** A worker that takes jobs and delivers webhooks until it is closed. */
const openWorker = (config: Config, log: Log): Promise<Service> =>
  opening(async (closers) => {
    setPriority(niceness.worker);
    const shared = await openShared(config, log, closers, 'worker');
    const { control, registry } = shared;
    const trial = openTrial({
      registry,
      control,
      log,
      bounds: { ...config.models.trial, watchMs: config.models.keepMs },
    });
    const signer = await openSigner(config, log);
    const releases = openReleases(control, registry);
    const enhance = createEnhance({ ...shared, trial, releases, signer });
    if (config.metrics.port > 0) closers.push(await serveMetrics(shared));
    const worker = await startWorker({ ...shared, enhance });
    const deliveryQueue = openDeliveryQueue(config.redis, log);
    closers.push(() => deliveryQueue.close());
    const { publicUrl } = config.http;
    const { url: link } = openLinks(config.secrets.signing, publicUrl, config.files.ttlMs);
    const deliverer = startDeliverer({
      ...shared,
      deliveryQueue,
      webhooks: openWebhooks(shared.stores, config),
      shown: { operations, publicUrl, link },
    });
    closers.push(async () => {
      const closed = worker.close();
      // The messages about its last jobs are sent too, as far as there is time.
      await Promise.race([closed, sleep(config.jobs.drainMs, undefined, { ref: false })]);
      await Promise.all([closed, deliverer.close()]);
    });
    return '';
  });

const entries = operations.flatMap(catalogueEntries);

/** Between two looks at the models: within it a new job finds an answer that counts. */
const LOOK_MS = 2_000;
/** Between two looks whether each Triton has the releases that are in use. */
const RECONCILE_MS = 2_000;

const openShared = async (config: Config, log: Log, closers: Closer[], part: 'api' | 'worker') => {
  await checkChildren(config.ffmpeg);
  const tracing = await openTracing(config.tracing, part, log);
  closers.push(() => tracing.close());
  const redis = openRedis(config.redis.url, log, part === 'api' ? 'caller' : 'work');
  closers.push(() => closeRedis(redis));
  await checkDatabase(redis);
  const stores = { redis, prefix: config.redis.prefix };
  const files = await openFiles(config.files.dir, config.files);
  closers.push(async () => files.close());
  const signals = await openSignals(stores);
  closers.push(() => signals.close());
  const queue = openQueue(config.redis, log);
  closers.push(() => queue.close());
  const metrics = createMetrics(
    openProcessMetrics({
      ...config.files,
      ping: () => redis.ping(),
      write: () => tryWrite(stores),
    }),
  );
  const replicas = await openReplicas(config.triton, log, {
    watch: (infer, replica) => watched(infer, replica, { metrics, tracing }),
  });
  closers.push(() => replicas.close());
  measureReplicas(metrics.registry, replicas.stats);
  const registry = openRegistry(stores, operations.flatMap(slotForms));
  const ending = new AbortController();
  const { dir: modelsDir, keepMs, loadWithinMs } = config.models;
  const everywhere = openEverywhere({
    stores,
    registry,
    replicas,
    loadWithinMs,
    signal: ending.signal,
    log,
  });
  const reconcile = openReconcile({ registry, everywhere, modelsDir, keepMs, log });
  const stopReconciling = repeat(RECONCILE_MS, reconcile, log);
  closers.push(() => {
    ending.abort();
    // Without Redis a pass would not end; nothing is lost with it.
    return Promise.race([stopReconciling(), sleep(RECONCILE_MS, undefined, { ref: false })]);
  });
  return {
    config,
    log,
    stores,
    files,
    signals,
    queue,
    metrics,
    tracing,
    replicas,
    registry,
    everywhere,
    transport: replicas.transport,
    control: replicas.control,
    ledger: openLedger(stores, config.prices),
    jobs: openJobs(stores, files, recordReader(operations)),
    operations,
  };
};

/** How long answers may take to be sent once what they waited for was cut off. */
const closeWithinMs = 3_000;

const closeServer = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), closeWithinMs);
  await closed;
  clearTimeout(late);
};

/** Runs `open`, which pushes what closes each part; all of it is closed in reverse, also when opening fails. */
const opening = async (open: (closers: Closer[]) => Promise<string>): Promise<Service> => {
  const closers: Closer[] = [];
  const close = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer();
  };
  try {
    return { url: await open(closers), close };
  } catch (error) {
    await close();
    throw error;
  }
};

const commands: Readonly<Record<string, typeof openApi>> = { api: openApi, worker: openWorker };

const main = async (command: string): Promise<void> => {
  const open = commands[command];
  if (!open) throw new Error(`usage: main.js ${Object.keys(commands).join('|')}; got "${command}"`);
  // What this process and its children write is the owner's alone: media, ledgers and logs of others' callers.
  process.umask(0o077);
  const config = loadConfig(process.env, operations);
  const log = createLog(config.logLevel, command);
  // The SDK of S3 warns on Node 20 of its own versions to come; ours is locked, and an operator can do nothing about it.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  // Node prints its warnings as plain text between our lines, unless somebody else listens alone.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'a warning of Node'));
  // Node's own report of an error prints all its fields: those of ioredis hold the password.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the process ends: nothing caught this error');
    process.exit(1);
  });
  const service = await open(config, log).catch((error: unknown) => {
    throw startFault(error, config);
  });
  let told = false;
  const stop = async (signal: string) => {
    if (told) return;
    told = true;
    log.info({ signal }, 'stopping');
    await service.close();
    log.info('stopped');
    process.exit(0);
  };
  // The listeners stay, so that a second signal changes nothing. With `once`, execa, which listens while an ffmpeg runs,
  // would find itself the last listener and end the process at once.
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Last: a parent process that waits for this line may send a signal at once.
  log.info({ ...(service.url && { url: service.url }) }, 'ready');
};

try {
  await main(process.argv[2] ?? '');
} catch (error) {
  if (!(error instanceof EnvironmentError)) throw error;
  console.error(error.message);
  process.exit(1);
}
