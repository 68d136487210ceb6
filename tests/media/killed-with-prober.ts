/** A service whose probe hangs, for a test that kills it. The first argument is the probe. */

import { openProbers } from '../../src/media/probe/probers.ts';
import { compiled } from '../../src/stack/compiled.mjs';

await compiled('prober');
const probe = JSON.parse(process.argv[2] ?? '');
const probers = openProbers(probe.ffmpeg);
const signal = AbortSignal.timeout(60_000);
await probers.lend(({ probeVideo }) => probeVideo({ ...probe, signal }));
