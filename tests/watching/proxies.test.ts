import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWorker } from '../../src/jobs/run/worker.ts';
import { realApi } from '../http/api.ts';
import { enhanceBy, pictureOf } from '../jobs/rig.ts';
import { skip } from '../real/skip.ts';
import { until } from '../real/until.ts';
import { missingFor, openProxy, proxies, snippetOf, waitSeconds } from './proxies.ts';

const test = suite('proxies in front of the API');
const api = await realApi({
  PUBLIC_URL: 'https://media.example.org',
  TRUST_PROXY: '1',
  WAIT_LIMIT_SECONDS: `${waitSeconds}`,
  RATE_BAD_KEYS_PER_MINUTE: '2',
  ADMIN_KEY: 'an-admin-key-behind-proxies',
});
/** An account for each proxy, as each has a cache of its own. */
const callers = { nginx: await api.caller(), caddy: await api.caller() };
let caller = callers.nginx;

/** Jobs are done when the test says so, at its end at the latest. */
let go = new AbortController();
/** What a test leaves open when it fails. */
const asked = new Set<ReturnType<typeof request>>();
test.after.each(() => {
  go.abort();
  for (const open of asked) open.destroy();
  asked.clear();
});
const worker = await startWorker({
  ...api.parts,
  enhance: enhanceBy(async (_, { target }, __, signal) => {
    const ended = AbortSignal.any([go.signal, signal]);
    // The test may have said so before the worker has taken the job.
    if (!ended.aborted) await once(ended, 'abort');
    signal.throwIfAborted();
    writeFileSync(target, 'a result');
    return pictureOf(8);
  }),
});

const agent = new Agent({ rejectUnauthorized: false, servername: 'media.example.org' });
type Asked = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Of the caller: 127.0.0.1 unless given. */
  readonly from?: string;
};

const openRequest = (port: number, { method = 'GET', path, headers = {}, from }: Asked) => {
  const open = request({
    agent,
    host: '127.0.0.1',
    port,
    method,
    path,
    ...(from && { localAddress: from }),
    signal: AbortSignal.timeout(120_000),
    headers: { host: 'media.example.org', authorization: `Bearer ${caller.key}`, ...headers },
  });
  // A refusal may come while the body is still sent; who waits for the answer hears of any other error.
  open.on('error', () => {});
  asked.add(open);
  return open;
};
const answerOf = async (asked: ReturnType<typeof request>): Promise<IncomingMessage> => {
  const [answer] = await once(asked, 'response');
  return answer;
};
const ask = async (port: number, asked: Asked) => {
  const open = openRequest(port, asked);
  open.end();
  const answer = await answerOf(open);
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
};

const boundary = 'of-a-test';
const multipart = { 'content-type': `multipart/form-data; boundary=${boundary}` };
const partHead = (name: string, file: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\n\r\n`;
const partsEnd = `\r\n--${boundary}--\r\n`;

/** An MP4 of this size as far as anyone can see who does not decode it: a file type, and free space. */
const mp4 = (bytes: number): Buffer => {
  const head = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp41', 'latin1');
  const free = Buffer.alloc(bytes - head.length);
  free.writeUInt32BE(free.length, 0);
  free.write('free', 4, 'latin1');
  return Buffer.concat([head, free]);
};

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const jobBody = (n: number): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nphoto\r\n--${boundary}\r\nContent-Disposition: form-data; name="scale"\r\n\r\n${n}\r\n${partHead('image', 'a.png')}`,
    ),
    picture,
    Buffer.from(partsEnd),
  ]);

/** Makes a job through the proxy; its answer comes when the job ends, or when the wait is over. */
const startJob = (port: number, scale: number, headers: Asked['headers'] = {}) => {
  const open = openRequest(port, {
    method: 'POST',
    path: '/v1/upscale',
    headers: { ...multipart, ...headers },
  });
  open.end(jobBody(scale));
  return open;
};

const incoming = () => {
  const folder = join(api.parts.config.files.dir, 'incoming');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.isFile() ? found.size : 0), 0);
};

for (const name of proxies) {
  const missing = missingFor(name);
  const fact = (what: string, run: (port: number) => Promise<void>) => {
    const title = `${name}: ${what}`;
    if (missing) skip(test, title, missing);
    else
      test(title, async () => {
        caller = callers[name];
        await run((await opened[name]).port);
      });
  };

  fact('a body of 80 MB arrives whole, and as it is sent', async (port) => {
    const file = mp4(80_000_000);
    const head = Buffer.from(partHead('file', 'large.mp4'));
    const open = openRequest(port, {
      method: 'POST',
      path: '/v1/uploads',
      headers: { ...multipart, 'content-length': head.length + file.length + partsEnd.length },
    });
    open.write(head);
    open.write(file.subarray(0, 20_000_000));
    // Half a megabyte may be under way in buffers of sockets.
    await until('the first part has arrived', () => incoming() > 19_000_000);
    open.end(Buffer.concat([file.subarray(20_000_000), Buffer.from(partsEnd)]));
    const answer = await answerOf(open);
    const { bytes, kind } = JSON.parse(await text(answer));
    assert.equal([answer.statusCode, bytes, kind], [201, 80_000_000, 'video']);
  });

  fact(
    'a body of 550 MB is not refused by the proxy, and a refusal does not wait for it',
    async (port) => {
      const open = openRequest(port, {
        method: 'POST',
        path: '/v1/uploads',
        headers: {
          ...multipart,
          authorization: 'Bearer mes_live_wrong',
          'content-length': 550 * 1024 * 1024,
        },
        from: '127.0.0.9',
      });
      open.on('error', () => {});
      open.write(partHead('file', 'large.mp4'));
      const answer = await answerOf(open);
      assert.is(answer.statusCode, 401);
      assert.match(String(answer.headers['content-type']), 'application/problem+json');
      open.destroy();
    },
  );

  fact('a call waits for its job as long as the API does', async (port) => {
    go = new AbortController();
    const from = performance.now();
    const answer = await answerOf(startJob(port, 2, { 'idempotency-key': `wait-${name}` }));
    const seconds = (performance.now() - from) / 1000;
    assert.is(answer.statusCode, 202, await text(answer));
    assert.ok(seconds >= waitSeconds, `${seconds} s`);
    go.abort();
  });

  fact('events come one by one, before their stream ends', async (port) => {
    go = new AbortController();
    const made = await answerOf(
      startJob(port, 4, { prefer: 'respond-async', 'idempotency-key': `sse-${name}` }),
    );
    const { id } = JSON.parse(await text(made));
    const open = openRequest(port, { path: `/v1/jobs/${id}/events` });
    open.end();
    const stream = await answerOf(open);
    assert.match(String(stream.headers['content-type']), 'text/event-stream');
    let heard = '';
    stream.setEncoding('utf8').on('data', (chunk) => {
      heard += chunk;
    });
    await until('the first event is here', () => heard.includes(`"${id}"`));
    assert.not.match(heard, '"succeeded"');
    go.abort();
    await once(stream, 'end');
    assert.match(heard, '"succeeded"');
  });

  fact('each caller has an address of its own, which it cannot choose', async (port) => {
    const wrong = { authorization: 'Bearer mes_live_wrong' };
    const statusFrom = async (from: string, forged: string) =>
      (
        await ask(port, {
          path: '/v1/jobs',
          from,
          headers: { ...wrong, 'x-forwarded-for': forged },
        })
      ).status;
    const [one, other] = name === 'nginx' ? ['127.0.0.2', '127.0.0.3'] : ['127.0.0.4', '127.0.0.5'];
    assert.equal([await statusFrom(one, '1.1.1.1'), await statusFrom(one, '1.1.1.2')], [401, 401]);
    assert.is(await statusFrom(one, '1.1.1.3'), 429);
    assert.is(await statusFrom(other, '1.1.1.4'), 401);
  });

  fact('callers may speak HTTP/2, and nobody gets the metrics', async (port) => {
    const session = connect(`https://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
      servername: 'media.example.org',
    });
    const stream = session.request({
      ':path': '/v1/credits',
      ':authority': 'media.example.org',
      authorization: `Bearer ${caller.key}`,
    });
    const [headers] = await once(stream, 'response');
    assert.equal(
      [headers[':status'], JSON.parse(await text(stream)).account],
      [200, caller.account],
    );
    session.close();
    const admin = { authorization: `Bearer ${api.parts.config.secrets.adminKey}` };
    const { status, body } = await ask(port, { path: '/metrics', headers: admin });
    assert.is(status, 404);
    assert.not.match(body, 'enhance_');
  });
}

const opened = {
  nginx: openUnlessMissing('nginx'),
  caddy: openUnlessMissing('caddy'),
};
function openUnlessMissing(name: (typeof proxies)[number]) {
  const none = { port: 0, close: async () => {} };
  return missingFor(name) ? Promise.resolve(none) : openProxy(name, api.port);
}

test('the page’s waits are longer than the longest wait', () => {
  for (const name of proxies)
    assert.match(snippetOf(name), /(proxy_read_timeout|response_header_timeout) 960s/);
});

test.after(async () => {
  go.abort();
  agent.destroy();
  await Promise.all(Object.values(opened).map(async (proxy) => (await proxy).close()));
  await worker.close();
  await api.close();
});
test.run();
