/** The Triton models in what an operator added, and whether each has what every model needs. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Slot } from '../../triton/clients/model.ts';
import { refused } from '../refused.ts';
import { readConfigText } from './config-text.ts';

/** The model.py that came with the release: inference/serving/released.py loads it where Triton notices when its process dies. */
export const released = 'released.py';

/** In a model's folder: it was given up. The keeper (inference/keeper/keeper.py), where it is UNWANTED, kills processes that still load it. */
export const unwanted = '.unwanted';

/** Archives often hold the folder itself. */
export const rootOf = async (unpacked: string, tritonSlots: readonly Slot[]): Promise<string> => {
  const entries = await readdir(unpacked, { withFileTypes: true });
  const [only] = entries;
  const isOnly = entries.length === 1 && only?.isDirectory();
  const isModel = tritonSlots.length > 1 && tritonSlots.some(({ name }) => name === only?.name);
  return isOnly && only && !isModel ? join(unpacked, only.name) : unpacked;
};

/** The folder of each Triton model that the release brings, by its Triton slot. */
export const foldersOf = async (
  root: string,
  tritonSlots: readonly Slot[],
): Promise<Map<string, string>> => {
  const entries = await readdir(root, { withFileTypes: true });
  const names = tritonSlots.map(({ name }) => name);
  const has = (name: string) => entries.some((entry) => entry.name === name);
  const [only = ''] = names;
  if (names.length === 1) return new Map([[only, await checkModel(root, only)]]);
  const strange = entries.find((entry) => entry.isDirectory() && !names.includes(entry.name));
  if (strange)
    throw refused(`expected folders named ${names.join(', ')}, got one named ${strange.name}`);
  const brought = names.filter(has);
  if (brought.length === 0)
    throw refused(`expected a folder for one of ${names.join(', ')}, got none`);
  const checked = brought.map(
    async (name) => [name, await checkModel(join(root, name), name)] as const,
  );
  return new Map(await Promise.all(checked));
};

/** The folder, when it holds what every Triton model needs. */
const checkModel = async (folder: string, name: string): Promise<string> => {
  const entries = await readdir(folder);
  if (!entries.includes('config.pbtxt')) throw refused(`the folder of ${name} has no config.pbtxt`);
  const versions = entries.filter((entry) => /^\d+$/.test(entry));
  if (versions.length !== 1 || versions[0] !== '1')
    throw refused(
      `the folder of ${name} needs one folder "1" with the model's files; it has ${versions.join(', ') || 'none'}`,
    );
  if (entries.includes(unwanted)) throw refused(`expected no file ${unwanted} in ${name}`);
  const { backend } = readConfigText(await readFile(join(folder, 'config.pbtxt'), 'utf8'));
  if (backend !== 'python')
    throw refused(
      `expected the backend "python" for ${name}, the only one there is, got ${backend}`,
    );
  const files = await readdir(join(folder, '1'));
  if (!files.includes('model.py')) throw refused(`the folder of ${name} has no 1/model.py`);
  if (files.includes(released)) throw refused(`expected no file 1/${released} in ${name}`);
  return folder;
};
