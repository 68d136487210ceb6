/** What every transport promises, against a real Triton with the model `echo`. */
import { getEventListeners } from 'node:events';
import { readdirSync } from 'node:fs';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Config } from '../../src/config.ts';
import { Failure, type FailureCode } from '../../src/errors.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { decodeStrings, int32, type Tensor } from '../../src/triton/protocol/tensor.ts';
import { testConfig } from '../real/config.ts';
import { ownTriton, tritonEnvironment } from '../real/triton.ts';
import { strings } from './strings.ts';

type Kind = Config['triton']['transport'];

/** An own Triton with `echo`, and a transport to it. */
export const openEcho = async (kind: Kind) => {
  const triton = await ownTriton(['echo']);
  const config = (variables: Record<string, string> = {}): Config['triton'] =>
    testConfig({ ...tritonEnvironment(triton), TRITON_TRANSPORT: kind, ...variables }).triton;
  return { kind, triton, config, transport: await openTransport(config()) };
};

/** Our regions in shared memory. */
export const regions = () =>
  readdirSync('/dev/shm').filter((name) => name.includes(`-${process.pid}-`));

export const data = (height: number, width: number, fill: number): Tensor => ({
  name: 'DATA',
  datatype: 'UINT8',
  shape: [height, width, 3],
  // A period that is prime to the row's length, so that shifted rows are not equal.
  data: Buffer.alloc(height * width * 3, Buffer.from([fill, 1, 2, 3, 4, 5, 250])),
});
export const echoed = ({ name, datatype, shape }: Tensor) => ({ name, datatype, shape });
const sleepMs = (ms: number) => int32('SLEEP_MS', [ms]);
export const never = new AbortController().signal;

export const failure = async (work: Promise<unknown>, code: FailureCode): Promise<Failure> => {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.is(error.code, code, `${error.message} ${error.cause}`);
    return error;
  }
  throw new Error(`expected ${code}; it succeeded`);
};

/** Adds a test for each promise. The last one closes the transport. */
export const promises = (
  test: Test,
  { kind, triton, config, transport }: Awaited<ReturnType<typeof openEcho>>,
): void => {
  const control = openControl(triton);
  const echo = async (input: Tensor, ...more: Tensor[]): Promise<Buffer> => {
    const [output] = await transport.infer('echo', [input, ...more], [echoed(input)], never);
    assert.ok(output);
    return output.data;
  };

  test('is the kind that was asked for', () => assert.is(transport.kind, kind));

  test('four tiny ones in flight are answered, also as the first', async () => {
    const inputs = [0, 1, 2, 3].map((i) => data(3, 2, i));
    const outputs = await Promise.all(inputs.map((input) => echo(input)));
    for (const [i, output] of outputs.entries()) assert.ok(inputs[i]?.data.equals(output));
  });

  test('what is sent comes back bit for bit, whatever its size', async () => {
    for (const [height, width] of [
      [1, 1],
      [37, 53],
      [180, 320],
      [720, 1280],
      [0, 5],
    ] as const) {
      const input = data(height, width, 9);
      assert.ok((await echo(input)).equals(input.data), `${height}x${width}`);
    }
  });

  test('every kind of tensor arrives and comes back, in the order that was asked for', async () => {
    const wanted = [
      { name: 'SEEN', datatype: 'BYTES', shape: [-1] },
      { name: 'DATA', datatype: 'UINT8', shape: [2, 100_000, 3] },
      { name: 'MEAN', datatype: 'FP32', shape: [1] },
    ] as const;
    const input = data(2, 100_000, 1);
    const outputs = await transport.infer('echo', [input, sleepMs(0)], wanted, never);
    assert.equal(
      outputs.map(({ name }) => name),
      ['SEEN', 'DATA', 'MEAN'],
    );
    const seen = decodeStrings(outputs[0]?.data ?? Buffer.alloc(0));
    assert.equal(seen, ['DATA uint8 [2, 100000, 3]', 'SLEEP_MS int32 [1]']);
    const mean = input.data.reduce((sum, value) => sum + value, 0) / input.data.length;
    assert.ok(Math.abs((outputs[2]?.data.readFloatLE() ?? 0) - mean) < 0.01);
  });

  test('a tensor of 72 MB comes back', async () => {
    const input = data(3000, 8000, 77);
    assert.ok((await echo(input)).equals(input.data));
  });

  test('four in flight each get their own answer', async () => {
    for (let round = 0; round < 5; round += 1) {
      const inputs = [0, 1, 2, 3].map((i) => data(360 + i, 640 - round, 10 * round + i));
      const outputs = await Promise.all(inputs.map((input) => echo(input)));
      for (const [i, output] of outputs.entries()) assert.ok(inputs[i]?.data.equals(output));
    }
  });

  test('the answers to frames are not overwritten by later ones', async () => {
    const inputs = [1, 2, 3].map((fill) => data(200, 200, fill));
    const outputs: Buffer[] = [];
    for (const input of inputs) outputs.push(await echo(input));
    for (const [i, output] of outputs.entries()) assert.ok(inputs[i]?.data.equals(output));
  });

  test('one bad request fails alone, with the words of the model', async () => {
    const input = data(180, 320, 3);
    const [bad, ...good] = await Promise.allSettled([
      echo(input, strings('FAIL', ['the "scale" is 3, not 2 – 日本'])),
      echo(input),
      echo(input),
      echo(input),
    ]);
    assert.is(bad.status, 'rejected');
    const { facts } = await failure(
      bad.status === 'rejected' ? Promise.reject(bad.reason) : Promise.resolve(),
      'inference_failed',
    );
    assert.equal(facts, { model: 'echo', reason: 'the "scale" is 3, not 2 – 日本' });
    assert.ok(good.every((one) => one.status === 'fulfilled' && one.value.equals(input.data)));
  });

  test('inputs that the model does not take are its failure', async () => {
    const stranger = { ...data(4, 4, 0), name: 'STRANGER' };
    await failure(echo(stranger), 'inference_failed');
    const flat = { ...data(4, 4, 0), shape: [48] };
    await failure(echo(flat), 'inference_failed');
  });

  test('an answer unlike what was wanted is refused', async () => {
    const input = data(180, 320, 3);
    const ask = (wanted: object) =>
      transport.infer('echo', [input], [{ ...echoed(input), ...wanted }], never);
    for (const wanted of [
      { shape: [320, 180, 3] },
      { shape: [180, 321, 3] },
      { shape: [360, 640, 3] },
      { shape: [180, 320] },
      { datatype: 'INT32' },
      { name: 'NOPE' },
    ]) {
      await failure(ask(wanted), 'inference_failed');
    }
    assert.ok((await echo(input)).equals(input.data));
  });

  test('a tensor whose bytes do not fill its shape is not sent', async () => {
    const input = { ...data(180, 320, 3), shape: [180, 321, 3] };
    const outcome = await transport.infer('echo', [input], [], never).catch((error) => error);
    assert.match(String(outcome), /should take 173340 bytes; got 172800/);
  });

  test('a model that is not there is unavailable', async () => {
    const input = data(4, 4, 0);
    const asked = transport.infer('nope', [input], [echoed(input)], never);
    assert.equal((await failure(asked, 'model_unavailable')).facts, { model: 'nope' });
  });

  test('an unloaded model is unavailable until it is loaded again', async () => {
    await control.unload('echo');
    await failure(echo(data(180, 320, 1)), 'model_unavailable');
    await control.load('echo', 30_000);
    await echo(data(180, 320, 1));
  });

  test('an aborted signal sends nothing', async () => {
    const reason = new Error('enough');
    const input = data(4, 4, 0);
    const asked = transport.infer('echo', [input], [echoed(input)], AbortSignal.abort(reason));
    assert.is(await asked.catch((error) => error), reason);
  });

  test('an abort stops waiting at once, with its reason, and harms nobody else', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const input = data(180, 320, 5);
    const inputs = [input, sleepMs(4000)];
    const asked = transport.infer('echo', inputs, [echoed(input)], stop.signal);
    setTimeout(() => stop.abort(reason), 200);
    const from = performance.now();
    assert.is(await asked.catch((error) => error), reason);
    assert.ok(performance.now() - from < 3000, `it took ${performance.now() - from} ms`);
    const others = [6, 7, 8].map((fill) => data(180, 320, fill));
    const outputs = await Promise.all(others.map((other) => echo(other)));
    for (const [i, output] of outputs.entries()) assert.ok(others[i]?.data.equals(output));
  });

  test('a signal that lives long gathers no listeners', async () => {
    const { signal } = new AbortController();
    const input = data(180, 320, 5);
    for (let i = 0; i < 5; i += 1) {
      await transport.infer('echo', [input], [echoed(input)], signal);
    }
    assert.is(getEventListeners(signal, 'abort').length, 0);
  });

  test('no answer in time is a failure, and the next request is answered', async () => {
    const hasty = await openTransport(config({ TRITON_REQUEST_TIMEOUT_MS: '2000' }));
    const input = data(180, 320, 5);
    const ask = (...more: Tensor[]) =>
      hasty.infer('echo', [input, ...more], [echoed(input)], never);
    const { facts } = await failure(ask(sleepMs(3000)), 'inference_failed');
    assert.is(facts.reason, 'no answer within 2000 ms');
    await ask();
    await hasty.close();
  });

  test('a server killed in the middle makes the model unavailable at once, until it is back', async () => {
    const input = data(180, 320, 5);
    const asked = [echo(input, sleepMs(20_000)), echo(input, sleepMs(20_000))];
    const failures = Promise.all(asked.map((one) => failure(one, 'model_unavailable')));
    await new Promise((done) => setTimeout(done, 300));
    await triton.kill();
    const from = performance.now();
    await failures;
    assert.ok(performance.now() - from < 15_000, `it took ${performance.now() - from} ms`);
    await failure(echo(input), 'model_unavailable');
    await triton.start();
    const again = Date.now() + 30_000;
    for (;;) {
      try {
        assert.ok((await echo(input)).equals(input.data));
        break;
      } catch (error) {
        // gRPC waits for up to a second before it connects again.
        if (!(error instanceof Failure) || Date.now() > again) throw error;
        await new Promise((done) => setTimeout(done, 50));
      }
    }
  });

  test('close gives up what is under way and leaves nothing; a request after it fails', async () => {
    const asked = failure(echo(data(180, 320, 5), sleepMs(1000)), 'model_unavailable');
    await new Promise((done) => setTimeout(done, 100));
    await transport.close();
    await asked;
    assert.equal(regions(), []);
    await failure(echo(data(180, 320, 5)), 'model_unavailable');
    assert.equal(regions(), []);
  });
};
