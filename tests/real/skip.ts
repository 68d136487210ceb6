/** Tests that a missing part excuses: counted as skipped, and named by the runner. Any other skip fails the run. */
import type { Test } from 'uvu';

/** In place of `test(name, …)`. */
export const skip = <T>(test: Test<T>, name: string, part: string): void => {
  test.skip(name, () => {});
  process.stdout.write(`\n# skipped for want of ${part}: ${name}\n`);
};
