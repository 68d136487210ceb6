/** The HTTP API in this process, over real Redis, files and ffmpeg; only the models' states are told by the test. */

import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import * as assert from 'uvu/assert';
import { openKeys } from '../../src/accounts/keys.ts';
import { openLedger } from '../../src/accounts/ledger.ts';
import { openTurns } from '../../src/async/turns.ts';
import type { Scope } from '../../src/contract/keys.ts';
import { createApp } from '../../src/http/app.ts';
import { bundlePage } from '../../src/http/pages/bundle.ts';
import type { Parts } from '../../src/http/parts.ts';
import { createServer } from '../../src/http/server.ts';
import { openQueue } from '../../src/jobs/queue.ts';
import { openJobs } from '../../src/jobs/record/jobs.ts';
import { recordReader } from '../../src/jobs/record/record.ts';
import { openSignals, type Signals } from '../../src/jobs/record/signals.ts';
import { openCachedResults } from '../../src/jobs/submit/cached-results.ts';
import { openIdempotency } from '../../src/jobs/submit/idempotency.ts';
import { createLog } from '../../src/log.ts';
import { fetchTo } from '../../src/media/fetch/fetch-to.ts';
import { identify } from '../../src/media/probe/identify.ts';
import { openProbed } from '../../src/media/probe/probed.ts';
import { openProbers } from '../../src/media/probe/probers.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { openProcessMetrics } from '../../src/metrics/process.ts';
import { measureState } from '../../src/metrics/state.ts';
import { measureWebhooks } from '../../src/metrics/webhooks.ts';
import type { ModelState } from '../../src/models/catalogue.ts';
import { openEverywhere } from '../../src/models/everywhere.ts';
import { openOperate } from '../../src/models/operate.ts';
import { openRegistry } from '../../src/models/registry.ts';
import { operations as all } from '../../src/operations/all.ts';
import { catalogueEntries, slotForms } from '../../src/operations/catalogue-entries.ts';
import { openBullQueues } from '../../src/redis/bull.ts';
import { closeRedis, openRedis, tryWrite } from '../../src/redis/connection.ts';
import { compiled } from '../../src/stack/compiled.mjs';
import { openFiles } from '../../src/storage/files.ts';
import { openLinks } from '../../src/storage/links.ts';
import { openUploads } from '../../src/storage/uploads.ts';
import { noTracing } from '../../src/tracing/tracing.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { openWebhooks } from '../../src/webhooks/webhooks.ts';
import { testConfig } from '../real/config.ts';
import { freePorts } from '../real/ports.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';
import { tempDir } from '../real/run.ts';
import { shippedPhoto } from '../real/shipped-photo.ts';

let bundled: ReturnType<typeof bundlePage> | undefined;
/** Made once for all APIs of this process. */
const page = () => {
  bundled ??= bundlePage();
  return bundled;
};

export const realApi = async (
  settings: NodeJS.Dict<string> = {},
  opened = realRedis(),
  log = createLog('fatal', 'api'),
  operations = all,
) => {
  const [server, [port = 0]] = await Promise.all([opened, freePorts(1)]);
  const config = testConfig(
    {
      PORT: String(port),
      REDIS_URL: server.url,
      REDIS_PREFIX: freshPrefix(),
      DATA_DIR: tempDir('api'),
      ...settings,
    },
    operations,
  );
  const redis = openRedis(config.redis.url, log, 'caller');
  const stores = { redis, prefix: config.redis.prefix };
  const files = await openFiles(config.files.dir, config.files);
  const [draining, closing] = [new AbortController(), new AbortController()];
  const states: ModelState[] = [
    stateOf('photo', shippedPhoto.version),
    stateOf('animation', 'animation-s13'),
    stateOf('photo_realtime', 'photo_realtime-s12'),
    stateOf('animation_realtime', 'animation_realtime-s12'),
    stateOf('detail', null),
    ...['fast', 'balanced', 'studio'].map((id) => stateOf(id, 'clip-r1', 'portrait-r1')),
  ];
  let catalogue: Parts['models'] = { describe: async () => states };
  const { publicUrl } = config.http;
  const turns = openTurns(config.probing);
  await compiled('prober');
  const probers = openProbers(config.ffmpeg);
  const jobs = openJobs(stores, files, recordReader(operations));
  const parts = {
    config,
    log,
    stores,
    files,
    jobs,
    metrics: createMetrics(
      openProcessMetrics({
        ...config.files,
        ping: () => redis.ping(),
        write: () => tryWrite(stores),
      }),
    ),
    tracing: noTracing,
    keys: openKeys(stores, config.secrets.pepper),
    ledger: openLedger(stores, config.prices),
    signals: await openSignals(stores),
    queue: openQueue(config.redis, log),
    cached: openCachedResults(stores, files, jobs),
    idempotency: openIdempotency(stores),
    uploads: openUploads(stores, files, {
      publicUrl,
      ttlMs: config.files.ttlMs,
      quota: config.files.accountUploads,
    }),
    links: openLinks(config.secrets.signing, publicUrl, config.files.ttlMs),
    webhooks: openWebhooks(stores, config),
    operations,
    fetchTo,
    identify,
    page: await page(),
    models: { describe: () => catalogue.describe() },
    turns,
    quickTurns: turns.quick,
    probers,
    probed: openProbed(),
    bullQueues: openBullQueues(['jobs', 'webhooks'], config.redis),
    draining: draining.signal,
    closing: closing.signal,
  };
  const transport = await openTransport(config.triton);
  const registry = openRegistry(stores, operations.flatMap(slotForms));
  // No Triton is up.
  const replicas = { list: () => [] };
  const { loadWithinMs } = config.models;
  const signal = draining.signal;
  const everywhere = openEverywhere({ stores, registry, replicas, loadWithinMs, signal, log });
  const operate = openOperate({
    registry,
    everywhere,
    transport,
    config,
    signal,
    entries: operations.flatMap(catalogueEntries),
  });
  measureState(parts.metrics.registry, parts);
  measureWebhooks(parts.metrics.registry, parts.webhooks.backlog);
  /** Callers that wait for a job or read its events. */
  const waiting = { count: 0, changed: new EventEmitter() };
  const wait = (by: number) => {
    waiting.count += by;
    waiting.changed.emit('changed');
  };
  const listen: Signals['listen'] = (...heard) => {
    const unlisten = parts.signals.listen(...heard);
    wait(1);
    return () => {
      unlisten();
      wait(-1);
    };
  };
  const app = createApp({
    ...parts,
    registry,
    operate,
    replicas,
    signals: { ...parts.signals, listen },
  });
  const http = createServer(app, config.http);
  http.listen(config.http.port, config.http.host);
  await once(http, 'listening');

  /** What lies about that belongs to no job and no upload. */
  const leftovers = (): string[] => readdirSync(join(config.files.dir, 'incoming'));
  const client = (key?: string) =>
    axios.create({
      baseURL: publicUrl,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      validateStatus: () => true,
      maxRedirects: 0,
      timeout: 60_000,
    });

  return {
    parts,
    states,
    port,
    draining,
    closing,
    client,
    /** Puts another catalogue in the place of `states`. */
    models: (other: Parts['models']): void => {
      catalogue = other;
    },
    url: publicUrl,
    admin: client(config.secrets.adminKey),
    /** A new account with credits and a client with its key. */
    caller: async ({ credits = 1000, scopes }: { credits?: number; scopes?: Scope[] } = {}) => {
      const account = `t-${randomUUID().slice(0, 8)}`;
      const { key, id } = await parts.keys.create({ account, ...(scopes && { scopes }) });
      if (credits > 0) await parts.ledger.grant(account, credits);
      const http = client(key);
      const cancelQueued = async (): Promise<void> => {
        for (const { id } of (await http.get('/v1/jobs?status=queued')).data.data) {
          await http.post(`/v1/jobs/${id}/cancel`);
        }
      };
      return { account, key, keyId: id, http, cancelQueued };
    },
    /** Resolves when so many callers wait. */
    untilWaiting: async (count: number): Promise<void> => {
      const signal = AbortSignal.timeout(60_000);
      while (waiting.count !== count) await once(waiting.changed, 'changed', { signal });
    },
    /** As in a restart of its process, nobody listens until the function that this answers is called. */
    goAway: async () => {
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
      return async (): Promise<void> => {
        http.listen(config.http.port, config.http.host);
        await once(http, 'listening');
      };
    },
    leftovers,
    /** Fails unless the files of every request are gone, or soon will be. */
    nothingLeft: async (): Promise<void> => {
      const deadline = Date.now() + 20_000;
      while (leftovers().length > 0 && Date.now() < deadline) await sleep(20);
      assert.equal(leftovers(), [], 'files were left behind');
    },
    close: async () => {
      draining.abort();
      closing.abort();
      http.closeAllConnections();
      http.close();
      await probers.close();
      await parts.signals.close();
      await transport.close();
      await Promise.all([parts.queue.close(), parts.bullQueues.close()]);
      // What is under way gets its answers first.
      await closeRedis(redis);
      await server.close();
    },
  };
};

const stateOf = (id: string, video: string | null, image = video): ModelState => ({
  id,
  ready: video !== null,
  releases: { video, image },
  engine: video === null ? null : 'test',
  offered: [
    {
      release: shippedPhoto.release,
      alias: 'stable',
      percent: 0,
      mirror: 0,
      ready: video !== null,
      versions: { video, image },
    },
  ],
});
