/** The releases that ship are what their names promise: a change of a network without a new name would mix results in the cache. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { operations } from '../../src/operations/all.ts';
import { slotForms } from '../../src/operations/catalogue-entries.ts';
import { root } from '../../src/stack/home.mjs';

const test = suite('shipped releases');

const versionOf = (model: string): string => {
  const config = readFileSync(join(root, 'models', model, 'config.pbtxt'), 'utf8');
  return /key: "release", value: \{ string_value: "([^"]+)" \}/.exec(config)?.[1] ?? 'none';
};

const mouths = ['face_track-r18', 'speech-r14', 'mouth_plan-r15'];
const portraits = ['head_motion-r23', 'portrait_motion-r7'];
/** Whoever changes a version here raises the release beside it, in `models` of the operation. */
const promised: Readonly<Record<string, readonly string[]>> = {
  'photo@s19': ['photo-s19'],
  'animation@s13': ['animation-s13'],
  'photo_realtime@s12': ['photo_realtime-s12'],
  'animation_realtime@s12': ['animation_realtime-s12'],
  'detail@s14': ['detail-s14'],
  'fast@s39': [...mouths, 'mouth_render_fast-r41', ...portraits],
  'balanced@s39': [...mouths, 'mouth_render_balanced-r40', ...portraits],
  'studio@s39': [...mouths, 'mouth_render_studio-r40', ...portraits],
};

test('each shipped release has the versions that its name stands for', () => {
  const shipped = operations
    .flatMap(slotForms)
    .map(({ slot, shipped, tritonSlots }) => [`${slot}@${shipped}`, tritonSlots.map(versionOf)]);
  assert.equal(Object.fromEntries(shipped), promised);
});

test('no shipped release has a name or a version that an operator may have given to another', () => {
  for (const { slot, shipped } of operations.flatMap(slotForms)) {
    assert.match(shipped, /^(r1|s[2-9]|s\d\d+)$/);
    // A release that an operator adds has the version `photo-r2`.
    for (const version of promised[`${slot}@${shipped}`] ?? [])
      if (version.startsWith(`${slot}-`)) assert.is(version, `${slot}-${shipped}`);
  }
});

test.run();
