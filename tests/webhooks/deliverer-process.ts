/** A deliverer in a process of its own, to be killed. usage: deliverer-process.ts <place as JSON> */
import { z } from 'zod';
import { openWebhookRig } from './rig.ts';

const Place = z.object({ url: z.string(), prefix: z.string(), dir: z.string() });
const [, , place = ''] = process.argv;
const rig = await openWebhookRig(Place.parse(JSON.parse(place)));
rig.deliver();
