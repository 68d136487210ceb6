/**
 * What may differ between the release of Triton that runs here (24.10) and the one of the containers, which does not run
 * here: each form that it may have is fed to the same code by a server that answers with it.
 */
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openControl } from '../../src/triton/protocol/control.ts';
import { openHttp } from '../../src/triton/protocol/http.ts';
import { testConfig } from '../real/config.ts';
import { against } from './against.ts';
import { data, echoed, failure, never } from './promises.ts';

const test = suite('releases of Triton');

const input = data(4, 4, 1);
const infer = async (url: string): Promise<void> => {
  const transport = openHttp(testConfig({ TRITON_HTTP_URL: url }).triton);
  try {
    await transport.infer('echo', [input], [echoed(input)], never);
  } finally {
    await transport.close();
  }
};
const refusing =
  (status: number, error: string): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(JSON.stringify({ error }));

test('a model that is absent, or whose process is dead, is unavailable whatever the status', async () => {
  for (const status of [400, 404, 500, 503])
    for (const reason of [
      "Request for unknown model: 'echo' is not found",
      "Request for unknown model: 'echo' has no available versions",
      "Stub process 'echo_0_0' is not healthy.",
    ])
      await against(refusing(status, reason), (url) => failure(infer(url), 'model_unavailable'));
});

test("a model's own error is its failure under each status that a release may give it", async () => {
  for (const status of [400, 500]) {
    const told = await against(refusing(status, 'the picture is too dark.'), (url) =>
      failure(infer(url), 'inference_failed'),
    );
    assert.is(told.facts.reason, 'the picture is too dark');
  }
});

test('an error that is not JSON is told with its status', async () => {
  const plain: RequestListener = (_, response) => response.writeHead(413).end('too large');
  const told = await against(plain, (url) => failure(infer(url), 'inference_failed'));
  assert.is(told.facts.reason, 'HTTP 413 too large');
});

/** As 24.10 gives them; `later` stands for fields that another release adds. */
const index = [
  { name: 'broken' },
  { name: 'echo', version: '1', state: 'READY' },
  { name: 'single', version: '1', state: 'UNAVAILABLE', reason: 'unloaded' },
];
const tensor = {
  name: 'DATA',
  data_type: 'TYPE_UINT8',
  format: 'FORMAT_NONE',
  dims: [-1, -1, -1],
  is_shape_tensor: false,
  allow_ragged_batch: false,
  is_non_linear_format_io: false,
};
const config = {
  name: 'echo',
  platform: '',
  backend: 'python',
  runtime: '',
  max_batch_size: 0,
  input: [{ ...tensor, optional: true }],
  output: [tensor],
  parameters: { release: { string_value: 'echo-r1' } },
};

test('index and config are read with and without the fields that releases add', async () => {
  for (const later of [{}, { later: { deep: [1] } }]) {
    const answer: RequestListener = ({ url }, response) => {
      const body = url?.endsWith('/index')
        ? index.map((entry) => ({ ...entry, ...later }))
        : { ...config, ...later, input: config.input.map((one) => ({ ...one, ...later })) };
      response.end(JSON.stringify(body));
    };
    const read = await against(answer, async (httpUrl) => {
      const control = openControl({ httpUrl });
      return { index: await control.repositoryIndex(), echo: await control.modelConfig('echo') };
    });
    assert.equal(
      read.index.map(({ name, state }) => [name, state]),
      [
        ['broken', undefined],
        ['echo', 'READY'],
        ['single', 'UNAVAILABLE'],
      ],
    );
    assert.equal(read.echo.parameters, { release: 'echo-r1' });
    assert.is(read.echo.input[0]?.optional, true);
    assert.is(read.echo.output[0]?.optional, false);
  }
});

test('no request is sent in chunks: 24.10 overflows on many of them, newer releases cap their number', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const listening: RequestListener = (request, response) => {
    seen.push(request.headers);
    request.resume().on('end', () => response.writeHead(400).end('{"error":"no"}'));
  };
  await against(listening, async (httpUrl) => {
    const control = openControl({ httpUrl });
    const calls = [infer(httpUrl), control.load('echo', 1000), control.repositoryIndex()];
    await Promise.allSettled([...calls, control.modelConfig('echo'), control.unload('echo')]);
  });
  assert.is(seen.length, 5);
  for (const headers of seen) assert.is(headers['transfer-encoding'], undefined);
  assert.is(seen.filter((headers) => headers['content-length'] !== undefined).length, 4);
});

test.run();
