/**
 * Lip sync of several clips at a time, with one worker and then with several, in one run: seconds of video per second, of all
 * jobs together.
 * usage: node --import tsx bench/lipsync-jobs.ts [MODEL] [JOBS] [WORKERS] [SECONDS] [WIDTHxHEIGHT]   (fast 4 2 12 1280x720)
 */
import { LipsyncModel } from '../src/operations/lip-sync/request.ts';
import { tempDir } from '../tests/real/run.ts';
import { realService } from '../tests/real/service.ts';
import { lipsyncNames, ownTriton } from '../tests/real/triton.ts';
import { tell } from './bare.ts';
import { makeSound, makeSource } from './lipsync/source.ts';

const [named = 'fast', jobs = '4', workers = '2', length = '12', size = '1280x720'] =
  process.argv.slice(2);
const model = LipsyncModel.parse(named);
const seconds = Number(length);
const [width = 0, height = 0] = size.split('x').map(Number);
const dir = tempDir('bench');
const clip = await makeSource(dir, seconds, { width, height });
const sound = await makeSound(dir, seconds);
const service = await realService({}, ownTriton(lipsyncNames(model)));
const caller = await service.caller(1_000_000);

let calls = 0;
const call = async (): Promise<void> => {
  calls += 1;
  // A number that changes next to nothing but the cache's key.
  const options = JSON.stringify({ expressiveness: 0.5 + calls / 1000 });
  const { status, data } = await caller.lipsync(clip, sound, { model, options });
  if (status !== 200) throw new Error(JSON.stringify(data));
};

const measure = async (running: number): Promise<void> => {
  const began = performance.now();
  await Promise.all(Array.from({ length: Number(jobs) }, call));
  const took = (performance.now() - began) / 1000;
  tell({
    bench: 'lipsync-jobs',
    model,
    size,
    jobs: Number(jobs),
    workers: running,
    took: Number(took.toFixed(2)),
    of_real_time: Number(((Number(jobs) * seconds) / took).toFixed(2)),
  });
};

await call();
await measure(1);
for (let running = 1; running < Number(workers); running += 1) await service.addWorker();
await measure(Number(workers));
await service.close();
