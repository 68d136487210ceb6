/** The files of a release on the disk: hashed, read-only, and in their place all at once. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { refused } from '../refused.ts';

type HashedFile = { readonly path: string; readonly bytes: number; readonly sha256: string };

/** Not a part of the manifest: it holds it. */
export const manifestFile = 'release.json';

/** Paths in `folder`, without what Python has compiled. */
export const filesIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory() && !/(^|\/)__pycache__$/.test(entry.parentPath))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
};

export const hashAll = async (folder: string): Promise<HashedFile[]> => {
  const files: HashedFile[] = [];
  for (const path of await filesIn(folder)) {
    const file = await open(join(folder, path));
    try {
      const { size: bytes } = await file.stat();
      files.push({ path, bytes, sha256: await sha256Of(join(folder, path)) });
      await file.sync();
    } finally {
      await file.close();
    }
  }
  return files;
};

export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

/** Writes release.json, and makes everything readable and read-only. */
export const settle = async (ready: string, own: string, manifest: object): Promise<void> => {
  await mkdir(join(ready, own), { recursive: true });
  const file = await open(join(ready, own, manifestFile), 'w');
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  for (const entry of await readdir(ready, { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o444);
};

/** Moves the folders to their places, the one of release.json last: without it there is no release. */
export const publish = async (ready: string, modelsDir: string, own: string): Promise<void> => {
  const folders = (await readdir(ready)).filter((name) => name !== own);
  const placed: string[] = [];
  try {
    for (const name of [...folders, own]) {
      await rename(join(ready, name), join(modelsDir, name));
      placed.push(name);
    }
    await syncFolder(modelsDir);
  } catch (cause) {
    for (const name of placed) await rm(join(modelsDir, name), { recursive: true, force: true });
    if (!hasCode(cause, 'ENOTEMPTY', 'EEXIST')) throw cause;
    throw refused(`another release took the name ${own} at the same time; add it again`, cause);
  }
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** The beginning of the folder name of a release that is being packed. */
export const aside = '.adding-';
const longestPackingMs = 24 * 3600 * 1000;

/** Deletes what a crash in the middle of packing left. */
export const clearAside = async (modelsDir: string): Promise<void> => {
  for (const name of await readdir(modelsDir)) {
    if (!name.startsWith(aside)) continue;
    // Another process may delete its own meanwhile.
    const found = await stat(join(modelsDir, name)).catch((error) => {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    });
    if (found && Date.now() - found.mtimeMs > longestPackingMs)
      await rm(join(modelsDir, name), { recursive: true, force: true });
  }
};

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));
