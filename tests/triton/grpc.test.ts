import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openTransport } from '../../src/triton/open-transport.ts';
import { tempDir } from '../real/run.ts';
import { until } from '../real/until.ts';
import { data, echoed, openEcho, promises } from './promises.ts';

const test = suite('grpc');
const echo = await openEcho('grpc');

promises(test, echo);

test('descriptors that are missing or of something else are named when it opens', async () => {
  const other = join(tempDir('grpc'), 'other.descriptors');
  writeFileSync(other, '');
  for (const path of ['no/such/file', other]) {
    const opened = openTransport(echo.config({ TRITON_GRPC_DESCRIPTORS: path }));
    const error = await opened.catch((error: unknown) => error);
    assert.match(String(error), `TRITON_TRANSPORT=grpc needs Triton's descriptors at "${path}"`);
  }
});

/** A server that tells how the calls to it end: of Triton one would only see, now and then, that it is gone. */
const openListener = async () => {
  const ends: string[] = [];
  const bytes = { serialize: (all: Buffer) => all, deserialize: (all: Buffer) => all };
  const infer = {
    path: '/inference.GRPCInferenceService/ModelInfer',
    requestStream: false,
    responseStream: false,
    requestSerialize: bytes.serialize,
    requestDeserialize: bytes.deserialize,
    responseSerialize: bytes.serialize,
    responseDeserialize: bytes.deserialize,
  };
  const server = new Server();
  server.addService(
    { infer },
    {
      infer: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
        ends.push('came');
        call.on('cancelled', () => ends.push('cancelled'));
        setTimeout(() => {
          ends.push('answered');
          answer(null, Buffer.alloc(0));
        }, 500);
      },
    },
  );
  const port = await promisify<string, ServerCredentials, number>(server.bindAsync.bind(server))(
    '127.0.0.1:0',
    ServerCredentials.createInsecure(),
  );
  return { ends, url: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
};

test('a call whose caller has left is not cancelled, which ends Triton now and then', async () => {
  const listener = await openListener();
  const transport = await openTransport(echo.config({ TRITON_GRPC_URL: listener.url }));
  const stop = new AbortController();
  const input = data(4, 4, 1);
  const asked = transport.infer('echo', [input], [echoed(input)], stop.signal);
  await until('the call is there', () => listener.ends.includes('came'));
  const reason = new Error('enough');
  stop.abort(reason);
  assert.is(await asked.catch((error: unknown) => error), reason);
  await until('the call has ended', () => listener.ends.length > 1);
  // grpc-js tells `cancelled` after an answer too.
  assert.is(listener.ends[1], 'answered');
  await transport.close();
  listener.close();
});

test.after(() => echo.triton.close());

test.run();
