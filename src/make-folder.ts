import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a folder that its owner only can read, and those above it, unless they are there. */
export const makePrivateFolder = async (path: string): Promise<void> => {
  await makeFolder(path, 0o700);
  // Older versions made the folders readable by all users.
  await chmod(path, 0o700);
};

/**
 * Makes a folder and those above it, unless they are there. Not by `recursive` of mkdir: in a folder such as /proc, which
 * refuses new ones with ENOENT, Node tries without end.
 */
export const makeFolder = async (path: string, mode = 0o777): Promise<void> => {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || (await isThere(dirname(path)))) throw error;
    await makeFolder(dirname(path), mode);
    await makeFolder(path, mode);
  }
};

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
