import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { outage } from '../../src/jobs/run/outage.ts';

const bounds = { unavailableMs: 3_000, longestMs: 300_000 };
const away = (away_since: number | null, away_at: number | null, now: number) =>
  outage({ away_since, away_at }, now, bounds);

test('when what was away is back, a job stands still for at most half as long again', () => {
  let [now, looks] = [0, 0];
  for (let seen: number | null = null; now < 120_000; looks += 1) {
    const { since, delayMs } = away(seen === null ? null : 0, seen, now);
    assert.is(since, 0);
    assert.ok(delayMs <= Math.max(3_000, Math.min(now / 2, 30_000)), `${delayMs} ms at ${now}`);
    [seen, now] = [now, now + delayMs];
  }
  assert.ok(looks >= 8 && looks <= 12, `${looks} looks in two minutes`);
});

test('what is found away long after an outage is another outage', () => {
  assert.equal(away(0, 100_000, 390_000), { since: 0, delayMs: 30_000 });
  assert.equal(away(0, 100_000, 400_000), { since: 400_000, delayMs: 3_000 });
});

test.run();
