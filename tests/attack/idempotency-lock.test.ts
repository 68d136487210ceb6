import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance } from 'axios';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openKeys } from '../../src/accounts/keys.ts';
import { createLog } from '../../src/log.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { apiPart } from '../../src/stack/parts.ts';
import { realApi } from '../http/api.ts';
import { refused } from '../http/told.ts';
import { serve } from '../media/server.ts';
import { ownRedis } from '../real/redis.ts';
import { ownStack } from './api-process.ts';

const test = suite('an Idempotency-Key whose request was cut off');
const redis = await ownRedis();
/** A host so slow that a request for its file is under way when something dies. */
const slow = await serve((_, answer) => {
  asked();
  setTimeout(() => answer.writeHead(404).end(), 2000);
});
let asked = () => {};
/** Resolves when that host is asked next. */
const reached = () =>
  new Promise<void>((resolve) => {
    asked = resolve;
  });
const allowed = { FETCH_ALLOW_HOSTS: `127.0.0.1:${slow.port}` };
const body = { model: 'photo', scale: 2, image_url: `${slow.origin}/a.png` };
const send = (http: AxiosInstance, key: string) =>
  http.post('/v1/upscale', body, { headers: { 'idempotency-key': key } });

/** Asks as a good client does: again when the answer says so. Returns after how long the key was free. */
const untilFree = async (http: AxiosInstance, key: string): Promise<number> => {
  const started = Date.now();
  for (;;) {
    const answer = await send(http, key);
    if (answer.status !== 409) {
      refused(answer, 422, 'url_fetch_failed');
      return (Date.now() - started) / 1000;
    }
    refused(answer, 409, 'idempotency_in_progress');
    const seconds = Number(answer.headers['retry-after']);
    assert.ok(seconds >= 1 && seconds <= 15, `Retry-After: ${seconds}`);
    await sleep(seconds * 1000);
  }
};

test('it is free again within seconds of the death of the API or of Redis', async () => {
  const stack = await ownStack(redis.url, allowed);
  const { env } = stack;
  const start = () => apiPart(stack).start(new AbortController().signal);
  const connection = openRedis(redis.url, createLog('silent', 'test'), 'work');
  const { key } = await openKeys(
    { redis: connection, prefix: env.REDIS_PREFIX },
    env.KEY_PEPPER,
  ).create({ account: 'acme' });
  const http = axios.create({
    baseURL: `http://127.0.0.1:${env.PORT}`,
    validateStatus: () => true,
    timeout: 20_000,
    headers: { authorization: `Bearer ${key}` },
  });

  const dying = await start();
  const fetching = reached();
  const cutOff = send(http, 'api').catch((error: unknown) => error);
  await fetching;
  process.kill(dying.pid, 'SIGKILL');
  await Promise.all([dying.exited, cutOff]);
  const living = await start();

  const api = await realApi(allowed, Promise.resolve(redis));
  const caller = await api.caller();
  const fetchingAgain = reached();
  const unanswered = send(caller.http, 'redis');
  await fetchingAgain;
  await redis.kill();
  // Its fetch ends while there is no Redis in which the key could be freed.
  assert.is((await unanswered).status >= 400, true);
  await redis.start();

  const waited = await Promise.all([untilFree(http, 'api'), untilFree(caller.http, 'redis')]);
  assert.ok(Math.max(...waited) < 20, `free after ${waited} s`);

  await living.stop();
  connection.disconnect();
  await api.close();
});

test.after(async () => {
  await slow.close();
  await redis.close();
});

test.run();
