import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The files of these names, and the test files in those that are folders: each once. Throws for a folder without one. */
export const testFiles = (names: readonly string[]): string[] => [
  ...new Set(
    names.flatMap((name) => (statSync(name).isDirectory() ? filesIn(name) : resolve(name))),
  ),
];

const filesIn = (folder: string): string[] => {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('fixtures/'))
    .sort()
    .map((name) => resolve(join(folder, name)));
  if (found.length === 0) throw new Error(`${folder} has no test files`);
  return found;
};
