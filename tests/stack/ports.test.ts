import { symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stackEnvironment, writePrivate } from '../../src/stack/environment.ts';
import {
  busyPorts,
  checkMetricsPorts,
  defaultPorts,
  readPorts,
  workerMetricsPort,
} from '../../src/stack/ports.ts';
import { readWorkers } from '../../src/stack/workers.ts';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';

const test = suite('ports');

test('unset and empty variables mean the default ports', () => {
  assert.equal(readPorts({ PORT: '' }), defaultPorts);
});

test('every value that is not a port is reported, and so are two equal ones', () => {
  assert.throws(() => readPorts({ PORT: '0', REDIS_PORT: 'x' }), /PORT.*"0"\n {2}REDIS_PORT.*"x"/);
  assert.throws(
    () => readPorts({ PORT: '6390' }),
    /different ports for PORT, REDIS_PORT; got 6390 twice/,
  );
});

test('there is a worker for each 8 cores, or as many as WORKERS says', () => {
  const counts = [1, 15, 16, 31, 256].map((cores) => readWorkers({ WORKERS: '' }, cores));
  assert.equal(counts, [1, 1, 2, 3, 4]);
  assert.is(readWorkers({ WORKERS: '7' }, 2), 7);
  for (const WORKERS of ['0', '1.5', '65', 'two'])
    assert.throws(
      () => readWorkers({ WORKERS }),
      new RegExp(`WORKERS: Expected a number from 1 to 64; got "${WORKERS}"`),
    );
});

test('a busy port is found by its variable', async () => {
  const [api = 0, redis = 0, http = 0, grpc = 0, metrics = 0] = await freePorts(5);
  const ports = {
    PORT: api,
    REDIS_PORT: redis,
    TRITON_HTTP_PORT: http,
    TRITON_GRPC_PORT: grpc,
    TRITON_METRICS_PORT: metrics,
  };
  assert.equal(await busyPorts(ports, '127.0.0.1'), []);
  // 192.0.2.0/24 is kept for documents (RFC 5737): no machine has an address of it.
  const elsewhere = await busyPorts(ports, '192.0.2.1').catch(String);
  assert.match(String(elsewhere), /EnvironmentError: .*\n {2}HOST or PORT: listen EADDRNOTAVAIL/);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(grpc, '127.0.0.1', resolve));
  try {
    assert.equal(await busyPorts(ports, '127.0.0.1'), ['TRITON_GRPC_PORT']);
    const refusal = async (METRICS_PORT: number, others = ports) =>
      String(await checkMetricsPorts({ METRICS_PORT: `${METRICS_PORT}` }, others, 1).catch(String));
    assert.is(await refusal(0), 'undefined');
    assert.match(
      await refusal(api),
      `METRICS_PORT: worker 1 would serve its metrics on port ${api}, which is PORT`,
    );
    assert.match(await refusal(grpc, defaultPorts), `port ${grpc}, which is in use`);
    assert.is(workerMetricsPort({ METRICS_PORT: '9464' }, 2), 9465);
    setTimeout(() => server.close(), 200);
    assert.equal(
      await busyPorts(ports, '127.0.0.1', 10_000),
      [],
      'one that is given back is waited for',
    );
  } finally {
    server.close();
  }
});

test('an address that npm start would not use is refused, not dropped', () => {
  assert.throws(
    () => stackEnvironment({ REDIS_URL: 'redis://elsewhere:6379' }, defaultPorts),
    /REDIS_URL/,
  );
});

test('of a full disk the file is told that could not be written', () => {
  const file = join(tempDir('full'), 'redis.conf');
  symlinkSync('/dev/full', `${file}.new`);
  assert.throws(() => writePrivate(file, 'x'), `${file} could not be written: Error: ENOSPC`);
});

test.run();
