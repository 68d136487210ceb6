/** The Python environment that builds the models and that Triton's Python backend runs in. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { home, places, root } from '../home.mjs';
import { checkDisk, findPython } from './machine.mjs';
import { run, step } from './progress.mjs';

/** @typedef {import('./machine.mjs').Python} Python */
/** @typedef {'base' | 'provenance' | 'gpu' | 'dev'} Layer */

/** @type {Record<Layer, string>} */
const locks = {
  base: 'inference/requirements.txt',
  provenance: 'inference/requirements-provenance.txt',
  dev: 'inference/requirements-dev.txt',
  gpu: 'inference/requirements-gpu.txt',
};
const record = join(places.venv, 'enhance.json');

/** @typedef {{ python: Python, layers: Partial<Record<Layer, string>> }} Made */

/** The environment with what the service and the building of its models need. @returns {Promise<Python>} */
export const setUpPython = async () => {
  let made = read();
  if (made?.layers.base !== hashOf('base')) made = await create();
  made = await withLayer(made, 'provenance');
  return { ...made.python, path: places.python };
};

/** What the tests need, and an NVIDIA GPU. @param {{ dev: boolean }} needs */
export const addToPython = async ({ dev }) => {
  let made = read();
  if (!made) throw new Error(`${record} is gone`);
  if (dev) made = await withLayer(made, 'dev');
  // gpu comes last: its onnxruntime replaces the one that the tests need
  if (existsSync('/proc/driver/nvidia/version')) await withLayer(made, 'gpu');
};

/** The record of the environment, when it is complete and its Python still exists. @returns {Made | undefined} */
const read = () => {
  if (!existsSync(record)) return undefined;
  const made = JSON.parse(readFileSync(record, 'utf8'));
  return existsSync(made.python.library) && existsSync(places.python) ? made : undefined;
};

const create = async () => {
  const python = findPython();
  await mkdir(home, { recursive: true });
  checkDisk(home);
  await step(`Python environment (${python.version})`, async () => {
    await rm(record, { force: true });
    await run(python.path, ['-m', 'venv', '--clear', places.venv]);
  });
  return add({ python, layers: {} }, 'base');
};

/** @param {Made} made @param {Layer} layer @returns {Promise<Made>} */
const withLayer = async (made, layer) =>
  made.layers[layer] === hashOf(layer) ? made : add(made, layer);

/** @param {Made} made @param {Layer} layer @returns {Promise<Made>} */
const add = async (made, layer) => {
  const hash = hashOf(layer);
  const titles = {
    base: 'Python packages',
    provenance: 'Python packages for content credentials',
    dev: 'Python packages for tests',
    gpu: 'Python packages for the GPU',
  };
  const words = [
    '-m',
    'pip',
    'install',
    '--disable-pip-version-check',
    '--require-hashes',
    '--only-binary=:all:',
    // A lock names all that is needed: looking for more takes a quarter of the time.
    '--no-deps',
    // Of these few modules are used, and compiling them all takes longer than the rest.
    ...(layer === 'dev' ? ['--no-compile'] : []),
    '-r',
    join(root, locks[layer]),
  ];
  await step(titles[layer], () => run(places.python, words, { log: 'setup-python.log' }));
  const now = { ...made, layers: { ...made.layers, [layer]: hash } };
  await writeFile(`${record}.new`, JSON.stringify(now));
  await rename(`${record}.new`, record);
  return now;
};

/** @param {Layer} layer */
const hashOf = (layer) =>
  createHash('sha256')
    .update(readFileSync(join(root, locks[layer])))
    .digest('hex');
