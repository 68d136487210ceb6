import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkChildren, startChild } from '../../src/media/child.ts';
import { withoutNetwork } from '../../src/media/no-network.ts';
import { testConfig } from '../real/config.ts';
import { soon } from './clips.ts';

const { ffmpeg } = testConfig();

const test = suite('children without network');

/** Whether ffmpeg, told to read from a server here and with no other guard, reaches it; and what it printed. */
const reaches = async (network: typeof ffmpeg.network) => {
  let reached = false;
  const server = createServer((socket) => {
    reached = true;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  const words = ['-v', 'error', '-i', `tcp://127.0.0.1:${port}`, '-f', 'null', '-'];
  const child = startChild([ffmpeg.path, ...words], {
    limits: { ...ffmpeg, network },
    signal: soon(),
  });
  const { errorText } = await child.ended();
  server.close();
  return { reached, errorText };
};

test('an ffmpeg that is led to an address reaches nothing, unless the network is open', async () => {
  assert.is(ffmpeg.network, 'blocked');
  const blocked = await reaches('blocked');
  assert.not(blocked.reached, blocked.errorText);
  assert.ok((await reaches('open')).reached);
});

test('no kind of socket can be opened, and what the child starts can open none either', () => {
  for (const family of [1, 2, 10, 16]) {
    const words = [
      ...withoutNetwork(),
      'sh',
      '-c',
      `perl -e 'exit(socket(my $s, ${family}, 1, 0) ? 9 : $!)'`,
    ];
    const [program = '', ...args] = words;
    assert.is(spawnSync(program, args).status, 13, `family ${family}`);
  }
});

test('a machine where it cannot be had is told so, and by which setting it does without', async () => {
  await checkChildren(ffmpeg);
  const environment = { ...ffmpeg.environment, PATH: '/nowhere' };
  const told = await checkChildren({ ...ffmpeg, environment }).then(() => '', String);
  assert.match(told, /FFMPEG_NETWORK=open does without/);
  await checkChildren({ ...ffmpeg, environment, network: 'open' });
  assert.throws(() => withoutNetwork('riscv64'), /riscv64: expected x64 or arm64/);
});

test.run();
