import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { modelLines } from '../../src/cli/models.ts';

test('the columns of models, and those of the releases of one, stay below each other', () => {
  const release = { percent: 0, ready: true, version: null };
  const common = { ready: true, price: { credits_per_megapixel: 0.5, minimum_credits: 1 } };
  const lines = modelLines([
    {
      ...common,
      id: 'animation_realtime',
      version: 'a-s2',
      engine: 'openvino f32',
      releases: [
        { ...release, release: 'animation_realtime@s9', alias: 'stable' },
        { ...release, release: 'animation_realtime@r3', alias: 'candidate', percent: 10 },
        { ...release, release: 'animation_realtime@r11', alias: null, ready: false },
      ],
    },
    { ...common, id: 'photo', version: null, engine: null, releases: [] },
  ]);
  assert.equal(lines, [
    'animation_realtime  ready  openvino f32  0.5 credits per megapixel  a-s2',
    '  animation_realtime@s9   stable                       ready',
    '  animation_realtime@r3   candidate, 10 % of new jobs  ready',
    '  animation_realtime@r11  -                            not ready',
    'photo               ready  -             0.5 credits per megapixel  -',
  ]);
});

test.run();
