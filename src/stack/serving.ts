/** Waits for the service to be ready, and says what it still lacks where that takes longer than usual. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** What `GET /readyz` answers. */
const Readiness = z.object({ missing: z.array(z.string()) });

/** Models that are being loaded need some seconds, of which nothing has to be said. */
const QUIET_MS = 5_000;

/** `tell` gets one line for each change. Throws an Error where the service is not ready `withinMs` after the call. */
export const untilServing = async (
  address: string,
  tell: (line: string) => void,
  { withinMs = 300_000, quietMs = QUIET_MS } = {},
): Promise<void> => {
  const begun = performance.now();
  let told = '';
  let last = '';
  while (performance.now() - begun < withinMs) {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(10_000) });
    if (answer.ok) return;
    last = Readiness.parse(await answer.json()).missing.join('; ');
    if (last !== told && performance.now() - begun > quietMs) {
      tell(`not ready yet: ${last}`);
      told = last;
    }
    await sleep(100);
  }
  throw new Error(`The stack was not ready within ${withinMs / 1000} s: ${last}`);
};
