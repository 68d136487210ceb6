/** Tracing without a service: off, with a collector that hangs, and over gRPC. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Http2Server, type IncomingHttpHeaders } from 'node:http2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/log.ts';
import { places, root } from '../../src/stack/home.mjs';
import { openOtel } from '../../src/tracing/otel.ts';
import { inScope, saneTraceparent, scope } from '../../src/tracing/scope.ts';
import { inside, noTracing } from '../../src/tracing/tracing.ts';
import { openGrpc } from '../../src/triton/protocol/grpc.ts';
import { serveRaw } from '../media/server.ts';
import { testConfig } from '../real/config.ts';
import { openCollector } from './collector.ts';

const test = suite('tracing');
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const log = createLog('silent', 'test');

test('without a collector no package of OpenTelemetry is loaded', () => {
  const program = `import { createRequire } from 'node:module';
    const { openTracing } = await import('./src/tracing/open-tracing.ts');
    const { createLog } = await import('./src/log.ts');
    const { cache } = createRequire(import.meta.url);
    const loaded = async (endpoint) => {
      await openTracing({ endpoint, headers: {}, ratio: 1 }, 'test', createLog('silent', 'test'));
      return Object.keys(cache).filter((path) => path.includes('@opentelemetry/')).length;
    };
    process.stdout.write(JSON.stringify([await loaded(), await loaded('http://127.0.0.1:9')]));
    process.exit(0);`;
  const words = ['--import', 'tsx', '--input-type=module', '-e', program];
  const printed = execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
  const [without = -1, withOne = 0]: number[] = JSON.parse(printed);
  assert.is(without, 0);
  assert.ok(withOne > 10, `${withOne}`);
});

test('without a collector a caller’s trace goes along all the same', () => {
  inScope({ traceparent }, () => {
    const span = noTracing.start('work', 'internal');
    inside(span, () => assert.is(scope().traceparent, traceparent));
  });
});

test('only a valid traceparent is taken from outside', () => {
  assert.is(saneTraceparent(traceparent), traceparent);
  for (const bad of [
    ...[
      '',
      'x',
      `${traceparent}-more`,
      traceparent.toUpperCase(),
      traceparent.replace('00-', '01-'),
    ],
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    `${traceparent}\n`,
  ])
    assert.is(saneTraceparent(bad), undefined, JSON.stringify(bad));
});

test('headers for the collector are percent-decoded; a fault is told without them', () => {
  const headersOf = (text: string) =>
    testConfig({ OTEL_EXPORTER_OTLP_HEADERS: text }).tracing.headers;
  assert.equal(headersOf(''), {});
  assert.equal(headersOf('api-key=a%20b, x=y=z'), { 'api-key': 'a b', x: 'y=z' });
  for (const bad of ['secret%zz', 'name=secret%zz', '=secret'])
    assert.throws(
      () => headersOf(bad),
      (error: Error) =>
        /HEADERS: Expected name=value/.test(error.message) && !/secret/.test(error.message),
    );
});

test('spans have the right parents, and a caller who does not record is heeded', async () => {
  const collector = await openCollector();
  const tracing = openOtel({ endpoint: collector.origin, headers: {}, ratio: 1 }, 'test', log);
  const outer = tracing.start('outer', 'server');
  inside(outer, () => tracing.start('inner', 'client').end('inference_failed'));
  outer.end();
  inScope({ traceparent: traceparent.replace(/01$/, '00') }, () =>
    tracing.start('unwanted', 'server').end(),
  );
  await tracing.close();
  const [inner, outerSpan] = ['inner', 'outer'].map((name) =>
    collector.spans.find((span) => span.name === name),
  );
  assert.is(collector.spans.length, 2);
  assert.is(inner?.parentSpanId, outerSpan?.spanId);
  assert.is(inner?.of['error.type'], 'inference_failed');
  await collector.close();
});

test('a ratio of 0 records only what a caller records', async () => {
  const collector = await openCollector();
  const tracing = openOtel({ endpoint: collector.origin, headers: {}, ratio: 0 }, 'test', log);
  tracing.start('ours', 'server').end();
  inScope({ traceparent }, () => tracing.start('theirs', 'server').end());
  await tracing.close();
  assert.equal(
    collector.spans.map(({ name }) => name),
    ['theirs'],
  );
  await collector.close();
});

test('a collector that hangs does not hold up the end of the process', async () => {
  const silent = await serveRaw(() => {});
  const tracing = openOtel({ endpoint: silent.origin, headers: {}, ratio: 1 }, 'test', log);
  tracing.start('lost', 'server').end();
  const from = performance.now();
  await tracing.close();
  assert.ok(performance.now() - from < 5_000);
  await silent.close();
});

test('over gRPC the span travels in the metadata of the call, and only of that', async () => {
  const heard: IncomingHttpHeaders[] = [];
  const server: Http2Server = createServer();
  // UNAVAILABLE is an answer like any other here: only what was sent matters.
  server.on('stream', (stream, headers) => {
    heard.push(headers);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14' },
      { endStream: true },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { triton } = testConfig({
    TRITON_GRPC_URL: `127.0.0.1:${port}`,
    TRITON_GRPC_DESCRIPTORS: places.grpcDescriptors,
  });
  const transport = await openGrpc(triton);
  const ask = async () => {
    try {
      await transport.infer('photo', [], [], new AbortController().signal);
    } catch {
      // As the server answers.
    }
  };
  await inScope({ traceparent }, ask);
  await ask();
  await transport.close();
  server.close();
  assert.equal(
    heard.map((headers) => headers.traceparent),
    [traceparent, undefined],
  );
});

test.run();
