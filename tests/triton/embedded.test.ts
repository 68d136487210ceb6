/** The embedded Triton: what another account of this machine can reach of 24.10, which has published holes, and its instances. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { places } from '../../src/stack/home.mjs';
import { startTriton } from '../../src/stack/triton.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { adminHeader } from '../../src/triton/protocol/wire.ts';
import { freePorts } from '../real/ports.ts';
import { adminSecret, partEnvironment, tempDir } from '../real/run.ts';
import { ownTriton, repositories } from '../real/triton.ts';
import { until } from '../real/until.ts';

const test = suite('embedded Triton');
const settings = { ENHANCE_THREADS: '6' };
const triton = await ownTriton(['echo', 'mouth_render_fast'], repositories, { settings });
const { hostname, port } = new URL(triton.httpUrl);

test('of a model that shares the cores out there is an instance for every few of them', async () => {
  const control = openControl({ ...triton, adminSecret });
  const { instance_group: groups } = await control.modelConfig('mouth_render_fast');
  assert.equal(
    groups.map(({ count }) => count),
    [3],
  );
});

/** The status line of the answer to raw bytes; what went wrong where there is none. */
const send = (bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (data) => {
      answer += data;
      if (answer.includes('\r\n')) socket.destroy();
    });
    socket.on('error', (error) => resolve(String(error)));
    socket.on('close', () => resolve(answer.split('\r\n')[0] || 'closed without an answer'));
    socket.write(bytes);
  });
const ask = async (method: string, path: string, headers = ''): Promise<number> => {
  const answer = await send(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n${headers}\r\n{}`,
  );
  return Number(answer.split(' ')[1]);
};

/** Every path that Triton 24.10 knows. */
const restricted = [
  ...['', '/models/stats', '/logging', '/trace/setting', '/repository/index'],
  ...['', '/versions/1'].flatMap((version) =>
    ['', '/config', '/stats', '/infer', '/generate', '/generate_stream'].map(
      (act) => `/models/echo${version}${act}`,
    ),
  ),
  '/models/echo/trace/setting',
  ...['load', 'unload'].map((act) => `/repository/models/echo/${act}`),
  ...['systemsharedmemory', 'cudasharedmemory'].flatMap((memory) =>
    [
      '/status',
      '/unregister',
      '/region/x/status',
      '/region/x/register',
      '/region/x/unregister',
    ].map((act) => `/${memory}${act}`),
  ),
].map((path) => `/v2${path}`);
const health = [
  '/health/live',
  '/health/ready',
  '/models/echo/ready',
  '/models/echo/versions/1/ready',
];

test('without the secret every path but health is refused, with each method', async () => {
  for (const path of restricted)
    for (const method of ['GET', 'POST'])
      assert.is(await ask(method, path), 403, `${method} ${path}`);
  for (const path of health) {
    assert.is(await ask('GET', `/v2${path}`), 200, path);
    assert.is(await ask('POST', `/v2${path}`), 405, path);
  }
});

test('another spelling of a path, and another door, lead nowhere', async () => {
  for (const path of [
    ...['//v2/repository/index', '/v2/repository//index', '/%76%32/repository/index'],
    ...['/V2/repository/index', '/v2/repository/index/', '/v2/x/../repository/index'],
    ...['/ping', '/invocations', '/models', '/predict', '/metrics', '/'],
  ])
    for (const method of ['GET', 'POST']) assert.is(await ask(method, path), 404, path);
  for (const path of ['/v2/repository/index?x=1', 'http://x/v2/repository/index'])
    assert.is(await ask('POST', path), 403, path);
});

test('a secret that is nearly right is refused', async () => {
  for (const value of ['', adminSecret.slice(0, -1), `${adminSecret}x`, adminSecret.toUpperCase()])
    assert.is(
      await ask('POST', '/v2/repository/index', `${adminHeader}: ${value}\r\n`),
      403,
      value,
    );
  const right = `${adminHeader}: ${adminSecret}\r\n`;
  assert.is(await ask('POST', '/v2/repository/index', right), 200);
});

const openToAll = ['ServerLive', 'ServerReady', 'ModelReady'];

test('without the secret every gRPC method but health is refused, the streaming one too', async () => {
  const set = loadFileDescriptorSetFromBuffer(readFileSync(places.grpcDescriptors));
  const service = set['inference.GRPCInferenceService'];
  if (!service || 'format' in service) throw new Error('the descriptors have no such service');
  const methods = Object.entries(service);
  assert.ok(methods.length >= 19);
  const client = new Client(triton.grpcUrl, credentials.createInsecure());
  for (const [name, method] of methods) {
    const code = await new Promise<number>((resolve) => {
      const { path, requestSerialize, responseDeserialize } = method;
      const call = client.makeBidiStreamRequest(
        ...([path, requestSerialize, responseDeserialize, new Metadata()] as const),
      );
      call.on('data', () => {});
      call.on('error', () => {});
      call.on('status', (end) => resolve(end.code));
      call.end({ name: 'echo', modelName: 'echo' });
    });
    assert.is(code, openToAll.includes(name) ? status.OK : status.UNAVAILABLE, name);
  }
  client.close();
});

test('the embedded server refuses to listen where another machine can reach it, in a sentence', async () => {
  const [http = 0, grpc = 0, metrics = 0] = await freePorts(3);
  for (const host of ['0.0.0.0', '192.168.1.10', '::', 'localhost'])
    try {
      await startTriton({
        ports: { http, grpc, metrics },
        host,
        modelsDirs: repositories,
        logFile: `${tempDir('triton')}/triton.log`,
        env: partEnvironment(),
      });
      assert.unreachable(host);
    } catch (error) {
      assert.match(String(error), 'Expected an address of 127.0.0.0/8 for the embedded Triton');
      assert.match(String(error), `got "${host}"`);
    }
});

/** Each chunk makes 24.10 take 16 bytes of stack where it reads the body (CVE-2025-23310): these are 9.6 MB. */
const chunked = (path: string, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Transfer-Encoding: chunked\r\n\r\n${'1\r\nA\r\n'.repeat(600_000)}0\r\n\r\n`;
const isLive = async (): Promise<boolean> => (await ask('GET', '/v2/health/live')) === 200;

test('many chunks without the secret are refused before the body is read, and Triton lives', async () => {
  for (const path of ['/infer', '/generate', '/trace/setting'].map(
    (act) => `/v2/models/echo${act}`,
  ))
    assert.match(await send(chunked(path)), '403', path);
  for (const path of ['/repository/index', '/logging', '/systemsharedmemory/region/x/register'])
    assert.match(await send(chunked(`/v2${path}`)), '403', path);
  assert.match(await send(chunked('/v2/health/live')), '405');
  assert.ok(await isLive());
});

test('with the secret they end it: the hole is real, and the secret is what closes it', async () => {
  await send(chunked('/v2/repository/index', `${adminHeader}: ${adminSecret}\r\n`));
  await until('it is gone', async () => !(await isLive()));
});

test.after(() => triton.close());

test.run();
