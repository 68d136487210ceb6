import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import {
  accepted,
  added,
  aliasOf,
  canaried,
  promoted,
  readRef,
  rejected,
  reloaded,
  removed,
  rolledBack,
  type SlotState,
  SlotState as Stored,
  slotState,
  storedOf,
  unloaded,
} from '../../src/models/state.ts';

const test = suite('state of a slot');
const form = { slot: 'photo', shipped: 'r1', tritonSlots: ['photo'] };
const fresh = slotState(form, null);
const with2 = added(fresh, 'r2', { models: { photo: 'photo__r2' } });
const with3 = added(with2, 'r3', { models: { photo: 'photo__r3' } });
const half = { percent: 50, mirror: 0 };
const refusal = (move: () => unknown): string => {
  try {
    move();
  } catch (error) {
    if (error instanceof Failure) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('it was not refused');
};
const told = ({ stable, previous, candidate }: SlotState) => [
  stable,
  previous,
  candidate?.release ?? null,
];

test('at first the release that ships is stable, and nothing is stored of it', () => {
  assert.equal(told(fresh), ['r1', null, null]);
  assert.equal(fresh.releases.r1?.models, { photo: 'photo' });
  assert.is(storedOf(fresh).stable, null);
});

test('what is stored and read again is the same', () => {
  const state = canaried(promoted(with3, 'r2', 5), 'r3', half, 6);
  const again = slotState(form, Stored.parse(JSON.parse(JSON.stringify(storedOf(state)))));
  assert.equal(again, state);
});

test('a promotion keeps the way back, ends the trial and retires what nothing means', () => {
  const state = promoted(canaried(with3, 'r3', half, 1), 'r2', 7);
  assert.equal(told(state), ['r2', 'r1', null]);
  assert.equal(
    Object.entries(state.releases).map(([name, one]) => [name, one.retired_at]),
    [
      ['r1', 7],
      ['r2', null],
      ['r3', 7],
    ],
  );
});

test('a rollback first ends the trial, then goes back, and then there is no way further', () => {
  const trial = canaried(promoted(with3, 'r2', 1), 'r3', half, 2);
  const once = rolledBack(trial, 3);
  assert.equal(told(once), ['r2', 'r1', null]);
  const twice = rolledBack(once, 4);
  assert.equal(told(twice), ['r1', null, null]);
  assert.equal([twice.releases.r1?.retired_at, twice.releases.r2?.retired_at], [null, 4]);
  assert.match(
    refusal(() => rolledBack(twice, 5)),
    'no canary and no earlier stable release',
  );
});

test('a release that was taken back can only be used after a check', () => {
  const state = rejected(canaried(with2, 'r2', half, 1), 'r2', 'it returns NaN', 2);
  assert.equal(told(state), ['r1', null, null]);
  for (const move of [() => canaried(state, 'r2', half, 3), () => promoted(state, 'r2', 3)])
    assert.match(refusal(move), /release_refused: .*taken back: it returns NaN/);
  assert.is(promoted(accepted(state, 'r2'), 'r2', 3).stable, 'r2');
});

test('a promoted release that is taken back gives way to the one before', () => {
  const state = rejected(promoted(with2, 'r2', 1), 'r2', 'too many errors', 2);
  assert.equal(told(state), ['r1', null, null]);
});

test('a release that somebody is about to use is not retired while it may still be loading', () => {
  const gone = unloaded(promoted(with2, 'r2', 1), 'r1');
  for (const before of [gone, promoted(with2, 'r2', 1)]) {
    const { loaded, retired_at } = reloaded(before, 'r1', 180_000).releases.r1 ?? {};
    assert.equal([loaded, retired_at], [true, 180_000]);
  }
  const later = reloaded(gone, 'r1', 180_000);
  assert.is(reloaded(later, 'r1', 90_000), later, 'another who needs it for less time');
  assert.is(reloaded(with2, 'r1', 180_000), with2, 'one that an alias means');
  assert.is(rolledBack(later, 5).releases.r1?.retired_at, null);
});

test('what new jobs get cannot be unloaded, and what is loaded or ships cannot be deleted', () => {
  const trial = canaried(with2, 'r2', half, 1);
  assert.match(
    refusal(() => unloaded(trial, 'r1')),
    'photo@r1 is the stable release',
  );
  assert.match(
    refusal(() => unloaded(trial, 'r2')),
    'photo@r2 is the candidate release',
  );
  assert.match(
    refusal(() => removed(with2, 'r2')),
    'unload it first',
  );
  assert.match(
    refusal(() => removed(promoted(with2, 'r2', 1), 'r1')),
    'ships with the service',
  );
  const gone = removed(unloaded(with2, 'r2'), 'r2');
  assert.equal(Object.keys(gone.releases), ['r1']);
});

test('names that exist, that do not, and what is stable already are refused', () => {
  assert.match(
    refusal(() => added(with2, 'r2', {})),
    'a release never changes',
  );
  assert.match(
    refusal(() => promoted(with2, 'r9', 1)),
    'not_found: There is no release photo@r9',
  );
  assert.match(
    refusal(() => promoted(with2, 'toString', 1)),
    'not_found',
  );
  assert.match(
    refusal(() => promoted(fresh, 'r1', 1)),
    'the stable release already',
  );
  assert.match(
    refusal(() => canaried(fresh, 'r1', half, 1)),
    'all jobs get it already',
  );
  for (const ref of ['photo', 'photo@', '@r2', 'photo@R2', 'photo@r2 ', 'photo@r2@r3'])
    assert.match(
      refusal(() => readRef(ref)),
      'validation_failed',
    );
  assert.equal(readRef('photo@r2'), { slot: 'photo', release: 'r2' });
});

test('a later version of the service ships another release: stable follows it, what was added stays', () => {
  const next = { ...form, shipped: 'r5' };
  const followed = slotState(next, storedOf(with2));
  assert.equal([followed.stable, Object.keys(followed.releases)], ['r5', ['r5', 'r2']]);
  const kept = slotState(next, storedOf(promoted(with2, 'r2', 1)));
  assert.equal([kept.stable, kept.previous], ['r2', null], 'r1 has gone with the old version');
  assert.is(aliasOf(kept, 'r2'), 'stable');
});

test.run();
