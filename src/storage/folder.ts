import { chmod, mkdir } from 'node:fs/promises';

/** Makes a folder, unless it is there, that its owner only can read. */
export const makeFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  // Older versions made the folders readable by all users.
  await chmod(path, 0o700);
};
