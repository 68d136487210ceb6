/** Real photographs and clips, which lie beside the repository and are no part of it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Callback, Test } from 'uvu';
import { root } from '../../src/stack/home.mjs';
import { skip } from './skip.ts';

const folder = join(root, '../shared/media');

/** A test on one of them; counted as skipped where the folder is not there. */
export const withMedia = <T>(
  test: Test<T>,
  name: string,
  file: string,
  run: (path: string, ...context: Parameters<Callback<T>>) => ReturnType<Callback<T>>,
): void => {
  if (existsSync(folder)) test(name, (context) => run(join(folder, file), context));
  else skip(test, name, '../shared/media');
};
