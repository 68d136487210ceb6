/** The spans of a real Triton, which its keeper has it send to the collector of the service. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inScope } from '../../src/scope.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { testConfig } from '../real/config.ts';
import { ownTriton, testModels, tritonEnvironment } from '../real/triton.ts';
import { until } from '../real/until.ts';
import { openCollector } from './collector.ts';

const test = suite('spans of Triton');
const collector = await openCollector();
const triton = await ownTriton(['echo'], [testModels], {
  settings: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi,x-team=media',
  },
});
const parent = 'b7ad6b7169203331';
const never = new AbortController().signal;
const input = { name: 'DATA', datatype: 'UINT8', shape: [1, 1, 3], data: Buffer.alloc(3) } as const;

/** Each transport, and the trace of its call. */
const kinds = [
  ['http', '1'.repeat(32)],
  ['grpc', '2'.repeat(32)],
  ['shared-memory', '3'.repeat(32)],
] as const;
const unwanted = '4'.repeat(32);

/** One call that belongs to no trace, one of a trace that nobody records, and one of the trace `traceId`. */
const callOver = async (kind: (typeof kinds)[number][0], traceId: string): Promise<void> => {
  const variables = { ...tritonEnvironment(triton), TRITON_TRANSPORT: kind };
  const transport = await openTransport(testConfig(variables).triton);
  const infer = () => transport.infer('echo', [input], [input], never);
  await infer();
  await inScope({ traceparent: `00-${unwanted}-${parent}-00` }, infer);
  await inScope({ traceparent: `00-${traceId}-${parent}-01` }, infer);
  await transport.close();
};
const traces: readonly string[] = kinds.map(([, id]) => id);
const spansOf = (id: string) => collector.spans.filter(({ traceId }) => traceId === id);

test('over every transport a call is a span of Triton below ours', async () => {
  for (const [kind, id] of kinds) await callOver(kind, id);
  const areWhole = () => traces.every((id) => spansOf(id).length >= 3);
  await until('the spans have come', areWhole);
  for (const id of traces) {
    const find = (name: string) => spansOf(id).find((span) => span.name === name);
    assert.is(find('InferRequest')?.service, 'enhance-triton');
    assert.is(find('InferRequest')?.parentSpanId, parent);
    assert.is(find('echo')?.parentSpanId, find('InferRequest')?.spanId);
    assert.is(find('compute')?.parentSpanId, find('echo')?.spanId);
  }
});

test('nothing comes of calls whose trace is not recorded, nor of calls without one', () => {
  // Spans are sent in the order in which they end, so those of earlier calls would be here.
  assert.equal(
    collector.spans.filter(({ traceId }) => !traces.includes(traceId)),
    [],
  );
});

test('the collector gets the headers that it wants, decoded', () => {
  assert.ok(collector.bodies.length > 0);
  for (const body of collector.bodies) {
    const { headers } = JSON.parse(body);
    assert.equal([headers.authorization, headers['x-team']], ['Basic YTpi', 'media']);
  }
});

test.after(async () => {
  // It has nothing to lose, and takes seconds to end by itself.
  await triton.kill();
  await triton.close();
  await collector.close();
});
test.run();
