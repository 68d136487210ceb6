import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { depthOf } from '../../../src/operations/upscale/depth.ts';

const test = suite('depth');
const [deep, profile, able] = [16, null, { takesDeep: true }] as const;

test('16 bits are kept where the image has them, the result is PNG and the release takes them', () => {
  assert.equal(depthOf({ depth: deep, profile }, 'png', able), { depth: 16, warnings: [] });
  assert.is(depthOf({ depth: deep, profile: 'rgb16' }, 'png', able).depth, 16);
});

test('8 bits, and results in other formats, need no warning', () => {
  assert.equal(depthOf({ profile }, 'png', able), { warnings: [] });
  for (const format of ['jpeg', 'webp', 'avif'] as const)
    assert.equal(depthOf({ depth: deep, profile }, format, able), { warnings: [] });
});

test('who gets fewer bits than could be is told', () => {
  for (const found of [
    depthOf({ depth: deep, profile }, 'png', { takesDeep: false }),
    depthOf({ depth: deep, profile: 'grey16' }, 'png', able),
  ]) {
    assert.is(found.depth, undefined);
    assert.equal(
      found.warnings.map(({ code }) => code),
      ['depth_reduced'],
    );
  }
});

test.run();
