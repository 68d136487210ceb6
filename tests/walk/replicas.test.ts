/** The whole service on two Tritons, one of which dies. */
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDir } from '../real/run.ts';
import { realService } from '../real/service.ts';
import { ownTriton } from '../real/triton.ts';
import { until } from '../real/until.ts';

const test = suite('a service on two Tritons');
const dir = tempDir('replicas');
const [first, second] = await Promise.all([ownTriton(['photo']), ownTriton(['photo'])]);
const both = [first, second];
const service = await realService(
  {
    TRITON_TRANSPORT: 'http',
    TRITON_HTTP_URL: both.map(({ httpUrl }) => httpUrl).join(),
    TRITON_GRPC_URL: both.map(({ grpcUrl }) => grpcUrl).join(),
  },
  Promise.resolve(first),
);
const caller = await service.caller(1000);

/** A picture of its own, so that no answer comes from the cache. */
const picture = async (red: number): Promise<string> => {
  const path = join(dir, `${red}.png`);
  const background = { r: red, g: 80, b: 40 };
  await sharp({ create: { width: 160, height: 90, channels: 3, background } }).toFile(path);
  return path;
};

test('jobs that run while one of them is killed are done by the other, and charged once', async () => {
  const pictures = await Promise.all(Array.from({ length: 12 }, (_, i) => picture(10 * i)));
  let done = 0;
  const jobs = pictures.map(async (path) => {
    const answer = await caller.upscale(path, { model: 'photo', scale: 2 });
    done += 1;
    return answer;
  });
  await until('some jobs are done', () => done > 2, 30_000);
  await second.kill();
  for (const { status, data } of await Promise.all(jobs)) {
    assert.is(status, 200, JSON.stringify(data));
    assert.equal([data.model_version, data.credits_used], ['photo-r1', 1]);
  }
  const { available, held } = await caller.balance();
  assert.equal({ available, held }, { available: 988, held: 0 });
  assert.match(service.log('worker'), `"replica":"${new URL(second.httpUrl).host}"`);
});

test.after(async () => {
  await service.close();
  await second.close();
});

test.run();
