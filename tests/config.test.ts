import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig as load } from '../src/config.ts';
import { variables } from '../src/environment/variables.ts';
import { operations } from '../src/operations/all.ts';
import { unknownNames } from '../src/stack/environment.ts';
import { root } from '../src/stack/home.mjs';
import { defaultPorts } from '../src/stack/ports.ts';
import { isSetupError } from '../src/stack/setup/setup-error.mjs';

const example = readFileSync(join(root, '.env.example'), 'utf8');
const loadConfig = (env: NodeJS.ProcessEnv) => load(env, operations);
const secrets = { KEY_PEPPER: 'p'.repeat(16), SIGNING_SECRET: 's'.repeat(16) };

/** The example with the comment taken off every variable. */
const taken = parseEnv(example.replace(/^# (?=[A-Z\d_]+=)/gm, ''));
const [service = '', stack = ''] = example.split('=== Only for `npm start`');
const namesIn = (text: string) => [...text.matchAll(/^# ([A-Z\d_]+)=/gm)].map(([, name]) => name);

const test = suite('config');

test('.env.example names every variable of the service, once, and no other', () => {
  assert.equal(namesIn(service).sort(), [...variables(operations)].sort());
});

test('.env.example names the ports of the local stack', () => {
  const ports = Object.keys(defaultPorts).filter((name) => name !== 'PORT');
  assert.equal(
    namesIn(stack).filter((name) => name?.endsWith('_PORT')),
    ports,
  );
});

test('names in .env that .env.example lacks are told', () => {
  const given = { UPSCALE_RATE: '{}', KEY_PEPPER_FILE: '/run/pepper', PORTS: '1' };
  assert.equal(unknownNames({ ...taken, ...given, COMPOSE_PROFILES: '' }), [
    'UPSCALE_RATE',
    'PORTS',
  ]);
});

test('the values in .env.example are the defaults', () => {
  assert.equal(loadConfig({ ...taken, ...secrets }), loadConfig(secrets));
});

test('the ports in .env.example are the defaults', () => {
  for (const [name, port] of Object.entries(defaultPorts)) assert.is(taken[name], `${port}`);
});

test('the default addresses of the service are the default ports of the stack', () => {
  const { http, redis, triton } = loadConfig(secrets);
  assert.is(http.port, defaultPorts.PORT);
  assert.is(redis.url, `redis://127.0.0.1:${defaultPorts.REDIS_PORT}`);
  assert.is(triton.httpUrl, `http://127.0.0.1:${defaultPorts.TRITON_HTTP_PORT}`);
  assert.is(triton.grpcUrl, `127.0.0.1:${defaultPorts.TRITON_GRPC_PORT}`);
});

test('webhooks are tried again when the contract says, and given 15 s to answer', () => {
  const { retriesMs, timeoutMs } = loadConfig(secrets).webhooks;
  const [minute, hour] = [60_000, 3_600_000];
  assert.equal(retriesMs, [
    ...[5_000, 5 * minute, 30 * minute],
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
  ]);
  assert.is(timeoutMs, 15_000);
  // The record of the delivery would be gone.
  const weeks = { ...secrets, WEBHOOK_RETRY_SECONDS: '5,604800' };
  assert.throws(() => loadConfig(weeks), /WEBHOOK_RETRY_SECONDS.*518400/);
});

test('the limits are those of the contract unless they are set', () => {
  const { http, files, limits } = loadConfig(secrets);
  const [minute, megabyte] = [60_000, 1024 * 1024];
  assert.equal([http.waitLimitMs, files.ttlMs], [15 * minute, 24 * 60 * minute]);
  const { bytes, longSide, shortSide, seconds } = limits.lipsync;
  assert.equal([bytes, longSide, shortSide, seconds], [500 * megabyte, 4096, 2304, 300]);
  assert.equal(limits.audio, { bytes: 50 * megabyte, seconds: 300 });
});

test('unless they are set, the discount grows by the month’s credits, and the fastest lip sync costs least', () => {
  const { tiers, rates } = loadConfig(secrets).prices;
  assert.equal(
    tiers.map(({ percent }) => percent),
    [0, 10, 20],
  );
  const { fast = 0, balanced = 0, studio = 0 } = rates.lipsync ?? {};
  assert.ok(0 < fast && fast < balanced && balanced < studio, JSON.stringify(rates));
});

test('an empty variable is an unset one', () => {
  assert.equal(loadConfig({ ...secrets, PORT: '', LOG_LEVEL: '' }), loadConfig(secrets));
});

test('an origin of a page is what a browser sends, or an asterisk', () => {
  const origins = (text: string) => loadConfig({ ...secrets, CORS_ORIGINS: text }).http.corsOrigins;
  assert.equal(origins('https://a.example, http://localhost:5173'), [
    'https://a.example',
    'http://localhost:5173',
  ]);
  assert.equal(origins('*'), ['*']);
  for (const text of [
    'a.example',
    'https://a.example/',
    'https://A.example',
    'https://a.example:443',
  ])
    assert.throws(() => origins(text), /CORS_ORIGINS.*: Expected \* or an origin/);
});

test('all faults are told at once, each with its variable', () => {
  const faulty = {
    PORT: '65536',
    LOG_LEVEL: 'loud',
    UPSCALE_RATES: '{',
    KEY_PEPPER: 'short',
  };
  try {
    loadConfig({ ...faulty, STORAGE: 's3' });
    assert.unreachable();
  } catch (error) {
    // So `npm start` shows it as a message, and so do API and worker.
    assert.ok(isSetupError(error));
    const message = error instanceof Error ? error.message : '';
    for (const name of [...Object.keys(faulty), 'SIGNING_SECRET', 'S3_BUCKET'])
      assert.match(message, `  ${name}`);
  }
});

test('what would be taken for something else is a fault', () => {
  const cases: readonly (readonly [string, string])[] = [
    // A scheme `localhost:`, which every `output_url` would begin with.
    ['PUBLIC_URL', 'localhost:8080'],
    ['HOST', 'http://0.0.0.0'],
    ['HOST', 'any host'],
    ['S3_ENDPOINT', 'minio:9000'],
    ['REDIS_URL', 'http://127.0.0.1:6390'],
    ['FETCH_ALLOW_HOSTS', 'nas.local, http://nas.local'],
    ['FFMPEG_PRESET', 'quick'],
    // Each credit would be in both rows, and get both discounts.
    ['DISCOUNT_TIERS', '[{"credits":null,"percent":0},{"credits":5,"percent":1}]'],
  ];
  for (const [name, value] of cases)
    assert.throws(
      () => loadConfig({ ...secrets, [name]: value }),
      new RegExp(`${name}.*: Expected`),
    );
  for (const url of ['redis://:secret@a:1', 'rediss://a', 'a:6379', '/run/redis.sock'])
    assert.is(loadConfig({ ...secrets, REDIS_URL: url }).redis.url, url);
  const { fetch } = loadConfig({
    ...secrets,
    FETCH_ALLOW_HOSTS: 'NAS.local,10.0.0.1:80,[fd00::2]',
  });
  assert.equal(fetch.allowHosts, ['nas.local', '10.0.0.1:80', '[fd00::2]']);
});

test('links to results begin with an address that this machine can open', () => {
  const cases = {
    '0.0.0.0': '127.0.0.1',
    '::': '127.0.0.1',
    '::1': '[::1]',
    'nas.local': 'nas.local',
  };
  for (const [HOST, host] of Object.entries(cases))
    assert.is(loadConfig({ ...secrets, HOST, PORT: '80' }).http.publicUrl, `http://${host}:80`);
});

const several = {
  TRITON_HTTP_URL: 'http://a:8000/, http://b:8000',
  TRITON_GRPC_URL: 'a:8001,[fd00::2]:8001',
};

test('replicas of Triton are listed in the order of both their addresses', () => {
  assert.equal(loadConfig({ ...secrets, ...several }).triton.servers, [
    { httpUrl: 'http://a:8000', grpcUrl: 'a:8001' },
    { httpUrl: 'http://b:8000', grpcUrl: '[fd00::2]:8001' },
  ]);
});

test('addresses of Triton that do not fit together are faults, each with a sentence', () => {
  const cases: readonly (readonly [NodeJS.ProcessEnv, RegExp])[] = [
    [
      { TRITON_GRPC_URL: 'a:8001' },
      /TRITON_GRPC_URL: Expected one address for each .* \(2\); got 1/,
    ],
    [{ TRITON_GRPC_URL: 'a,b:1' }, /TRITON_GRPC_URL\.0: Expected host:port/],
    [{ TRITON_HTTP_URL: 'http://a:1,http://a:1/' }, /TRITON_HTTP_URL: Expected each address once/],
    [{ TRITON_HTTP_URL: 'http://a:1,b' }, /TRITON_HTTP_URL\.1: Expected an http or https URL/],
    [{ TRITON_HTTP_URL: ' , ' }, /TRITON_HTTP_URL: Expected at least 1 entry/],
    [{ TRITON_DISCOVERY: 'dns' }, /TRITON_HTTP_URL: Expected one host name .*; got 2/],
    [{ TRITON_TRANSPORT: 'shared-memory' }, /TRITON_TRANSPORT: .* one Triton on this host only/],
  ];
  for (const [env, message] of cases)
    assert.throws(() => loadConfig({ ...secrets, ...several, ...env }), message);
  const alone = { TRITON_DISCOVERY: 'dns', TRITON_TRANSPORT: 'shared-memory' };
  assert.throws(() => loadConfig({ ...secrets, ...alone }), /TRITON_TRANSPORT: /);
});

test('a model without a rate, and a rate without a model, are faults', () => {
  const rates = {
    UPSCALE_RATES: '{"photo":1,"photo_realtime":1,"animation_realtime":1,"detail":1}',
    LIPSYNC_RATES: '{"fast":1,"balanced":2,"studio":4,"slow":1}',
  };
  assert.throws(
    () => loadConfig({ ...secrets, ...rates }),
    /UPSCALE_RATES\.animation: .*\n.*LIPSYNC_RATES: .*"slow"/,
  );
});

test('S3 is off unless it is chosen, and then needs its bucket and whole credentials', () => {
  const named = { ...secrets, S3_BUCKET: 'media', S3_PREFIX: '/a/b/' };
  assert.is(loadConfig(named).files.s3, null);
  const { s3 } = loadConfig({ ...named, STORAGE: 's3' }).files;
  assert.equal([s3?.bucket, s3?.prefix, s3?.credentials], ['media', 'a/b/', undefined]);
  const lacking = { ...secrets, STORAGE: 's3', S3_ACCESS_KEY_ID: 'id' };
  assert.throws(() => loadConfig(lacking), /S3_BUCKET: .*\n.*S3_SECRET_ACCESS_KEY: /);
});

test.run();
