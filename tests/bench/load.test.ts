import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultsOf, type Outcome, type Sample } from '../../bench/load/judge.ts';
import type { Offered } from '../../bench/load/offer.ts';

const test = suite('judge of the load bench');

const call = (status: number, code = '', ms = 10): Offered => ({
  what: 'models',
  status,
  code,
  dueMs: 0,
  ms,
});
const sample = (queued: number, api: number): Sample => ({
  at_seconds: 0,
  queued,
  loop_lag_p99_ms: 5,
  redis_ping_ms: 1,
  mib: { api, worker: 200, probers: 100, redis: 6, triton: 80, models: 1500, ffmpeg: 0 },
});
const held: Outcome = {
  offered: [call(202), call(503, 'queue_full')],
  light: Array.from({ length: 100 }, () => call(200)),
  samples: Array.from({ length: 8 }, () => sample(300, 200)),
  jobs: [],
  found: [],
  queueLimit: 300,
};

test('a service that holds has no faults, and may refuse what the queue cannot take', () => {
  assert.equal(faultsOf(held), []);
});

const broken: readonly [changed: Partial<Outcome>, says: RegExp][] = [
  [{ found: ['the API ended: SIGKILL'] }, /^the API ended/],
  [{ samples: held.samples.map(() => sample(301, 200)) }, /^the queue held 301 jobs/],
  [{ samples: held.samples.map((_, i) => sample(1, 200 + 20 * i)) }, /^the memory of api grew$/],
  [{ offered: [call(0, 'broken: ECONNRESET')] }, /^1 calls got 0 broken/],
  [{ offered: [call(500, 'internal_error')] }, /^1 calls got 500 internal_error$/],
  [
    { light: held.light.map((one, i) => (i < 2 ? call(200, '', 900) : one)) },
    /^cheap calls took 900/,
  ],
];
for (const [changed, says] of broken)
  test(`it tells of a broken promise: ${says.source}`, () => {
    const [fault = '', ...more] = faultsOf({ ...held, ...changed });
    assert.match(fault, says);
    assert.equal(more, []);
  });

test.run();
