/** A worker in a process of its own, to be killed. usage: worker-process.ts <place as JSON> */
import { z } from 'zod';
import { atOnce, openRig } from './rig.ts';

const Place = z.object({ url: z.string(), prefix: z.string(), dir: z.string() });
const rig = await openRig(Place.parse(JSON.parse(process.argv[2] ?? '')));
await rig.work(async (work, places, report, signal) => {
  report({ stage: 'inference', framesDone: 1, framesTotal: 2 });
  await atOnce(work, places, report, signal);
  process.stdout.write('running\n');
  await new Promise(() => {});
  throw new Error('never reached');
});
