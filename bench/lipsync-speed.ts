/**
 * How fast lip sync is through the whole service, and which processes spend the time: a clip with a moving face, each model in
 * turn. Prints a line for each model: seconds from the POST to the answer (median), seconds of video per second of that, and
 * milliseconds of processor time a frame by process, `gc` being how long the worker stood still to collect garbage.
 * usage: node --import tsx bench/lipsync-speed.ts [MODELS] [SECONDS] [WIDTHxHEIGHT] [ROUNDS]   (fast,balanced,studio 12 1280x720 3)
 */
import { join } from 'node:path';
import { LipsyncModel } from '../src/operations/lip-sync/request.ts';
import { root } from '../src/stack/home.mjs';
import { tempDir } from '../tests/real/run.ts';
import { realService } from '../tests/real/service.ts';
import { lipsyncNames, ownTriton } from '../tests/real/triton.ts';
import { median, tell } from './bare.ts';
import { type Times, timesOf } from './lipsync/processes.ts';
import { makeSound, makeSource } from './lipsync/source.ts';

const [named = 'fast,balanced,studio', length = '12', size = '1280x720', times = '3'] =
  process.argv.slice(2);
const models = named.split(',').map((model) => LipsyncModel.parse(model));
const [seconds, rounds] = [Number(length), Number(times)];
const [width = 0, height = 0] = size.split('x').map(Number);
const dir = tempDir('bench');
const [clip, sound] = [
  await makeSource(dir, seconds, { width, height }),
  await makeSound(dir, seconds),
];
const service = await realService(
  { NODE_OPTIONS: `--import=${join(root, 'bench/lipsync/gc.mjs')}` },
  ownTriton(lipsyncNames(...models)),
);
const caller = await service.caller(1_000_000);
const pids = { worker: service.worker.pid(), all: process.pid };
const stoppedMs = (): number =>
  Number(
    /([\d.]+) ms(?!.*collections)/.exec(
      service.log('worker').split('collections: ').at(-1) ?? '',
    )?.[1] ?? 0,
  );

/** One call: what it took, in seconds, and the processor time by process. */
const call = async (model: LipsyncModel, round: number) => {
  // A seed that changes nothing but the cache's key.
  const options = JSON.stringify({ expressiveness: 0.5 + round / 1000 });
  const before = { ...timesOf(pids), gc: stoppedMs() };
  const began = performance.now();
  const { status, data } = await caller.lipsync(clip, sound, { model, options });
  if (status !== 200) throw new Error(JSON.stringify(data));
  const took = (performance.now() - began) / 1000;
  const after: Times = { ...timesOf(pids), gc: stoppedMs() };
  return { took, frames: data.frames, sync: data.sync.correlation, ms: less(after, before) };
};

const less = (after: Times, before: Times): Times =>
  Object.fromEntries(Object.entries(after).map(([part, ms]) => [part, ms - (before[part] ?? 0)]));

for (const model of models) {
  await call(model, 0);
  const calls: Awaited<ReturnType<typeof call>>[] = [];
  for (let round = 1; round <= rounds; round += 1) calls.push(await call(model, round));
  const took = median(calls.map((one) => one.took));
  const parts = Object.keys(calls[0]?.ms ?? {}).map((part) => {
    const each = calls.map(({ ms, frames }) => (ms[part] ?? 0) / frames);
    return [part, Number(median(each).toFixed(1))] as const;
  });
  const sum = parts.reduce((all, [part, ms]) => (part === 'gc' ? all : all + ms), 0);
  tell({
    bench: 'lipsync-speed',
    model,
    size,
    seconds,
    frames: calls[0]?.frames,
    took: Number(took.toFixed(2)),
    of_real_time: Number((seconds / took).toFixed(2)),
    cpu_ms: Number(sum.toFixed(1)),
    ...Object.fromEntries(parts.filter(([, ms]) => ms > 0)),
    sync: calls.map((one) => one.sync),
  });
}
await service.close();
