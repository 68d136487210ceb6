/** What belongs to one run of tests: its mark on every process that it starts, and its folder. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { places } from '../../src/stack/home.mjs';
import { take } from '../../src/stack/lock.mjs';
import { markOf, stopOrphans } from '../../src/stack/orphans.ts';

export const testRuns = join(places.run, 'tests');

/** What guards the tests' Triton. */
export const adminSecret = 'no-secret-in-the-tests';

/** The environment of real parts: the machine's, the mark by which a killed run's leftovers are found, and the run's folder. */
export const partEnvironment = (): NodeJS.ProcessEnv => {
  if (!process.env.ENHANCE_RUN?.startsWith(testRuns)) lead();
  return {
    ...process.env,
    TRITON_ADMIN_SECRET: adminSecret,
    TMPDIR: process.env.TEST_DIR ?? tmpdir(),
  };
};

/** A bench, or a test file started by hand, is a run of its own. */
const lead = (): void => {
  const run = join(testRuns, `${process.pid}`);
  Object.assign(process.env, markOf(run));
  // Without the lock the next run would stop our parts as those of a dead one.
  void take(run);
  stopAtSignals(run);
};

const stops = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C, the end of a time limit and a closed terminal end what the run has started, and this process. */
export const stopAtSignals = (run: string, begin = (): void => {}): void => {
  // Not `once`: `timeout` sends its signal twice, and the second would end this process at once.
  for (const signal of stops)
    process.on(signal, () => {
      begin();
      void stopOrphans(run, 2_000).then(() => process.exit(130));
    });
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
