import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import axios from 'axios';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../src/stack/home.mjs';
import { openTransport } from '../../src/triton/open-transport.ts';
import { adminHeader } from '../../src/triton/protocol/wire.ts';
import { against } from './against.ts';
import { data, echoed, never, openEcho, promises, regions } from './promises.ts';

const test = suite('shared memory');
const echo = await openEcho('shared-memory');

const registered = async (): Promise<string[]> => {
  const { httpUrl, adminSecret } = echo.triton;
  const headers = { [adminHeader]: adminSecret };
  const { data } = await axios.get(`${httpUrl}/v2/systemsharedmemory/status`, { headers });
  return data.map(({ name }: { name: string }) => name);
};

test('regions are used again, one for each request in flight, and no file is left without one', async () => {
  const input = data(720, 1280, 1);
  const ask = () => echo.transport.infer('echo', [input], [echoed(input)], never);
  await Promise.all([ask(), ask(), ask()]);
  const first = regions();
  for (let i = 0; i < 5; i += 1) await Promise.all([ask(), ask(), ask()]);
  assert.equal(regions(), first);
  assert.is(first.length, 3);
  assert.equal((await registered()).sort(), first.sort());
});

test('a larger picture takes a larger region in place of the small one', async () => {
  const count = regions().length;
  for (const height of [1000, 2000, 3000]) {
    const input = data(height, 1280, height % 256);
    const [output] = await echo.transport.infer('echo', [input], [echoed(input)], never);
    assert.ok(output?.data.equals(input.data));
    assert.is(regions().length, count);
    assert.is((await registered()).length, count);
  }
});

test('an output with memory of its own lies there, however small it is', async () => {
  const input = data(8, 16, 5);
  const into = Buffer.alloc(input.data.length);
  const wanted = { ...echoed(input), into };
  const [output] = await echo.transport.infer('echo', [input], [wanted], never);
  assert.is(output?.data, into);
  assert.ok(into.equals(input.data));
});

promises(test, echo);

test('what a killed process left behind is removed, here and in Triton, when the next one opens', async () => {
  const script = `
    import { openTransport } from './src/triton/open-transport.ts';
    await openTransport(${JSON.stringify(echo.config())});
    console.log('open');
    setInterval(() => {}, 1000);
  `;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data', { signal: AbortSignal.timeout(60_000) });
  const [left = ''] = readdirSync('/dev/shm').filter((name) => name.includes(`-${child.pid}-`));
  assert.ok((await registered()).includes(left));
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.ok(existsSync(`/dev/shm/${left}`));
  await (await openTransport(echo.config())).close();
  assert.not(existsSync(`/dev/shm/${left}`));
  assert.not((await registered()).includes(left));
});

test('a Triton that cannot see our memory is named when it opens', async () => {
  const answer: RequestListener = (request, response) => {
    const refuses = request.url?.endsWith('/register');
    response.statusCode = refuses ? 500 : 200;
    response.end(refuses ? '{"error":"Unable to open shared memory region: \'/x\'"}' : '[]');
  };
  const error = await against(answer, (url) =>
    openTransport(echo.config({ TRITON_HTTP_URL: url })).catch((error: unknown) => error),
  );
  assert.match(String(error), 'TRITON_TRANSPORT=shared-memory does not work here');
  assert.equal(regions(), []);
});

test('a Triton that answers too late, as on a busy machine, does not keep it from opening', async () => {
  let asked = 0;
  const answer: RequestListener = (request, response) => {
    if (request.url?.endsWith('/register')) asked += 1;
    else response.end('[]');
  };
  const transport = await against(answer, (url) =>
    openTransport(echo.config({ TRITON_HTTP_URL: url })),
  );
  await transport.close();
  assert.is(asked, 1);
  assert.equal(regions(), []);
});

test('a Triton that is not there yet does not keep it from opening', async () => {
  const transport = await openTransport(echo.config({ TRITON_HTTP_URL: 'http://127.0.0.1:9' }));
  await transport.close();
  assert.equal(regions(), []);
});

test.after(() => echo.triton.close());

test.run();
