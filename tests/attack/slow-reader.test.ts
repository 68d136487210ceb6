import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import sharp from 'sharp';
import { suite } from 'uvu';
import { startWorker } from '../../src/jobs/run/worker.ts';
import { realApi } from '../http/api.ts';
import { enhanceBy, pictureOf } from '../jobs/rig.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';

const test = suite('callers that do not read');
const api = await realApi({ BODY_STALL_SECONDS: '5' }, realRedis());
const { http } = await api.caller();
const worker = await startWorker({
  ...api.parts,
  enhance: enhanceBy(async (_, { target }) => {
    await writeFile(target, '');
    // Far more than the buffers between us and a caller hold.
    await truncate(target, 64 * 1024 * 1024);
    return pictureOf(8);
  }),
});

/** Results that this process, which is the API's, has open. */
const openResults = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).includes('/results/')).length;
const linkOf = (fd: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
};

test('a download that nobody takes is given up, and its file closed', async () => {
  const create = { width: 4, height: 4, channels: 3, background: 'red' } as const;
  const form = new FormData();
  form.append('model', 'photo');
  form.append('scale', '2');
  form.append('image', new Blob([await sharp({ create }).png().toBuffer()]), 'a.png');
  const { data } = await http.post('/v1/upscale', form);
  const { pathname, search } = new URL(data.output_url);
  const sockets = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const socket = connect(api.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => {});
      socket.pause().write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
      return socket;
    }),
  );
  const wait = (count: number) => until(`${count} results are open`, () => openResults() === count);
  await wait(10);
  await wait(0);
  for (const socket of sockets) socket.destroy();
});

test.after(async () => {
  await worker.close();
  await api.close();
});
test.run();
