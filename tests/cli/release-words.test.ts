import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { releaseTable, unloadText } from '../../src/cli/release-words.ts';
import { slotExample } from '../../src/contract/releases.ts';

test('the columns stay below each other, however long the name of a slot is', () => {
  const [one] = slotExample.releases;
  if (!one) throw new Error('expected the example to have a release');
  const attempts = { done: 0, failed: 0, mirrored: 0, likeness_db: null };
  const other = { ...one, release: 'animation_realtime@s9', alias: null, licence: null, attempts };
  assert.equal(releaseTable([one, other]), [
    'photo@r2               candidate  ready on 1  41 done, 0 failed by its fault, 3 mirrored (38.2 dB alike)  MIT',
    'animation_realtime@s9  -          ready on 1  0 done, 0 failed by its fault                               ships with the service',
  ]);
  assert.equal(releaseTable([]), []);
});

test('who unloads a release is told of that release, and where its files are', () => {
  assert.match(
    unloadText('photo@r2', false),
    /^photo@r2 is unloaded\. Its files stay: .* --delete /,
  );
  assert.is(unloadText('photo@r2', true), 'photo@r2 is unloaded, and its files are deleted.');
});

test.run();
