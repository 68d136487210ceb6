/** The spans of a real Triton, which its keeper has it send to the collector of the service. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inScope } from '../../src/tracing/scope.ts';
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

/** Each transport, and the first digits of the traces of its calls; the last digit is the attempt. */
const kinds = [
  ['http', '1'.repeat(31)],
  ['grpc', '2'.repeat(31)],
  ['shared-memory', '3'.repeat(31)],
] as const;
const unwanted = '4'.repeat(32);
const spansOf = (id: string) => collector.spans.filter(({ traceId }) => traceId === id);

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

/** Calls over every transport, and tells the traces once all their spans have come. */
const callOverAll = async (attempt: number): Promise<readonly string[]> => {
  const calls = kinds.map(([kind, digits]) => [kind, `${digits}${attempt}`] as const);
  for (const [kind, id] of calls) await callOver(kind, id);
  const traces = calls.map(([, id]) => id);
  const areWhole = () => traces.every((id) => spansOf(id).length >= 3);
  try {
    await until('the spans have come', areWhole, 10_000);
  } catch (error) {
    // About one run in 200 waited 60 s for spans that never came. Why is not known; Triton's exporter has races.
    if (attempt === 3) throw error;
    return callOverAll(attempt + 1);
  }
  return traces;
};

test('over every transport a call is a span of Triton below ours', async () => {
  for (const id of await callOverAll(1)) {
    const find = (name: string) => spansOf(id).find((span) => span.name === name);
    assert.is(find('InferRequest')?.service, 'enhance-triton');
    assert.is(find('InferRequest')?.parentSpanId, parent);
    assert.is(find('echo')?.parentSpanId, find('InferRequest')?.spanId);
    assert.is(find('compute')?.parentSpanId, find('echo')?.spanId);
  }
});

test('nothing comes of calls whose trace is not recorded, nor of calls without one', () => {
  // Spans are sent in the order in which they end, so those of earlier calls would be here.
  const isCalled = (id: string) => kinds.some(([, digits]) => id.startsWith(digits));
  assert.equal(
    collector.spans.filter(({ traceId }) => !isCalled(traceId)),
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
