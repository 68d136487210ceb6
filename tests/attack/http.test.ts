import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { apiProcess, said } from './api-process.ts';

const test = suite('HTTP that is bent or broken');
const api = await apiProcess(
  { HEADERS_TIMEOUT_SECONDS: '2', HTTP_MAX_CONNECTIONS: '150', BODY_STALL_SECONDS: '1' },
  realRedis(),
);
await api.healthMs();

const get = (path: string, lines: readonly string[] = []) =>
  api.raw([`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines, '', ''].join('\r\n'));
const keyed = (path: string) => get(path, [`Authorization: Bearer ${api.key}`]);
/** The statuses and codes of all answers that came on one connection. */
const allSaid = (answers: string): string[] => answers.split(/(?=HTTP\/1\.1 \d)/).map(said);

test.after.each(() => {
  assert.is(api.ended(), undefined, 'the API process has ended');
});

test('a request without Host is told what it lacks', async () => {
  const answer = await api.raw('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
  assert.is(said(answer), '400 invalid_request');
  assert.match(answer, 'Host');
  assert.is(said(await api.raw('GET /healthz HTTP/1.0\r\n\r\n')), '200');
});

test('an expectation that nobody knows is told', async () => {
  for (const expect of ['a-miracle', '200-ok', 'x'.repeat(8000)]) {
    const answer = await get('/healthz', [`Expect: ${expect}`]);
    assert.is(said(answer), '400 invalid_request');
    assert.ok(answer.length < 2000);
  }
});

test('what no HTTP parser takes is a problem with 400', async () => {
  const host = 'Host: x\r\n';
  const requests = [
    'NONSENSE\r\n\r\n',
    `get /healthz HTTP/1.1\r\n${host}\r\n`,
    `GET /healthz HTTP/9.9\r\n${host}\r\n`,
    `GET /a b HTTP/1.1\r\n${host}\r\n`,
    `GET /healthz HTTP/1.1\r\n${host}no colon\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\n${host}A: b\0c\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\n${host}A b: c\r\n\r\n`,
    `POST /healthz HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`,
    `POST /healthz HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST /healthz HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
    `POST /healthz HTTP/1.1\r\n${host}Content-Length: 99999999999999999999999\r\n\r\n`,
    `POST /healthz HTTP/1.1\r\n${host}Transfer-Encoding: gzip, xyz\r\n\r\n`,
    `${api.head(['Content-Type: application/json', 'Transfer-Encoding: chunked'])}zz\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`,
  ];
  for (const request of requests) {
    assert.is(said(await api.raw(request)), '400 invalid_request', JSON.stringify(request));
  }
});

test('a target that is no path ends nothing and is told as such', async () => {
  const targets = [
    'http://[',
    'http://',
    'http://a:b/',
    'ftp://x/',
    'x',
    'http://[::1',
    'http:/[',
    '[',
    '',
    '//a@[#b',
    '//a@[\xa0b',
    '/healthz#x',
  ];
  for (const target of targets) {
    const answer = await api.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.is(said(answer), '400 invalid_request', target);
  }
  const strays = [
    '//[',
    '//a@[',
    '//[#',
    '/#',
    '/%',
    '/%00',
    '/\\\\[',
    '//x:y@z:99999/',
    '*',
    'http://x/y',
  ];
  for (const target of strays) {
    const answer = await api.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(said(answer), /^(404 not_found|400 invalid_request)$/, target);
  }
  assert.is(said(await get('http://other.example/healthz')), '200');
});

test('headers and addresses beyond their limit are told it', async () => {
  for (const path of ['/healthz', `/${'a'.repeat(20_000)}`]) {
    const answer = await get(path, path === '/healthz' ? [`A: ${'b'.repeat(20_000)}`] : []);
    assert.is(said(answer), '431 header_too_large');
    assert.match(answer, '16384');
  }
  assert.is(said(await get(`/${'a'.repeat(8000)}`)), '404 not_found');
});

test('a head that comes in drops is answered with 408, in time', async () => {
  const began = performance.now();
  const slow = async (bytes: string) => {
    const socket = await api.dial();
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    for (const byte of bytes + bytes.slice(-1).repeat(200)) {
      if (answer !== '' || socket.destroyed) break;
      socket.write(byte);
      await sleep(50);
    }
    for (let waits = 0; waits < 400 && answer === ''; waits += 1) await sleep(50);
    socket.destroy();
    return said(answer);
  };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      slow(at % 2 ? 'GET /a' : 'GET /healthz HTTP/1.1\r\nA: b'),
    ),
  );
  assert.equal([...new Set(answers)], ['408 request_timeout']);
  assert.ok(performance.now() - began < 20_000);
});

test('requests sent ahead are answered in order, and what is broken after them', async () => {
  const one = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  const stray = 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n';
  assert.equal(allSaid(await api.raw(`${one}${stray}${one}BROKEN\r\n\r\n`)), [
    ...['200', '404 not_found', '200', '400 invalid_request'],
  ]);
});

test('thousands of requests sent ahead do not keep health waiting', async () => {
  const socket = await api.dial();
  socket.resume().write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5000));
  await sleep(5);
  const slowest = await api.healthMs();
  socket.destroy();
  assert.ok(slowest < 4000, `health took ${slowest} ms`);
});

test('a caller that has said all and closes its side is answered', async () => {
  for (const request of [
    'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    `GET /v1/credits HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n\r\n`,
  ]) {
    const socket = await api.dial();
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.end(request);
    await closed;
    assert.is(said(answer), '200');
  }
  const socket = await api.dial();
  socket.end('GET /healthz HTTP/1.1\r\nHost');
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  assert.is(said(answer), '400 invalid_request');
});

test('a body of 4 GB is not taken for an empty one', async () => {
  const lengths = [2 ** 32, 2 ** 32 + 10, 3_000_000_000, 2 ** 40];
  const post = async (type: string, path: string, length: number) =>
    said(await api.raw(api.head([`Content-Type: ${type}`, `Content-Length: ${length}`], path)));
  const answers = await Promise.all(
    lengths.flatMap((length) => [
      post('multipart/form-data; boundary=b', '/v1/uploads', length),
      post('application/json', '/v1/upscale/estimate', length),
    ]),
  );
  assert.equal([...new Set(answers)], ['413 file_too_large']);
});

test('headers as long as they may be are read in no time, and none is echoed', async () => {
  const long = (unit: string) => unit.repeat(Math.floor(14_000 / unit.length));
  const lines = [
    `Authorization: Bearer ${long('a')} b`,
    `Authorization: Bearer${long(' ')}`,
    `Authorization: ${long('Bearer ')}`,
    `Prefer: ${long('wait=1,')}`,
    `Prefer: ${long('"')}`,
    `Prefer: wait="${long('"')}`,
    `X-Request-Id: ${long('a')}`,
    `Idempotency-Key: ${long('a')}`,
    `Range: bytes=${long('0-0,')}`,
    `Range: bytes=${long(' ')}`,
    `If-None-Match: ${long('"a",')}`,
    `If-None-Match: ${long(' ')}`,
    `Last-Event-ID: ${long('1')}`,
    `Content-Type: ${long('application/')}`,
    `Content-Type: application/json${long(';a="b"')}`,
    `Content-Type: application/json;${long(' ')}`,
    `Content-Type: multipart/form-data; boundary="${long('\\')}`,
    `Accept: ${long('*/*;q=0.1,')}`,
    `Accept-Encoding: ${long('gzip;q=0,')}`,
    `X-Forwarded-For: ${long('1.1.1.1, ')}`,
    `Cookie: ${long('a=b; ')}`,
  ];
  const key = `Authorization: Bearer ${api.key}`;
  for (const line of lines) {
    const head = [`Host: x`, 'Connection: close', ...(/^Auth/.test(line) ? [] : [key]), line];
    for (const first of [
      'GET /v1/jobs/job_1/events HTTP/1.1',
      'GET /v1/jobs/job_1/result HTTP/1.1',
      'POST /v1/upscale HTTP/1.1\r\nContent-Length: 2',
    ]) {
      const began = performance.now();
      const answer = await api.raw(`${[first, ...head, '', ''].join('\r\n')}{}`);
      assert.match(said(answer), /^4\d\d \w+$/, line.slice(0, 40));
      assert.ok(answer.length < 2500, `${answer.length} bytes for ${line.slice(0, 40)}`);
      const ms = performance.now() - began;
      assert.ok(ms < 5000, `${ms} ms for ${line.slice(0, 40)}`);
    }
  }
});

test('cursors, ids and numbers that are none are faults, never ours', async () => {
  const wrong = ['-', '+', '(', '[', '0', '%00', '%0d%0a', '9'.repeat(400), '1-1-1', '__proto__'];
  for (const value of wrong) {
    for (const query of ['starting_after', 'limit', 'status', 'kind']) {
      const answer = await keyed(`/v1/jobs?${query}=${value}`);
      assert.is(said(answer), '422 validation_failed', `${query}=${value}`);
    }
    assert.is(
      said(await keyed(`/v1/credits/ledger?starting_after=${value}`)),
      '422 validation_failed',
    );
    const one = encodeURIComponent(decodeURIComponent(value));
    assert.is(said(await keyed(`/v1/jobs/${one}`)), '404 not_found', value);
    assert.is(said(await keyed(`/v1/uploads/${one}`)), '404 not_found', value);
    const link = `/v1/jobs/job_1/result?expires=${value}&signature=${value}`;
    assert.match(said(await get(link)), /^4\d\d \w+$/);
  }
});

test('a query parameter that nobody knows is a fault on every route', async () => {
  const paths = ['/v1/jobs/job_1', '/v1/jobs', '/v1/credits', '/v1/credits/ledger', '/v1/models'];
  const open = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/v1/jobs/job_1/result'];
  for (const path of [...paths, '/v1/jobs/job_1/events', '/v1/uploads/upl_1', ...open]) {
    for (const name of ['colour', '__proto__', 'constructor']) {
      const answer = await keyed(`${path}?${name}=red`);
      assert.is(said(answer), '422 validation_failed', `${path}?${name}`);
      assert.match(answer, `"pointer":"/${name}"`);
    }
  }
  for (const path of [
    '/v1/jobs/job_1/cancel',
    '/v1/upscale',
    '/v1/lipsync/estimate',
    '/v1/uploads',
  ]) {
    const head = api.head(['Connection: close'], `${path}?colour=red`);
    const answer = await api.raw(head);
    assert.is(said(answer), '422 validation_failed', path);
    assert.match(answer, '"pointer":"/colour"');
  }
});

test('connections beyond the limit are closed, and those that say nothing make room again', async () => {
  const said = Array<string>(220).fill('');
  const sockets = await Promise.all(
    said.map(async (_, at) => {
      const socket = await api.dial(60_000);
      return socket.on('data', (chunk) => {
        said[at] = `${said[at]}${chunk}`;
      });
    }),
  );
  await until('none that says nothing is open', () => sockets.every(({ destroyed }) => destroyed));
  // Those beyond the limit are told nothing, at once; the others that their time is over.
  const told = said.filter(Boolean);
  assert.ok(told.length >= 140 && told.length <= 150, `${told.length} connections`);
  assert.ok(told.every((answer) => answer.startsWith('HTTP/1.1 408 ')));
  assert.ok((await api.healthMs()) < 4000);
});

test.after(api.close);
test.run();
