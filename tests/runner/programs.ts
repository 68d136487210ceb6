/** Test files as Node runs them: compiled together once, where tsx would take a second of the processor for each process. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundle } from '../../src/stack/compiled.mjs';
import { root } from '../../src/stack/home.mjs';

export type Programs = {
  /** What runs in-turn.ts. */
  readonly inTurn: string;
  of(file: string): string;
  /** Deletes them. */
  close(): void;
};

/** Below the root, where Node finds the packages. */
const dist = join(root, 'dist');
const inTurn = join(root, 'tests/runner/in-turn.ts');

export const compileTests = async (files: readonly string[]): Promise<Programs> => {
  clearDead();
  const folder = join(dist, `tests-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const sources = [inTurn, ...files].map((file) => [nameOf(file), file] as const);
  for (const { path, contents } of await bundle(Object.fromEntries(sources), folder))
    writeFileSync(path, contents);
  const of = (file: string) => join(folder, `${nameOf(file)}.js`);
  return { inTurn: of(inTurn), of, close: () => rmSync(folder, { recursive: true, force: true }) };
};

/** What processes that were killed have left. */
const clearDead = (): void => {
  for (const name of existsSync(dist) ? readdirSync(dist) : []) {
    const [, pid] = /^tests-(\d+)$/.exec(name) ?? [];
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(dist, name), { recursive: true });
  }
};

const nameOf = (file: string): string => relative(root, file).replaceAll('/', '-');
