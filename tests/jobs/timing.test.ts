import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { workerTiming } from '../../src/jobs/run/worker.ts';
import { MOST_RECONNECT_MS } from '../../src/redis/connection.ts';

test('a lost worker is missed within 9 s, and one that waited for Redis is not taken for lost', () => {
  const { leaseMs, lookMs, silenceMs } = workerTiming;
  assert.ok(leaseMs + lookMs <= 9_000);
  // Redis may stand still for half a lease before `due.lua` notices, and renews all of them.
  assert.ok(silenceMs + leaseMs / 2 + MOST_RECONNECT_MS < leaseMs);
});

test.run();
