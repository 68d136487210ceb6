import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isOrphan, newRegionName } from '../../src/triton/shared-memory/region-names.ts';

const test = suite('region names');

test('a region of this process is no orphan, and no two names are equal', () => {
  assert.is.not(newRegionName(), newRegionName());
  assert.not(isOrphan(newRegionName()));
});

test('a region of a process that ended is an orphan', () => {
  const name = newRegionName().replace(`-${process.pid}-`, '-4194304-');
  assert.ok(isOrphan(name));
});

test('a process that was given the number of a dead one does not own its regions', () => {
  const [, , owners, pid, , random] = newRegionName().split('-');
  assert.ok(isOrphan(`enhance-io-${owners}-${pid}-1-${random}`));
});

test('what belongs to another container, to Triton or to others is left alone', () => {
  const [, , , pid, start, random] = newRegionName().split('-');
  assert.not(isOrphan(`enhance-io-1-${pid}-${start}-${random}`));
  for (const name of ['enhance_8700_0', 'triton_python_backend_shm_region_1', 'sem.x', '']) {
    assert.not(isOrphan(name));
  }
});

test.run();
