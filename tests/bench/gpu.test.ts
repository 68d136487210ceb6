import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../src/stack/home.mjs';

const test = suite('gpu');

test('where there is no GPU, the bench of GPUs says so and measures nothing', async () => {
  const { exitCode, stdout } = await execa(process.execPath, ['--import', 'tsx', 'bench/gpu.ts'], {
    cwd: root,
    reject: false,
    env: { CUDA_VISIBLE_DEVICES: '' },
  });
  assert.equal(
    [exitCode, stdout],
    [3, 'no GPU here: the NVIDIA driver offers no device. Nothing was measured.'],
  );
});

test.run();
