/** The whole service, API and worker as processes of their own, over real Redis, Triton and ffmpeg. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { openKeys } from '../../src/accounts/keys.ts';
import { openLedger } from '../../src/accounts/ledger.ts';
import { loadConfig } from '../../src/config.ts';
import { Job } from '../../src/contract/job.ts';
import { audit } from '../../src/jobs/record/audit.ts';
import { createLog } from '../../src/log.ts';
import { operations } from '../../src/operations/all.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { type Child, signalGroup } from '../../src/stack/child.ts';
import { localTransport } from '../../src/stack/environment.ts';
import { apiPart, workerPart } from '../../src/stack/parts.ts';
import { defaultPorts } from '../../src/stack/ports.ts';
import { testEnvironment } from './config.ts';
import { freePorts } from './ports.ts';
import { freshPrefix, realRedis } from './redis.ts';
import { partEnvironment, tempDir } from './run.ts';
import { realTriton, tritonEnvironment } from './triton.ts';

export type Form = Readonly<Record<string, string | number>>;

/** Starts all of it; `settings` are variables of the environment. Results carry credentials only where these say so: two processes of Python for each worker, one for each job. */
export const realService = async (
  settings: NodeJS.Dict<string> = {},
  opened = realTriton(),
  openedRedis = realRedis(),
) => {
  const [redis, triton, [port = 0]] = await Promise.all([openedRedis, opened, freePorts(1)]);
  const dataDir = tempDir('data');
  const env = testEnvironment({
    ...partEnvironment(),
    PORT: String(port),
    REDIS_URL: redis.url,
    REDIS_PREFIX: freshPrefix(),
    ...tritonEnvironment(triton),
    TRITON_TRANSPORT: localTransport(),
    DATA_DIR: dataDir,
    PROVENANCE: 'off',
    ...settings,
  });
  const config = loadConfig(env, operations);
  const logsDir = join(dataDir, 'logs');
  const stack = { ports: { ...defaultPorts, PORT: port }, env, dataDir, logsDir, modelsDir: '' };
  const never = new AbortController().signal;
  const children = new Set<Child>();
  const atExit = () => children.forEach(({ pid }) => void signalGroup(pid, 'SIGKILL'));
  process.once('exit', atExit);
  const start = async (part: typeof apiPart, changed: NodeJS.Dict<string> = {}): Promise<Child> => {
    const child = await part({ ...stack, env: { ...env, ...changed } }).start(never);
    children.add(child);
    void child.exited.then(() => children.delete(child));
    return child;
  };
  const api = await start(apiPart);
  let latestApi = api;
  let worker = await start(workerPart);

  const connection = openRedis(redis.url, createLog('silent', 'test'), 'work');
  const stores = { redis: connection, prefix: config.redis.prefix };
  const keys = openKeys(stores, config.secrets.pepper);
  const ledger = openLedger(stores, config.prices);

  return {
    url: config.http.publicUrl,
    config,
    /** Of its processes. */
    env,
    stores,
    keys,
    ledger,
    adminKey: env.ADMIN_KEY,
    /** A new account with credits, and a client with its key that answers every status. */
    caller: async (credits = 1000): Promise<Caller> => {
      const account = `t-${randomUUID().slice(0, 8)}`;
      const { key } = await keys.create({ account });
      if (credits > 0) await ledger.grant(account, credits);
      return callerOf(account, key, config.http.publicUrl);
    },
    audit: (account: string) => audit(stores, account),
    api,
    /** After its death. */
    startApi: async () => {
      latestApi = await start(apiPart);
      return latestApi;
    },
    killApi: async () => {
      process.kill(latestApi.pid, 'SIGKILL');
      await latestApi.exited;
    },
    worker: {
      pid: () => worker.pid,
      ended: () => worker.exited,
      kill: async () => {
        process.kill(worker.pid, 'SIGKILL');
        await worker.exited;
      },
      stop: () => worker.stop(),
      /** `changed`: variables that differ from those of the first one. */
      start: async (changed: NodeJS.Dict<string> = {}) => {
        worker = await start(workerPart, changed);
      },
    },
    /** One more worker beside the first, with other settings where they are given. */
    addWorker: (changed: NodeJS.Dict<string> = {}) => start(workerPart, changed),
    log: (name: 'api' | 'worker') => readFileSync(join(logsDir, `${name}.log`), 'utf8'),
    close: async () => {
      process.off('exit', atExit);
      await Promise.all([...children].map((child) => child.stop()));
      connection.disconnect();
      await Promise.all([redis.close(), triton.close()]);
    },
  };
};

export type RealService = Awaited<ReturnType<typeof realService>>;
export type Caller = ReturnType<typeof callerOf>;

export const callerOf = (account: string, key: string, url: string) => {
  const http: AxiosInstance = axios.create({
    baseURL: url,
    headers: { authorization: `Bearer ${key}` },
    validateStatus: () => true,
    maxBodyLength: Number.POSITIVE_INFINITY,
    maxRedirects: 0,
    timeout: 600_000,
  });
  const job = async (id: string): Promise<Job> =>
    Job.parse((await http.get(`/v1/jobs/${id}`)).data);
  return {
    account,
    key,
    http,
    job,
    /** Sends a file in the part of its kind. */
    upscale: (path: string, fields: Form, headers: Form = {}): Promise<AxiosResponse> =>
      http.post('/v1/upscale', formOf([path], fields), { headers }),
    /** Sends a clip or portrait and a sound, each in the part of its kind. */
    lipsync: (clip: string, sound: string, fields: Form = {}, headers: Form = {}) =>
      http.post('/v1/lipsync', formOf([clip, sound], { model: 'fast', ...fields }), { headers }),
    /** The bytes of a result by its signed link, without the key. */
    download: async (link: string): Promise<Buffer> => {
      const answer = await axios.get(link, { responseType: 'arraybuffer', timeout: 60_000 });
      return Buffer.from(answer.data);
    },
    /** Waits until the job is as `wanted` says: looks again after a tenth of the time waited so far, its end stays longest. */
    until: async (id: string, wanted: (job: Job) => boolean, withinMs = 180_000): Promise<Job> => {
      const from = Date.now();
      for (;;) {
        const now = await job(id);
        if (wanted(now)) return now;
        const waitedMs = Date.now() - from;
        if (waitedMs > withinMs)
          throw new Error(`job ${id} stayed ${JSON.stringify(now, null, 1)}`);
        await sleep(Math.min(Math.max(waitedMs / 10, 50), wanted === ended ? 250 : 100));
      }
    },
    balance: async () => (await http.get('/v1/credits')).data,
  };
};

export const ended = ({ finished_at }: Job): boolean => finished_at !== null;

/** A multipart body: fields first, each file in the part `video`, `audio` or `image` by its name's ending. */
export const formOf = (paths: readonly string[], fields: Form): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  for (const path of paths)
    form.append(partOf(path), new Blob([readFileSync(path)]), basename(path));
  return form;
};

const partOf = (path: string): string => {
  if (/\.(mp4|mov|avi|webm|m4v)$/.test(path)) return 'video';
  return /\.(mp3|wav|aac|m4a|flac|opus)$/.test(path) ? 'audio' : 'image';
};
