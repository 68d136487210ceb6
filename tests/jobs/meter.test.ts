import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMeter } from '../../src/jobs/run/meter.ts';

const test = suite('meter');

test('before the total is known there is no percentage and no remaining time', () => {
  const meter = createMeter();
  const seen = meter({ stage: 'probing', framesDone: 0, framesTotal: null }, 0);
  assert.equal(seen, {
    stage: 'probing',
    percent: 0,
    frames_done: 0,
    frames_total: null,
    eta_seconds: null,
  });
});

test('remaining time follows from the pace since the first frame', () => {
  const meter = createMeter();
  const at = (framesDone: number, nowMs: number) =>
    meter({ stage: 'inference', framesDone, framesTotal: 101 }, nowMs);
  assert.is(at(0, 0).eta_seconds, null);
  assert.is(at(1, 5000).eta_seconds, null, 'the time before it is not its own');
  assert.is(at(2, 5007).eta_seconds, null, 'it was in flight with the first');
  assert.is(at(3, 5100).eta_seconds, null, 'it may have been in flight with the first too');
  const seen = at(26, 15_000);
  assert.equal([seen.percent, seen.eta_seconds], [25.4, 30]);
});

test('the percentage never falls, and reaches 99 before the end', () => {
  const meter = createMeter();
  meter({ stage: 'inference', framesDone: 50, framesTotal: 50 }, 0);
  assert.is(meter({ stage: 'encoding', framesDone: 1, framesTotal: 2 }, 1).percent, 99);
  assert.is(meter({ stage: 'storing', framesDone: 0, framesTotal: null }, 2).percent, 99);
});

test('more frames than announced are no more than all', () => {
  const meter = createMeter();
  assert.is(meter({ stage: 'inference', framesDone: 12, framesTotal: 10 }, 0).percent, 99);
});

test('frames that are gone through twice count as parts of the whole', () => {
  const meter = createMeter();
  const first = { stage: 'decoding', framesTotal: 100, span: [0, 0.4] } as const;
  const second = { stage: 'inference', framesTotal: 100, span: [0.4, 0.9] } as const;
  assert.is(meter({ ...first, framesDone: 100 }, 0).percent, 39.6);
  assert.is(meter({ ...second, framesDone: 0 }, 0).percent, 39.6);
  assert.is(meter({ ...second, framesDone: 50 }, 1000).percent, 64.3);
  assert.is(meter({ ...second, framesDone: 100 }, 2000).percent, 89.1);
});

test.run();
