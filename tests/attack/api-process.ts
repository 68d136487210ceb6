/** The API as a process of its own over real Redis, to be attacked: what kills or bloats it is seen from outside. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openKeys } from '../../src/accounts/keys.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { operations } from '../../src/operations/all.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { signalGroup } from '../../src/stack/child.ts';
import { apiPart } from '../../src/stack/parts.ts';
import { defaultPorts } from '../../src/stack/ports.ts';
import { testEnvironment } from '../real/config.ts';
import { freePorts } from '../real/ports.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';
import { partEnvironment, tempDir } from '../real/run.ts';

/** What a part of the service takes to run as a process of its own, on one free port. */
export const ownStack = async (redisUrl: string, settings: NodeJS.Dict<string> = {}) => {
  const [port = 0] = await freePorts(1);
  const dataDir = settings.DATA_DIR ?? tempDir('attacked');
  const env = testEnvironment({
    ...partEnvironment(),
    PORT: String(port),
    REDIS_URL: redisUrl,
    REDIS_PREFIX: freshPrefix(),
    DATA_DIR: dataDir,
    ...settings,
  });
  const ports = { ...defaultPorts, PORT: port };
  return { ports, env, dataDir, logsDir: tempDir('attacked-logs'), modelsDir: '' };
};

export const apiProcess = async (settings: NodeJS.Dict<string> = {}, opened = realRedis()) => {
  const [redis, [nobody = 0]] = await Promise.all([opened, freePorts(1)]);
  const stack = await ownStack(redis.url, {
    // No request here gets as far as a model.
    TRITON_HTTP_URL: `http://127.0.0.1:${nobody}`,
    RATE_CREATE_PER_MINUTE: '1000000',
    RATE_READ_PER_MINUTE: '1000000',
    ...settings,
  });
  const { env, dataDir, logsDir } = stack;
  const port = stack.ports.PORT;
  const config = loadConfig(env, operations);
  const child = await apiPart(stack).start(new AbortController().signal);
  const atExit = () => signalGroup(child.pid, 'SIGKILL');
  process.once('exit', atExit);
  let ended: string | undefined;
  void child.exited.then((how) => {
    ended = how;
  });

  const connection = openRedis(redis.url, createLog('silent', 'test'), 'work');
  const keys = openKeys({ redis: connection, prefix: config.redis.prefix }, config.secrets.pepper);
  const account = `t-${randomUUID().slice(0, 8)}`;
  const { key } = await keys.create({ account });

  const dial = async (withinMs = 10_000): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.setTimeout(withinMs, () => socket.destroy(new Error('no answer in time')));
    // What was answered is looked at; that the server closes while we still send is no matter.
    socket.on('error', () => {});
    return socket;
  };
  const head = (lines: readonly string[], path = '/v1/uploads') =>
    [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...lines, '', ''].join(
      '\r\n',
    );
  /** All that comes back for bytes that are sent as they are; empty when nothing did. */
  const raw = async (bytes: string | Buffer, withinMs = 10_000): Promise<string> => {
    const socket = await dial(withinMs);
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return text(socket);
  };
  return {
    url: config.http.publicUrl,
    config,
    key,
    port,
    dataDir,
    dial,
    head,
    raw,
    pid: child.pid,
    /** How the process ended; undefined while it lives. */
    ended: () => ended,
    /** A POST of one body on a connection of its own. */
    post: (body: string | Buffer, lines: readonly string[], path?: string, withinMs?: number) => {
      const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
      const all = [...lines, `Content-Length: ${bytes.length}`, 'Connection: close'];
      return raw(Buffer.concat([Buffer.from(head(all, path)), bytes]), withinMs);
    },
    /** How long the process needs to say that it is well. */
    healthMs: async (): Promise<number> => {
      const began = performance.now();
      const { status } = await fetch(`${config.http.publicUrl}/healthz`);
      if (status !== 200) throw new Error(`health is ${status}`);
      return performance.now() - began;
    },
    descriptors: (): number => readdirSync(`/proc/${child.pid}/fd`).length,
    residentMb: (): number => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    /** Files of requests, none of which may be left when they are answered. */
    incoming: (): string[] => readdirSync(join(dataDir, 'incoming')),
    log: (): string => readFileSync(join(logsDir, 'api.log'), 'utf8'),
    close: async (): Promise<void> => {
      process.off('exit', atExit);
      await child.stop();
      connection.disconnect();
      await redis.close();
    },
  };
};

/** "422 validation_failed" of an answer as it came; its whole body with it when that is no problem+json. */
export const said = (answer: string): string => {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'no answer';
  const code = /"code":"(\w+)"/.exec(answer.slice(answer.indexOf('\r\n\r\n')))?.[1];
  return code && answer.includes('application/problem+json') ? `${status} ${code}` : status;
};
