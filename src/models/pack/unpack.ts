/** The files of a release from where an operator has them: a folder, an archive of one, or an ONNX file. */
import { cp, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { extract, list, type ReadEntry } from 'tar';
import { refused } from '../refused.ts';
import { writeOnnxRelease } from './onnx-release.ts';

/** The most bytes of one release, unpacked. */
const largestBytes = 16 * 1024 ** 3;
const mostFiles = 2000;

/** Copies the release into `folder`, which it makes; `mayBeOnnx`: its slot has one model, an upscaler. Throws Failure release_refused for what is no release, or holds links. */
export const unpack = async (path: string, folder: string, mayBeOnnx: boolean): Promise<void> => {
  const found = await lstat(path).catch((cause) => {
    throw refused(`there is no file or folder ${path}`, cause);
  });
  await mkdir(folder);
  if (found.isDirectory()) return copyFolder(path, folder);
  if (!found.isFile()) throw refused(`expected a folder or a file, got neither: ${path}`);
  if (await isArchive(path)) return extractArchive(path, folder);
  // What arrives over HTTP has no name.
  if (/\.onnx$/i.test(path) || !/\.\w+$/.test(path)) {
    if (mayBeOnnx) return writeOnnxRelease(path, folder);
    throw refused('expected a folder or an archive of one: an ONNX file can only be an upscaler');
  }
  throw refused(`expected a folder, a .tar, .tar.gz or .tgz of one, or a file .onnx, got ${path}`);
};

/** A file that is gzip or tar by its first bytes, or by its name. */
const isArchive = async (path: string): Promise<boolean> => {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(262);
    await file.read(head, 0, head.length, 0);
    const isGzip = head[0] === 0x1f && head[1] === 0x8b;
    return isGzip || head.toString('latin1', 257) === 'ustar' || /\.(tar|tgz|gz)$/i.test(path);
  } finally {
    await file.close();
  }
};

/** Python writes it beside the code that it reads. */
const isCache = (name: string): boolean => name === '__pycache__';

const copyFolder = async (from: string, to: string): Promise<void> => {
  const count = counter();
  const copy = async (path: string): Promise<void> => {
    for (const { name } of await readdir(join(from, path), { withFileTypes: true })) {
      const inside = join(path, name);
      const entry = await lstat(join(from, inside));
      if (isCache(name)) continue;
      if (entry.isDirectory()) {
        await mkdir(join(to, inside));
        await copy(inside);
      } else {
        count(entry.isFile() ? 'File' : 'other', inside, entry.size);
        await cp(join(from, inside), join(to, inside));
      }
    }
  };
  await copy('.');
};

const extractArchive = async (file: string, folder: string): Promise<void> => {
  const count = counter();
  const faults: unknown[] = [];
  // An error that is thrown here would end the process.
  const check = ({ type, path, size }: ReadEntry) => {
    try {
      if (faults.length === 0) count(type, path, size);
    } catch (fault) {
      faults.push(fault);
    }
  };
  const reading = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (cause) {
      throw refused(`the archive cannot be read: ${String(cause)}`, cause);
    }
  };
  // Looked through as a whole before anything is written.
  await reading(list({ file, strict: true, onReadEntry: check }));
  for (const fault of faults) throw fault;
  const filter = (path: string) => !path.split('/').some(isCache);
  await reading(extract({ file, cwd: folder, strict: true, noMtime: true, filter }));
};

/** Refuses the entry that is no plain file inside of the release, or one too many. */
const counter = () => {
  let [bytes, files] = [0, 0];
  return (type: string, path: string, size: number): void => {
    if (/^\/|^[A-Za-z]:|\\|(^|\/)\.\.(\/|$)/.test(path))
      throw refused(`expected paths inside of the release, got ${path}`);
    if (!['File', 'OldFile', 'Directory'].includes(type))
      throw refused(`expected plain files and folders, got a ${type} at ${path}`);
    bytes += size;
    files += 1;
    if (bytes > largestBytes || files > mostFiles)
      throw refused(
        `expected at most ${mostFiles} files with ${largestBytes} bytes, got more, at ${path}`,
      );
  };
};
