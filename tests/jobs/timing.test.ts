import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startHeart } from '../../src/jobs/run/heart.ts';
import { workerTiming } from '../../src/jobs/run/worker.ts';
import { createLog } from '../../src/log.ts';
import { MOST_RECONNECT_MS } from '../../src/redis/connection.ts';

test('a lost worker is missed within 9 s, and one that waited for Redis is not taken for lost', () => {
  const { leaseMs, lookMs, silenceMs } = workerTiming;
  assert.ok(leaseMs + lookMs <= 9_000);
  // Redis may stand still for half a lease before `due.lua` notices, and renews all of them.
  assert.ok(silenceMs + leaseMs / 2 + MOST_RECONNECT_MS < leaseMs);
});

test('an attempt keeps its lease while the clock is set back', async () => {
  const wall = Date.now;
  let beats = 0;
  const beat = async () => {
    beats += 1;
    return 'on' as const;
  };
  const parts = { attempts: { beat }, log: createLog('silent', 'test') };
  const timing = { beatMs: 2, silenceMs: 10 };
  const heart = startHeart(parts, timing, { id: 'job_1', fence: 1 }, assert.unreachable);
  Date.now = () => wall() - 3_600_000;
  try {
    await sleep(100);
  } finally {
    Date.now = wall;
    heart.stop();
  }
  assert.ok(beats > 1, `${beats} heartbeats`);
});

test.run();
