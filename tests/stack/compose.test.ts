import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { z } from 'zod';
import { variables } from '../../src/environment/variables.ts';
import { operations } from '../../src/operations/all.ts';
import { nodeOptions, workerOptions } from '../../src/stack/compiled.mjs';
import { root } from '../../src/stack/home.mjs';
import { defaultPorts } from '../../src/stack/ports.ts';
import { redisArguments } from '../../src/stack/redis.ts';
import { keeper, models, tritonArguments } from '../../src/stack/triton.ts';
import { testConfig } from '../real/config.ts';
import { skip } from '../real/skip.ts';

const Service = z.looseObject({
  command: z.array(z.string()),
  build: z.looseObject({ dockerfile: z.string() }).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  profiles: z.array(z.string()).optional(),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  user: z.string(),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  restart: z.literal('unless-stopped'),
  logging: z.strictObject({ driver: z.string().regex(/^\$\{LOG_DRIVER:-local\}$/) }),
  mem_limit: z.string().regex(/^\$\{[A-Z]+_MEMORY:-\d+g\}$/),
  pids_limit: z.number(),
  cpu_shares: z.number().optional(),
  platform: z.string().optional(),
  container_name: z.undefined().optional(),
  hostname: z.undefined().optional(),
  tmpfs: z.array(z.string()).optional(),
});
const Compose = z.looseObject({
  services: z.strictObject({
    api: Service,
    worker: Service,
    redis: Service,
    triton: Service,
    'triton-gpu': Service,
  }),
});

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const { services } = Compose.parse(parse(read('docker-compose.yml'), { merge: true }));
const { api, worker, redis, triton } = services;
const gpu = services['triton-gpu'];

const ports = {
  http: defaultPorts.TRITON_HTTP_PORT,
  grpc: defaultPorts.TRITON_GRPC_PORT,
  metrics: defaultPorts.TRITON_METRICS_PORT,
};

/** Where the releases lie that were added. */
const modelsDir = '/models';

const test = suite('docker-compose.yml');

test('containers are given the time that API and worker take to drain', () => {
  const grace = (service: unknown): number => {
    const { stop_grace_period } = z.object({ stop_grace_period: z.string() }).parse(service);
    return Number(/:-(\d+)s}$/.exec(stop_grace_period)?.[1]);
  };
  const { jobs, http } = testConfig({ WORKER_DRAIN_SECONDS: '', API_DRAIN_SECONDS: '' });
  assert.ok(grace(worker) >= jobs.drainMs / 1000 + 7, `worker: ${grace(worker)} s`);
  assert.ok(grace(api) >= http.drainMs / 1000 + 7, `API: ${grace(api)} s`);
});

test('Triton runs with the arguments of the embedded one, and loads the same models', () => {
  assert.equal(triton.command, [
    'python3',
    keeper,
    'tritonserver',
    ...tritonArguments(ports, ['/app/models', modelsDir]),
    ...models.map((model) => `--load-model=${model}`),
  ]);
  assert.equal(gpu.command, triton.command);
});

test('every service is confined: no root, no new privileges, writable volumes and memory only', () => {
  // What each of them must be is in the schema above; here is what may differ.
  const all = { api, worker, redis, triton, gpu };
  const users = Object.entries(all).map(([name, { user }]) => `${name}: ${user}`);
  assert.equal(users, [
    ...['api: node', 'worker: node', 'redis: redis'],
    ...['triton: triton-server', 'gpu: triton-server'],
  ]);
  for (const [name, { tmpfs, pids_limit }] of Object.entries(all)) {
    assert.ok(pids_limit <= 4096, name);
    for (const word of ['privileged', 'network_mode', 'pid', 'cap_add'])
      assert.not(word in Object(all)[name], `${name}: ${word}`);
    for (const mount of tmpfs ?? []) assert.match(mount, /^\/tmp:mode=1777,size=\d+m$/, name);
  }
});

test('only the API is published, and only to this machine unless BIND says otherwise', () => {
  for (const service of [worker, redis, triton, gpu]) assert.is(service.ports, undefined);
  assert.equal(api.ports, [
    `\${BIND:-127.0.0.1}:\${PORT:-${defaultPorts.PORT}}:${defaultPorts.PORT}`,
  ]);
  // Links to results lead to the port that is published.
  assert.is(
    api.environment?.PUBLIC_URL,
    `\${PUBLIC_URL:-http://127.0.0.1:\${PORT:-${defaultPorts.PORT}}}`,
  );
});

test('workers and Tritons can be several: none has a name or a port that only one can have', () => {
  for (const service of [worker, triton, gpu]) {
    assert.is(service.ports, undefined);
    // Two on one volume would write over each other, unless every process gives its files names of its own.
    for (const volume of service.volumes ?? [])
      assert.match(
        volume,
        /^(files:\/data|models:\/models(:ro)?|tensorrt:\/app\/weights\/tensorrt)$/,
      );
    assert.ok(service.tmpfs?.some((mount) => mount.startsWith('/tmp:')));
  }
});

test('a busy machine serves API and Redis before workers and models', () => {
  const shares = ({ cpu_shares = 1024 }) => cpu_shares;
  for (const first of [api, redis])
    for (const later of [worker, triton, gpu]) assert.ok(shares(first) > shares(later));
});

test('only what is not made for ARM says its platform', () => {
  for (const service of [triton, gpu]) assert.is(service.platform, 'linux/amd64');
  for (const service of [api, worker, redis]) assert.is(service.platform, undefined);
});

test('Triton gets its own secret, and of the service only what leads to the collector', () => {
  for (const { environment } of [triton, gpu])
    assert.equal(Object.keys(environment ?? {}).sort(), [
      ...['ENHANCE_ENGINE', 'ENHANCE_THREADS', 'KEEPER_PATIENCE'],
      ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'TRITON_ADMIN_SECRET'],
    ]);
  assert.is(redis.environment, undefined);
  for (const { environment } of [api, triton])
    assert.match(environment?.TRITON_ADMIN_SECRET ?? '', /^\$\{TRITON_ADMIN_SECRET:?\?/);
});

test('the models folder is the one of the embedded Triton', () => {
  assert.match(read('inference/Dockerfile'), /^COPY models models$/m);
  assert.match(read('inference/Dockerfile'), /^WORKDIR \/app$/m);
});

test('Redis runs with the arguments of the embedded one, and refuses writes before it is killed', () => {
  const shared = ['redis-server', ...redisArguments(defaultPorts.REDIS_PORT)];
  assert.equal(redis.command.slice(0, shared.length), shared);
  const [option, most = '', ...others] = redis.command.slice(shared.length);
  assert.equal([option, others], ['--maxmemory', []]);
  const gigabytes = (text: string) => Number(/:-(\d+)gb?\}$/.exec(text)?.[1]);
  assert.match(most, /REDIS_MAXMEMORY/);
  assert.ok(2 * gigabytes(most) <= gigabytes(redis.mem_limit));
});

test('API and worker run the commands of npm start', () => {
  assert.equal(api.command, ['node', ...nodeOptions, 'dist/main.js', 'api']);
  assert.equal(worker.command, ['node', ...workerOptions, 'dist/main.js', 'worker']);
});

test('API and worker are given every variable that the service reads, and no other', () => {
  for (const { environment } of [api, worker])
    assert.equal(Object.keys(environment ?? {}).sort(), [...variables(operations)].sort());
});

test('a variable that is not fixed passes through under its own name', () => {
  for (const [name, value] of Object.entries(api.environment ?? {}))
    if (value.startsWith('$'))
      assert.match(value, new RegExp(`^\\$\\{${name}(:-|:?\\?)`), `${name}: ${value}`);
});

test('the fixed addresses are a valid configuration on the ports of npm start', () => {
  const fixed = Object.entries(api.environment ?? {}).filter(([, value]) => !value.startsWith('$'));
  const config = testConfig(Object.fromEntries(fixed));
  assert.is(config.http.port, defaultPorts.PORT);
  assert.is(config.redis.url, `redis://redis:${defaultPorts.REDIS_PORT}`);
  assert.is(config.triton.httpUrl, `http://triton:${defaultPorts.TRITON_HTTP_PORT}`);
  assert.is(config.triton.grpcUrl, `triton:${defaultPorts.TRITON_GRPC_PORT}`);
});

test('the ports of the health checks are those that are listened on', () => {
  assert.match(`${api.healthcheck?.test}`, `127.0.0.1:${defaultPorts.PORT}/`);
  assert.match(`${redis.healthcheck?.test}`, `${defaultPorts.REDIS_PORT}`);
  assert.match(`${triton.healthcheck?.test}`, `127.0.0.1:${ports.http}/v2/health/live`);
});

test('API and worker share the files, and the ledger outlives its container', () => {
  const { DATA_DIR } = api.environment ?? {};
  const data = testConfig({ ...(DATA_DIR && { DATA_DIR }) }).files.dir;
  assert.equal(api.volumes, [`files:${data}`, `models:${modelsDir}`]);
  assert.is(api.environment?.MODELS_DIR, modelsDir);
  assert.equal(worker.volumes, api.volumes);
  assert.equal(redis.volumes, ['redis:/data']);
  for (const { volumes } of [triton, gpu]) assert.ok(volumes?.includes(`models:${modelsDir}:ro`));
});

test('only the GPU server needs a profile', () => {
  assert.equal(gpu.profiles, ['gpu']);
  for (const service of [api, worker, redis, triton]) assert.is(service.profiles, undefined);
});

/** The release that mends the last hole of NVIDIA's bulletins for Triton up to September 2026 (5875: CVE-2026-16497). */
const patched = '26.07';

test('the release of Triton in the containers is set in one place and has no hole that was published', () => {
  const dockerfile = read('inference/Dockerfile');
  const [, release = ''] = /^ARG TRITON_VERSION=(\d\d\.\d\d)$/m.exec(dockerfile) ?? [];
  assert.ok(release >= patched, `"${release}" is older than ${patched}`);
  assert.match(dockerfile, /^FROM nvcr\.io\/nvidia\/tritonserver:\$\{TRITON_VERSION\}-py3/m);
  const folders = ['deploy', '.github'].filter((folder) => existsSync(join(root, folder)));
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [
    ...files,
    join(root, 'docker-compose.yml'),
    join(root, 'inference/Dockerfile'),
  ])
    assert.not.match(readFileSync(file, 'utf8'), /tritonserver:\d/, file);
  assert.match(read('SECURITY.md'), `Triton ${release}`);
});

test('the embedded Triton is the newest that a wheel holds, and SECURITY.md names it', () => {
  assert.match(read('src/stack/wheels.json'), '"nvidia_pytriton-0.7.0-'); // which holds 24.10
  assert.match(read('SECURITY.md'), 'Triton 24.10');
});

test('each Dockerfile copies only what is in the repository', () => {
  for (const service of [api, triton]) {
    const file = service.build?.dockerfile ?? '';
    const copied = [...read(file).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) =>
      (paths ?? '').split(' '),
    );
    assert.ok(copied.length > 0);
    assert.equal(
      copied.filter((path) => !existsSync(join(root, path))),
      [],
    );
  }
});

const compose = [['docker-compose'], ['docker', 'compose']].find(
  ([command = '', ...words]) => spawnSync(command, [...words, 'version']).status === 0,
);

const validates = 'docker-compose reads the file, with and without the GPU';
if (compose)
  test(validates, () => {
    const [command = '', ...words] = compose;
    const secret = 's'.repeat(16);
    const env = {
      ...process.env,
      KEY_PEPPER: secret,
      SIGNING_SECRET: secret,
      TRITON_ADMIN_SECRET: secret,
    };
    for (const profile of [[], ['--profile', 'gpu']])
      execFileSync(command, [...words, ...profile, 'config', '--quiet'], { cwd: root, env });
  });
else skip(test, validates, 'docker-compose');

test.run();
