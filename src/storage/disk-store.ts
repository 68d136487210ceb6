import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../errors.ts';
import { makePrivateFolder } from '../make-folder.ts';
import { diskFailure } from './disk-failure.ts';
import { type Expected, SHARED_FOLDERS, type Store } from './store.ts';
import { unlessGone } from './unless-gone.ts';

/**
 * The files below `dir`, in one folder for each kind. Copies are hard links: they cost no space and no time. `aside` is a
 * folder of the same disk for links that have no name yet; its owner sweeps it.
 */
export const openDiskStore = async (dir: string, aside: string): Promise<Store> => {
  for (const folder of SHARED_FOLDERS) await makePrivateFolder(join(dir, folder));
  const at = (name: string): string => join(dir, name);
  const size: Store['size'] = async (name) => (await unlessGone(stat(at(name))))?.size ?? null;

  return {
    size,
    put: async (name, path, expected = {}) => {
      const unnamed = join(aside, randomUUID());
      try {
        await link(path, unnamed);
        await rename(unnamed, at(name));
        await flushBoth(path, expected, at(name));
      } catch (error) {
        await rm(unnamed, { force: true });
        throw diskFailure(error) ?? error;
      }
    },
    fetch: async (name, path) => {
      try {
        return (await unlessGone(link(at(name), path).then(() => true))) ?? false;
      } catch (error) {
        throw diskFailure(error) ?? error;
      }
    },
    read: async (name, range) =>
      (await size(name)) === null ? null : createReadStream(at(name), range),
    remove: (name) => rm(at(name), { force: true }),
    list: (folder, start = '') => entriesOf(at(folder), start),
    link: async () => null,
    check: () => access(dir),
    removeUnfinished: async () => {},
    close: () => {},
  };
};

async function* entriesOf(folder: string, start: string) {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(start)) continue;
    const found = await unlessGone(stat(join(folder, name)));
    if (found) yield { name, keptAt: found.mtimeMs, changedAt: found.ctimeMs };
  }
}

/**
 * The file and its name at once: a file system writes its journal once for both (decision 52). A power failure meanwhile may
 * leave a name without all of its content, but nobody knows that name: Redis is told of it when this returns, and a
 * checkpoint, which is looked for by its name alone, was flushed before it came here.
 */
const flushBoth = async (path: string, expected: Expected, named: string): Promise<void> => {
  try {
    await Promise.all([flush(path, expected), flush(dirname(named))]);
  } catch (error) {
    await rm(named, { force: true });
    throw error;
  }
};

/**
 * Flushes a file's content, or the names in a folder, to the disk. Failure storage_failed for a file that does not have the
 * expected bytes.
 */
const flush = async (path: string, expected: Expected = {}): Promise<void> => {
  const file = await open(path, 'r');
  try {
    await file.sync();
    const [{ size }, { bytes }] = await Promise.all([file.stat(), expected]);
    if (bytes === undefined || size === bytes) return;
    const reason = `expected ${bytes} bytes on the disk; ${size} are there`;
    throw new Failure('storage_failed', { reason });
  } finally {
    await file.close();
  }
};
