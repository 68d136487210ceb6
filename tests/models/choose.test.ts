import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ModelState, OfferedRelease } from '../../src/models/catalogue.ts';
import { chooseRelease } from '../../src/models/choose.ts';

const test = suite('choice of a release');
const offer = (release: string, more: Partial<OfferedRelease> = {}): OfferedRelease => ({
  release,
  alias: null,
  percent: 0,
  mirror: 0,
  ready: true,
  versions: { image: `photo-${release}`, video: null },
  ...more,
});
const state = (...offered: OfferedRelease[]): ModelState => ({
  id: 'photo',
  ready: true,
  engine: null,
  offered,
  releases: { image: 'photo-r1', video: null },
});
const stable = offer('r1', { alias: 'stable' });
const trial = offer('r2', { alias: 'candidate', percent: 10, mirror: 20 });
const always = (value: number) => () => value;
const told = (
  of: ModelState,
  pin: string | null,
  drawn: number,
  { model = of.id, by }: { model?: string; by?: string } = {},
) => {
  const choice = chooseRelease(
    of,
    'image',
    pin === null ? null : { model, release: pin, by },
    always(drawn),
  );
  return choice && [choice.release, choice.canary, choice.pinned, choice.mirror];
};

test('of a hundred draws as many get the candidate as its percent says', () => {
  const of = state(stable, trial);
  const chosen = Array.from({ length: 100 }, (_, drawn) => told(of, null, drawn)?.[0]);
  assert.is(chosen.filter((release) => release === 'photo@r2').length, 10);
  assert.equal(told(of, null, 9.9), ['photo@r2', true, false, '']);
  assert.equal(told(of, null, 10), ['photo@r1', false, false, 'photo@r2']);
  assert.equal(told(of, null, 20), ['photo@r1', false, false, '']);
});

test('a candidate that is not ready gets nothing, a stable one that is not ready ends the choice', () => {
  const absent = { ready: false, versions: { image: null, video: null } };
  assert.equal(told(state(stable, { ...trial, ...absent }), null, 0), [
    'photo@r1',
    false,
    false,
    '',
  ]);
  assert.is(told(state({ ...stable, ...absent }), null, 50), null);
  assert.is(chooseRelease(state(stable), 'video', null), null, 'it takes no video');
});

test('a caller gets the release that it names, and hears which there are', () => {
  const of = state(stable, trial, offer('r3'));
  assert.equal(told(of, 'r3', 0), ['photo@r3', false, true, '']);
  assert.equal(told(of, 'r1', 0), ['photo@r1', false, true, '']);
  assert.throws(
    () => told(of, 'r9', 0),
    /Expected "photo", "photo@r1", "photo@r2" or "photo@r3"; got "photo@r9"/,
  );
  assert.throws(
    () => told({ ...of, id: 'photo_realtime' }, 'r9', 0, { model: 'photo', by: 'effort realtime' }),
    /"photo@r2" or "photo@r3" with effort realtime; got "photo@r9"/,
    'by the names that a request takes, and by the option that chose the slot',
  );
});

test('a model without releases has one choice, and no release can be named', () => {
  const of = { ...state(), releases: { image: 'invert-r1', video: null } };
  assert.equal(told(of, null, 0), ['', false, false, '']);
  assert.throws(() => told(of, 'r1', 0), /Expected "photo"; got "photo@r1"/);
});

test.run();
