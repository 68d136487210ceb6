/** Requests that are odd below their body: methods, paths, queries, headers, pipelining, broken framing. */
import { type Attack, bearer, type Header, marks, type Target } from './attack.ts';
import type { Random } from './random.ts';
import { inherited, oddName, oddText } from './words.ts';

const end = '\r\n\r\n';

const pathsOf = ({ job, othersJob }: Target): readonly string[] => [
  ...['/v1/jobs', `/v1/jobs/${job}`, `/v1/jobs/${job}/events`, `/v1/jobs/${job}/result`],
  ...[`/v1/jobs/${othersJob}`, `/v1/jobs/${othersJob}/events`, `/v1/jobs/${othersJob}/result`],
  ...['/v1/credits', '/v1/credits/ledger', '/v1/models', '/v1/uploads/upl_0', '/v1/admin/keys'],
  ...['/healthz', '/readyz', '/metrics', '/openapi.json', '/v1/upscale', '/v1/nothing', '/'],
  ...[`/v1/jobs/${job}/cancel`, '/v1/admin/keys/key_0/revoke', '/problems/not_found'],
];

const queries = (random: Random): string => {
  const name = random.pick([
    ...['limit', 'status', 'kind', 'starting_after', 'account', 'expires', 'signature', 'page'],
    ...inherited,
  ]);
  const value = encodeURIComponent(wellFormed(oddText(random, 3000)));
  return random.pick([
    ...[`${name}=${value}`, `${name}=1&${name}=2`, `${name}[]=1`, `${name}[a]=1`, `${name}`],
    ...[`${name}=%`, `${name}=%ff%fe`, `&&&=&=`, `=1`, `limit=1e2`, `limit=-1`, `limit=0x10`],
    ...[`expires=99999999999999&signature=${value}`, 'expires=1&signature=a', '?', '#', '%00=1'],
    ...['starting_after=0-0', 'starting_after=job_0', 'starting_after=%2B', 'limit=+5'],
    Array.from({ length: random.size(2000) }, (_, i) => `a${i}=1`).join('&'),
  ]);
};

/** encodeURIComponent throws at half of a pair. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

const segments: readonly string[] = [
  ...['%00', '%2e%2e', '..', '.', '%2f', '%ff', '%', '%zz', '%u0000', ';a=b', ' ', '*', '\u00e9'],
  ...['__proto__', 'constructor', 'job_', 'job_0', '%0d%0aX:y', '\\', '"', '<a>', '{}', '(.*)'],
];

const headerTests: readonly ((random: Random, target: Target) => Header)[] = [
  (random) => ['Authorization', random.pick(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'bearer x'])],
  (random) => ['Authorization', `Bearer ${latin(oddText(random, 5000))}`],
  (random) => ['Authorization', `Bearer ${' '.repeat(random.size(10_000))}x`],
  (random) => ['X-Request-Id', latin(oddText(random, 5000))],
  (random) => [
    'Range',
    random.pick([
      ...['bytes=0-', 'bytes=-0', 'bytes=-1', 'bytes=5-1', 'bytes=99999999999999999999-', 'a=0-1'],
      ...['bytes=0-0,1-1', `bytes=${'0-1,'.repeat(1500)}`, `bytes=${'-,'.repeat(2000)}`, 'bytes='],
    ]),
  ],
  (random) => [
    'If-Range',
    random.pick(['"x"', 'W/"x"', 'Thu, 01 Jan 1970 00:00:00 GMT', '\u00ff']),
  ],
  (random) => ['If-None-Match', random.pick(['*', '"', `${'"a",'.repeat(2000)}`, 'W/""'])],
  (random) => ['If-Modified-Since', latin(oddText(random, 2000))],
  (random) => [
    'Last-Event-ID',
    random.pick(['0', '-1', '1e999', '9'.repeat(400), '\u00ff', 'NaN']),
  ],
  (random) => ['Accept', random.pick(['', 'nope', '*/*;q=2', `${'a/b,'.repeat(2000)}`, ';'])],
  (random) => ['Accept-Encoding', random.pick(['gzip', 'nope', '*;q=0', 'identity;q=0'])],
  (random) => ['Cookie', `${latin(oddName(random, 3000))}=1`],
  (random) => ['Content-Type', random.pick(['application/json', 'multipart/form-data', ';', ''])],
  (random) => ['X-Forwarded-For', random.pick(['127.0.0.1', 'a, '.repeat(3000), '::1'])],
  (random) => ['X-HTTP-Method-Override', random.pick(['DELETE', 'POST', '__proto__'])],
  (random) => ['Origin', random.pick(['null', 'https://x.invalid', '*', 'file://'])],
  (random) => ['Idempotency-Key', latin(oddText(random, 400))],
  (random) => ['Prefer', latin(oddText(random, 4000))],
  (random) => ['Upgrade', random.pick(['websocket', 'h2c', 'x'])],
  (random) => ['Connection', random.pick(['upgrade', 'close', 'keep-alive', 'authorization', 'x'])],
  (random) => ['Expect', random.pick(['100-continue', '200-ok', '', 'x'.repeat(2000)])],
];

const latin = (text: string): string => text.replace(/[^\x20-\x7e\x80-\xff]/g, '?');

/** Whole requests as text; `good` is one that may be read. */
const rawTests: readonly ((good: string, random: Random) => string)[] = [
  () => `GET /v1/models HTTP/1.1${end}`,
  () => `GET /v1/models HTTP/1.1\r\nHost: a\r\nHost: b${end}`,
  () => `GET /v1/models HTTP/1.0${end}`,
  () => `GET /v1/models\r\n`,
  () => `GET /v1/models HTTP/9.9\r\nHost: a${end}`,
  () => `GET http://x.invalid/v1/models HTTP/1.1\r\nHost: a${end}`,
  () => `GET * HTTP/1.1\r\nHost: a${end}`,
  () => `OPTIONS * HTTP/1.1\r\nHost: a${end}`,
  () => `GET //v1/models HTTP/1.1\r\nHost: a${end}`,
  () => `GET //[ HTTP/1.1\r\nHost: a${end}`,
  () => `GET http://[ HTTP/1.1\r\nHost: a${end}`,
  () => `GET ? HTTP/1.1\r\nHost: a${end}`,
  () => `GET  HTTP/1.1\r\nHost: a${end}`,
  () => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
  () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'.padEnd(200, 'a'),
  (_, random) => `${latin(oddText(random, 9000))}\r\n\r\n`,
  (_, random) =>
    `${random.pick(['FOO', 'get', 'G E T', 'GET\t', 'TRACE', 'PATCH', 'PROPFIND'])} /v1/jobs HTTP/1.1\r\nHost: a${end}`,
  () => `CONNECT x.invalid:443 HTTP/1.1\r\nHost: x.invalid${end}`,
  (good, random) => good.replace('\r\n', `\r\nX-A: ${'a'.repeat(random.size(100_000))}\r\n`),
  (good, random) =>
    good.replace(
      '\r\n',
      `\r\n${Array.from({ length: random.size(3000) }, (_, i) => `X${i}: a\r\n`).join('')}`,
    ),
  (good) => good.replace('\r\n', '\r\nno colon\r\n'),
  (good) => good.replace('\r\n', '\r\n folded: x\r\n'),
  (good) => good.replace('\r\n', '\r\nX-A: \u0000\r\n'),
  (good) => good.replace('\r\n', '\r\nX A: b\r\n'),
  (good) => good.replaceAll('\r\n', '\n'),
  (good) => good.replaceAll('\r\n', '\r'),
  (good, random) =>
    good.replace(
      '\r\n',
      `\r\nContent-Length: ${random.pick(['-1', 'a', '1e3', '99999999999999999999', '0x10', '1, 2', ''])}\r\n`,
    ),
  (good) => good.replace('\r\n', '\r\nContent-Length: 1\r\nContent-Length: 2\r\n'),
  (good, random) =>
    good.replace(
      '\r\n',
      `\r\nTransfer-Encoding: ${random.pick(['chunked, chunked', 'gzip', 'gzip, chunked', 'xchunked', 'identity', '\u000bchunked'])}\r\n`,
    ),
  (good) => good.replace('\r\n', '\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n'),
];

/** A body in chunks that are wrong. */
const chunkTests: readonly string[] = [
  ...[
    'zz\r\n',
    '-1\r\na\r\n',
    'ffffffffffffffffff\r\n',
    '5\r\nab\r\n0\r\n\r\n',
    '1 \r\na\r\n0\r\n\r\n',
  ],
  ...['1;a=b\r\na\r\n0\r\n\r\n', `1;${'a'.repeat(20_000)}\r\na\r\n0\r\n\r\n`, '1\na\n0\n\n'],
  ...['0\r\nX-A: b\r\n\r\n', `0\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, '0x1\r\na\r\n0\r\n\r\n'],
  ...['2\r\n{}\r\n0\r\n\r\n', '2\r\n{}0\r\n\r\n', '\r\n\r\n'],
];

const methods = ['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'PUT', 'PATCH'] as const;

export const httpAttack = (random: Random, target: Target): Attack => {
  const paths = pathsOf(target);
  const base = {
    kind: 'http' as const,
    method: random.pick(methods),
    path: random.pick(paths),
    headers: [bearer(random.chance(0.2) ? marks.adminKey : undefined)],
    body: Buffer.alloc(0),
    ending: 'answer' as const,
  };
  const good = (path = base.path) =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${bearer().join(': ')}${end}`;
  const ways: readonly (() => Attack)[] = [
    () => ({ ...base, what: 'a method and a path' }),
    () => ({ ...base, what: 'an odd query', path: latin(`${base.path}?${queries(random)}`) }),
    () => ({
      ...base,
      what: 'an odd path',
      path: latin(`${base.path}${random.pick(['/', '', '//'])}${random.pick(segments)}`),
    }),
    () => ({
      ...base,
      what: 'a long path',
      path: `${base.path}/${random.pick(['a', '/', '%41', '../', '%2e'])}`.padEnd(
        random.size(40_000),
        'a',
      ),
    }),
    () => ({
      ...base,
      what: 'an id of another kind',
      path: `/v1/${random.pick(['jobs', 'uploads'])}/${encodeURIComponent(wellFormed(oddName(random, 3000)))}${random.pick(['', '/events', '/result', '/cancel'])}`,
    }),
    () => {
      const header = random.pick(headerTests)(random, target);
      const before = base.headers.filter(([name]) => name !== header[0]);
      return { ...base, what: `header ${header[0]}`, headers: [...before, header] };
    },
    () => ({ ...base, what: 'a broken request', raw: random.pick(rawTests)(good(), random) }),
    () => ({
      ...base,
      what: 'broken chunks',
      raw: `POST ${random.pick(['/v1/upscale', '/v1/uploads', '/v1/jobs'])} HTTP/1.1\r\nHost: a\r\n${bearer().join(': ')}\r\nContent-Type: ${random.pick(['application/json', 'multipart/form-data; boundary=X'])}\r\nTransfer-Encoding: chunked${end}${random.pick(chunkTests)}`,
    }),
    () => ({
      ...base,
      what: 'pipelined',
      raw: Array.from({ length: random.size(90) }, () =>
        good(random.pick(paths.filter((path) => !path.endsWith('/events')))),
      ).join(''),
    }),
    () => ({
      ...base,
      what: 'a body that a GET does not have',
      headers: [...base.headers, ['Content-Length', '5000']],
      body: Buffer.alloc(5000, 'a'),
    }),
    () => ({
      ...base,
      what: 'hangs up',
      ending: 'hang up',
      raw: good().slice(0, random.below(good().length)),
    }),
    () => ({
      ...base,
      what: 'hangs up before the answer',
      ending: 'hang up',
      raw: good(random.pick(paths)),
    }),
  ];
  return random.pick(ways)();
};
