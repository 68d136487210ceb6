/** Test files as Node runs them: compiled together once, where tsx would take a second of the processor for each process. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundle } from '../../src/stack/compiled.mjs';
import { root } from '../../src/stack/home.mjs';
import { programs } from '../real/program.ts';

export type Programs = {
  /** What runs in-turn.ts. */
  readonly inTurn: string;
  of(file: string): string;
  /** Where these lie, and those that tests start: TEST_PROGRAMS. */
  readonly folder: string;
  /** Deletes them. */
  close(): void;
};

/** Below the root, where Node finds the packages. */
const dist = join(root, 'dist');
const inTurn = join(root, 'tests/runner/in-turn.ts');
const started = programs.map((file) => join(root, 'tests', file));

export const compileTests = async (files: readonly string[]): Promise<Programs> => {
  clearDead();
  const folder = join(dist, `tests-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const sources = [inTurn, ...started, ...files].map((file) => [nameOf(file), file] as const);
  for (const { path, contents } of await bundle(Object.fromEntries(sources), folder))
    writeFileSync(path, contents);
  const of = (file: string) => join(folder, `${nameOf(file)}.js`);
  const close = () => rmSync(folder, { recursive: true, force: true });
  return { inTurn: of(inTurn), of, folder, close };
};

/** What processes that were killed have left. */
const clearDead = (): void => {
  for (const name of existsSync(dist) ? readdirSync(dist) : []) {
    const [, pid] = /^tests-(\d+)$/.exec(name) ?? [];
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(dist, name), { recursive: true });
  }
};

const nameOf = (file: string): string => relative(root, file).replaceAll('/', '-');
