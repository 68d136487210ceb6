/** A disk of a few megabytes, to run full. */
import { execFileSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { tempDir } from './run.ts';

/** Its folder; null where one may not mount. It ends with this process, however that ends. */
export const smallDisk = (megabytes: number): string | null => {
  const folder = tempDir('small-disk');
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, [...args, folder], { stdio: 'ignore' });
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs');
  } catch {
    return null;
  }
  // Taken off the tree at once, it lives on for those who have it open.
  const held = openSync(folder, 'r');
  run('umount', '--lazy');
  return `/proc/${process.pid}/fd/${held}`;
};
