/** What another process of this machine, or a web page in its browser, can make of Triton and Redis. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import axios from 'axios';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { operations } from '../../src/operations/all.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { environmentFor } from '../../src/stack/allowed.ts';
import { places } from '../../src/stack/home.mjs';
import { openTransport } from '../../src/triton/open-transport.ts';
import { adminHeader } from '../../src/triton/protocol/wire.ts';
import { ownRedis } from '../real/redis.ts';
import { adminSecret, tempDir } from '../real/run.ts';
import { ownTriton } from '../real/triton.ts';
import { until } from '../real/until.ts';

/** What must stay with the service, or with the shell that has started it. */
const secrets = {
  KEY_PEPPER: 'secret-pepper-of-a-test',
  SIGNING_SECRET: 'secret-signing-of-a-test',
  ADMIN_KEY: 'secret-admin-of-a-test',
  AWS_SECRET_ACCESS_KEY: 'secret-cloud-of-a-test',
  NPM_TOKEN: 'secret-npm-of-a-test',
};
Object.assign(process.env, secrets);

const test = suite('Triton and Redis as doors');
const [triton, redis] = await Promise.all([ownTriton(['echo']), ownRedis()]);
const evidence = join(tempDir('door'), 'it-ran');
const model = `open(${JSON.stringify(evidence)}, "w").write("ran")
class TritonPythonModel:
    def execute(self, requests): return []
`;
const file = Buffer.from(model).toString('base64');
const parameters = { config: '{"backend": "python"}', 'file:1/model.py': file };

const http = axios.create({ baseURL: `${triton.httpUrl}/v2`, validateStatus: () => true });
const allowed = { headers: { [adminHeader]: adminSecret } };
const refused = async (method: string, url: string, data: unknown = '{}') => {
  for (const headers of [{}, { [adminHeader]: 'x'.repeat(22) }, { [adminHeader]: '' }]) {
    const answer = await http.request({ method, url, data, headers });
    assert.is(answer.status, 403, `${method} ${url}: ${answer.status} ${answer.data}`);
  }
};

const set = loadFileDescriptorSetFromBuffer(readFileSync(places.grpcDescriptors), {
  keepCase: true,
});
const client = new Client(triton.grpcUrl, credentials.createInsecure());
const call = (name: string, request: object, secret?: string): Promise<ServiceError | null> => {
  const service = set['inference.GRPCInferenceService'];
  const method = service && !('format' in service) ? service[name] : undefined;
  if (!method) throw new Error(`no ${name}`);
  const { path, requestSerialize, responseDeserialize } = method;
  const metadata = new Metadata();
  if (secret) metadata.set(`triton-grpc-protocol-${adminHeader}`, secret);
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      resolve,
    );
  });
};

test('a model sent along with its own Python is refused over HTTP without the secret, and nothing runs', async () => {
  await refused('post', '/repository/models/echo/load', { parameters });
  await refused('post', '/repository/models/mine/load', { parameters });
  assert.not(existsSync(evidence));
});

test('it is refused over gRPC too', async () => {
  const request = {
    model_name: 'mine',
    parameters: [
      { key: 'config', value: { string_param: parameters.config } },
      { key: 'file:1/model.py', value: { bytes_param: Buffer.from(model) } },
    ],
  };
  for (const secret of [undefined, 'x'.repeat(22)]) {
    const error = await call('RepositoryModelLoad', request, secret);
    assert.is(error?.code, status.UNAVAILABLE, String(error));
    assert.match(String(error), 'restricted');
  }
  assert.not(existsSync(evidence));
});

test('a form that a web page posts to Triton is refused', async () => {
  const page = { headers: { origin: 'https://evil.example', 'content-type': 'text/plain' } };
  const body = JSON.stringify({ parameters });
  const answer = await http.post('/repository/models/echo/load', body, page);
  assert.is(answer.status, 403);
  assert.not(existsSync(evidence));
});

test('whatever else steers Triton, tells of it or works it is refused without the secret', async () => {
  const region = { key: '/enhance', offset: 0, byte_size: 1 };
  await refused('post', '/systemsharedmemory/region/mine/register', region);
  await refused('post', '/systemsharedmemory/unregister');
  await refused('get', '/systemsharedmemory/status');
  await refused('post', '/cudasharedmemory/region/mine/register', region);
  await refused('post', '/repository/index');
  await refused('post', '/repository/models/echo/unload');
  await refused('post', '/trace/setting', { trace_file: evidence });
  await refused('post', '/logging', { log_file: evidence });
  await refused('get', '/models/echo/config');
  await refused('get', '/models/echo/stats');
  await refused('post', '/models/echo/infer', { inputs: [] });
  const one = { name: 'echo', model_name: 'echo' };
  for (const name of ['SystemSharedMemoryStatus', 'SystemSharedMemoryUnregister', 'LogSettings'])
    assert.is((await call(name, {}))?.code, status.UNAVAILABLE, name);
  for (const name of ['ModelConfig', 'ModelStatistics', 'TraceSetting', 'ModelInfer'])
    assert.is((await call(name, one))?.code, status.UNAVAILABLE, name);
});

test('with the secret both do as they are told, and health needs none', async () => {
  assert.is((await http.get('/health/ready')).status, 200);
  assert.is((await http.get('/models/echo/ready')).status, 200);
  assert.is((await http.post('/repository/models/echo/load', '{}', allowed)).status, 200);
  assert.is(await call('RepositoryModelLoad', { model_name: 'echo' }, adminSecret), null);
  const answer = await http.post('/repository/models/mine/load', { parameters }, allowed);
  assert.is(answer.status, 200, JSON.stringify(answer.data));
  assert.ok(existsSync(evidence), 'the attack would have worked');
});

test('inference works over each transport', async () => {
  const input = {
    ...({ name: 'DATA', datatype: 'UINT8', shape: [2, 2, 3] } as const),
    data: Buffer.alloc(12, 7),
  };
  const { data: _, ...wanted } = input;
  for (const TRITON_TRANSPORT of ['http', 'grpc', 'shared-memory']) {
    const { triton: config } = loadConfig(
      {
        ...secrets,
        TRITON_TRANSPORT,
        TRITON_ADMIN_SECRET: adminSecret,
        TRITON_HTTP_URL: triton.httpUrl,
        TRITON_GRPC_URL: triton.grpcUrl,
        TRITON_GRPC_DESCRIPTORS: places.grpcDescriptors,
      },
      operations,
    );
    const transport = await openTransport(config);
    const signal = AbortSignal.timeout(10_000);
    const [output] = await transport.infer('echo', [input], [wanted], signal);
    assert.ok(output?.data.equals(input.data), TRITON_TRANSPORT);
    await transport.close();
  }
});

type Process = { readonly name: string; readonly environment: string; readonly words: string };
const processes = (...words: readonly string[]): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({
      name: read(`/proc/${name}/comm`).trim(),
      environment: read(`/proc/${name}/environ`),
      words: read(`/proc/${name}/cmdline`),
    }))
    .filter(({ words: found }) => words.some((word) => found.includes(word)));
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has just ended
  }
};
const port = (url: string) => new URL(url).port;
const ours = () =>
  processes(
    ...[`--http-port=${port(triton.httpUrl)}`, `enhance_${port(triton.httpUrl)}_`],
    `--port\0${redis.port}\0`,
  );

test('no process of Triton or Redis has a secret of the service or of its caller in its environment', () => {
  const found = ours();
  const names = new Set(found.map(({ name }) => name));
  for (const name of ['tritonserver', 'triton_python_b', 'redis-server'])
    assert.ok(names.has(name));
  for (const { name, environment } of found) {
    assert.match(environment, 'ENHANCE_RUN=', name);
    for (const [variable, value] of Object.entries(secrets)) {
      assert.not.match(environment, variable, name);
      assert.not.match(environment, value, name);
    }
    assert.not.match(environment, 'npm_', name);
    if (name !== 'python') assert.not.match(environment, adminSecret, name);
  }
});

test("Triton's own secret is soon not in a list of processes any more", () =>
  // The keeper looks every second whether Triton listens.
  until('it is hidden', () => ours().every(({ words }) => !words.includes(adminSecret))));

test("Triton's shared memory is soon its owner's alone", async () => {
  const modes = () =>
    readdirSync('/dev/shm')
      .filter((name) => name.startsWith(`enhance_${port(triton.httpUrl)}_`))
      // That of a process that has just ended may be gone.
      .map((name) => statSync(join('/dev/shm', name), { throwIfNoEntry: false }))
      .flatMap((stat) => (stat ? [stat.mode & 0o777] : []));
  assert.ok(modes().length > 0);
  // The keeper looks ten times a second.
  await until('nobody else may read it', () => modes().every((mode) => mode === 0o600), 20_000);
});

test('the environment of each process is a list of what it may have, not of what it may not', () => {
  const env = { ...secrets, PATH: '/bin', GITHUB_TOKEN: 't', REDIS_URL: 'redis://r', npm_x: 'y' };
  assert.equal(environmentFor('Redis', env), { PATH: '/bin' });
  assert.equal(environmentFor('Triton', env), { PATH: '/bin' });
  const { KEY_PEPPER, SIGNING_SECRET, ADMIN_KEY } = secrets;
  assert.equal(environmentFor('service', env), {
    PATH: '/bin',
    REDIS_URL: 'redis://r',
    KEY_PEPPER,
    SIGNING_SECRET,
    ADMIN_KEY,
  });
});

test('who does not know the password is refused by Redis, and finds it in no list of processes', async () => {
  const stranger = openRedis(
    `redis://127.0.0.1:${redis.port}`,
    createLog('silent', 'test'),
    'work',
  );
  const answered = await stranger.call('CONFIG', 'GET', 'dir').catch(String);
  stranger.disconnect();
  assert.match(String(answered), /NOAUTH/);
  const { password } = new URL(redis.url);
  assert.ok(password.length > 0);
  for (const { name, words } of ours()) assert.not.ok(words.includes(password), name);
});

test('a form that a web page posts to Redis gets no answer that is HTTP, and its body is not obeyed', async () => {
  const url = `http://127.0.0.1:${redis.port}/`;
  const page = { headers: { 'content-type': 'text/plain' }, validateStatus: () => true };
  const posted = await axios
    .post(url, '\r\nSET door open\r\n', page)
    .then(({ status }) => `answered with ${status}`, String);
  assert.match(posted, /Parse Error|socket hang up|ECONNRESET/);
  const connection = openRedis(redis.url, createLog('silent', 'test'), 'work');
  assert.is(await connection.get('door'), null);
  connection.disconnect();
});

test.after(async () => {
  client.close();
  await Promise.all([triton.close(), redis.close()]);
});

test.run();
