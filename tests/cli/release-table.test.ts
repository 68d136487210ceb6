import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { releaseTable } from '../../src/cli/release-table.ts';
import { slotExample } from '../../src/contract/releases.ts';

test('the columns stay below each other, however long the name of a slot is', () => {
  const [one] = slotExample.releases;
  if (!one) throw new Error('expected the example to have a release');
  const attempts = { done: 0, failed: 0, mirrored: 0, likeness_db: null };
  const other = { ...one, release: 'animation_realtime@s2', alias: null, licence: null, attempts };
  assert.equal(releaseTable([one, other]), [
    'photo@r2               candidate  ready on 1  41 done, 0 failed, 3 mirrored (38.2 dB alike)  MIT',
    'animation_realtime@s2  -          ready on 1  0 done, 0 failed                               ships with the service',
  ]);
  assert.equal(releaseTable([]), []);
});

test.run();
