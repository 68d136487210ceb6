/** A worker in a process of its own, to be killed. usage: worker-process.ts <place as JSON> [<variables as JSON>] */
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { openCheckpoints } from '../../src/storage/checkpoints.ts';
import { atOnce, openRig } from './rig.ts';

const Place = z.object({ url: z.string(), prefix: z.string(), dir: z.string() });
const [, , place = '', variables = '{}'] = process.argv;
const rig = await openRig(
  Place.parse(JSON.parse(place)),
  z.record(z.string(), z.string()).parse(JSON.parse(variables)),
);
await rig.work(async (work, places, report, signal) => {
  report({ stage: 'inference', framesDone: 1, framesTotal: 2 });
  const checkpoints = await openCheckpoints(places.work, 'r1');
  await checkpoints.put('half', async (path) => writeFileSync(path, 'half of the work'));
  await atOnce(work, places, report, signal);
  process.stdout.write('running\n');
  await new Promise(() => {});
  throw new Error('never reached');
});
