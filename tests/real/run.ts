/** What belongs to one run of tests: its mark on every process that it starts, and its folder. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { places } from '../../src/stack/home.mjs';
import { take } from '../../src/stack/lock.mjs';
import { markOf } from '../../src/stack/orphans.ts';

export const testRuns = join(places.run, 'tests');
const run = process.env.ENHANCE_RUN?.startsWith(testRuns)
  ? process.env.ENHANCE_RUN
  : join(testRuns, `${process.pid}`);

/** What guards the tests' Triton. */
export const adminSecret = 'no-secret-in-the-tests';

/** The environment of real parts: the machine's, and the mark by which a killed run's leftovers are found. */
export const partEnvironment = (): NodeJS.ProcessEnv => {
  // Unless tests/run.ts holds it: without the lock the next run would stop our parts as those of a dead one.
  void take(run);
  return { ...process.env, TRITON_ADMIN_SECRET: adminSecret, ...markOf(run) };
};

const folders: string[] = [];
const removeFolders = () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
};

/** A new folder that is removed when this process ends. */
export const tempDir = (name = 'test'): string => {
  const parent = process.env.TEST_DIR ?? tmpdir();
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, `enhance-${name}-`));
  if (folders.push(folder) === 1) process.once('exit', removeFolders);
  return folder;
};
