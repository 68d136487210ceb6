import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a folder, unless it is there, that its owner only can read. */
export const makeFolder = async (path: string): Promise<void> => {
  await make(path);
  // Older versions made the folders readable by all users.
  await chmod(path, 0o700);
};

/** Not by `recursive` of mkdir: in a folder such as /proc, which refuses new ones with ENOENT, Node tries without end. */
const make = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || (await isThere(dirname(path)))) throw error;
    await make(dirname(path));
    await make(path);
  }
};

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
