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

/** An environment with pip, whose packages addToPython installs. @returns {Promise<Python>} */
export const setUpPython = async () => {
  const made = read();
  if (made?.layers.base === hashOf('base')) return { ...made.python, path: places.python };
  const python = findPython();
  await mkdir(home, { recursive: true });
  checkDisk(home);
  await step(`Python environment (${python.version})`, async () => {
    await rm(record, { force: true });
    await run(python.path, ['-m', 'venv', '--clear', places.venv]);
  });
  return { ...python, path: places.python };
};

/** Those of these packages that it lacks. @param {Python} python @param {readonly Layer[]} layers */
export const addToPython = async (python, layers) => {
  let made = read() ?? { python, layers: {} };
  for (const layer of layers)
    if (made.layers[layer] !== hashOf(layer)) made = await add(made, layer);
};

/** What the tests need, and an NVIDIA GPU. @param {{ dev: boolean }} needs @returns {Layer[]} */
export const added = ({ dev }) => [
  ...(dev ? /** @type {const} */ (['dev']) : []),
  // The last one: its onnxruntime replaces the one that the tests need.
  ...(existsSync('/proc/driver/nvidia/version') ? /** @type {const} */ (['gpu']) : []),
];

/** The record of the environment, when it is complete and its Python still exists. @returns {Made | undefined} */
const read = () => {
  if (!existsSync(record)) return undefined;
  const made = JSON.parse(readFileSync(record, 'utf8'));
  return existsSync(made.python.library) && existsSync(places.python) ? made : undefined;
};

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
