/**
 * The one set-up: everything that `npm start` and `npm test` need, from nothing, into `.enhance`.
 * No dependencies. Quick when nothing is missing; what was left half done is done again.
 * usage: node src/stack/setup.mjs [--dev]   (--dev adds what the Python tests need)
 */
import { pathToFileURL } from 'node:url';
import { home } from './home.mjs';
import { takeWhenFree } from './lock.mjs';
import { Lack } from './setup/lack.mjs';
import { checkPlatform } from './setup/machine.mjs';
import { setUpNode } from './setup/node.mjs';
import { drawSample, setUpFfmpeg, setUpFfprobe, setUpRedis, setUpTriton } from './setup/parts.mjs';
import { setUpPython } from './setup/python.mjs';
import { setUpWeights } from './setup/weights.mjs';

/** @param {{ dev: boolean }} needs */
export const setUp = async (needs) => {
  checkPlatform();
  const lock = await takeWhenFree(`set-up of ${home}`, () =>
    process.stderr.write('  another set-up of this folder is at work; waiting for it …\n'),
  );
  try {
    await setUpNode();
    const python = await setUpPython(needs);
    await setUpTriton(python);
    await setUpRedis(python);
    await setUpFfmpeg(python);
    await setUpFfprobe(python);
    await setUpWeights(python);
    await drawSample();
  } finally {
    await lock.release();
  }
};

/** Runs `work`; a lack is told in its own words, anything else whole. @param {() => Promise<void>} work */
export const orSay = async (work) => {
  try {
    await work();
  } catch (error) {
    const full = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
    if (full)
      process.stderr.write(`The disk that holds ${home} is full. Free 3 GB and run this again.\n`);
    else if (error instanceof Lack) process.stderr.write(`${error.message}\n`);
    else throw error;
    process.exit(1);
  }
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await orSay(() => setUp({ dev: process.argv.includes('--dev') }));
