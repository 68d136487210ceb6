import type { RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openHttp } from '../../src/triton/protocol/http.ts';
import { against } from './against.ts';
import { data, echoed, failure, never, openEcho, promises } from './promises.ts';

const test = suite('http');
const echo = await openEcho('http');

promises(test, echo);

/** Asks a server that answers as no Triton does. */
const asked = (answer: RequestListener) =>
  against(answer, async (httpUrl) => {
    const transport = openHttp({ ...echo.config(), httpUrl });
    try {
      const input = data(180, 320, 1);
      return await transport.infer('echo', [input], [echoed(input)], never);
    } finally {
      await transport.close();
    }
  });

test('an answer that breaks off makes the model unavailable', async () => {
  const broken = asked((_, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('{"outputs"', () => response.destroy());
  });
  await failure(broken, 'model_unavailable');
});

test('an answer that is no answer is the failure of the model', async () => {
  const { facts } = await failure(
    asked((_, response) => response.end('<html>')),
    'inference_failed',
  );
  assert.is(facts.reason, "the answer's header is not JSON");
});

test('a refusal without words is told with its status', async () => {
  const { facts } = await failure(
    asked((_, response) => response.writeHead(418).end('teapot')),
    'inference_failed',
  );
  assert.is(facts.reason, 'HTTP 418 teapot');
});

test.after(() => echo.triton.close());

test.run();
