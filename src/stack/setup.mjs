/**
 * The set-up for `npm start` and `npm test`: installs everything that is missing into `.enhance`. Needs no Node package.
 * An interrupted step is repeated at the next run.
 * usage: node src/stack/setup.mjs [--dev]   (--dev adds what the tests need: Python packages, Helm)
 */
import { pathToFileURL } from 'node:url';
import { home } from './home.mjs';
import { takeWhenFree } from './lock.mjs';
import { checkPlatform } from './setup/machine.mjs';
import { setUpNode } from './setup/node.mjs';
import {
  drawSample,
  setUpFfmpeg,
  setUpFfprobe,
  setUpHelm,
  setUpRedis,
  setUpTriton,
} from './setup/parts.mjs';
import { added, addToPython, setUpPython } from './setup/python.mjs';
import { isSetupError } from './setup/setup-error.mjs';
import { setUpWeights } from './setup/weights.mjs';

/** @param {{ dev: boolean }} needs */
export const setUp = async (needs) => {
  checkPlatform();
  const lock = await takeWhenFree(`set-up of ${home}`, () =>
    process.stderr.write('  another set-up of this folder is running; waiting for it …\n'),
  );
  try {
    await sideBySide(setUpNode(), setUpParts(needs));
  } finally {
    await lock.release();
  }
};

/** All of them to their ends, which mostly wait for their registries; throws what the first one failed with. @param {Promise<void>[]} all */
const sideBySide = async (...all) => {
  for (const one of await Promise.allSettled(all)) if (one.status === 'rejected') throw one.reason;
};

/** All that is not Node's. @param {{ dev: boolean }} needs */
const setUpParts = async (needs) => {
  const python = await setUpPython();
  await sideBySide(addToPython(python, ['base']), setUpPrograms(python, needs));
  // The models need the base only.
  await sideBySide(setUpWeights(python), addToPython(python, ['provenance']));
  // After all that pip downloads: the packages for tests replace pip.
  await addToPython(python, added(needs));
};

/** @param {import('./setup/machine.mjs').Python} python @param {{ dev: boolean }} needs */
const setUpPrograms = async (python, needs) => {
  await setUpTriton(python);
  await setUpRedis(python);
  await setUpFfmpeg(python);
  await setUpFfprobe(python);
  await drawSample();
  if (needs.dev) await setUpHelm(python);
};

/** Runs `work`. A SetupError or a full disk is printed as one message and ends the process with exit code 1. @param {() => Promise<void>} work */
export const orExit = async (work) => {
  try {
    await work();
  } catch (error) {
    const full = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
    if (full)
      process.stderr.write(
        `The disk that holds ${home} is full. Free 3 GB and run the command again.\n`,
      );
    else if (isSetupError(error)) process.stderr.write(`${error.message}\n`);
    else throw error;
    process.exit(1);
  }
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await orExit(() => setUp({ dev: process.argv.includes('--dev') }));
