/** The folder of a release: packed and hashed once, and never changed after. See decision 21. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { Failure } from '../errors.ts';
import type { Slot } from '../triton/clients/model.ts';
import { readConfigText, withRelease } from './config-text.ts';
import { licenceOf } from './licence.ts';
import { refused } from './refused.ts';
import { unpack } from './unpack.ts';

/** What an operator adds. */
export type ReleaseSource = {
  /** On this machine: a folder, a .tar, .tar.gz or .tgz of one, or FILE.onnx for an upscaler. */
  readonly path: string;
  readonly slot: string;
  /** As `r2`; default: the first of r2, r3 … that is free. */
  readonly release?: string | undefined;
  /** An SPDX expression. Not needed where the folder holds a file LICENSE. */
  readonly licence?: string | undefined;
  /** Where it comes from, in the operator's words. */
  readonly source?: string | undefined;
};

/** release.json of a release. */
export const Manifest = z.object({
  slot: z.string(),
  release: z.string(),
  licence: z.string(),
  source: z.string().nullable(),
  /** By Triton slot: the Triton model name, and the parameter `release`, under which results are cached. */
  models: z.record(z.string(), z.object({ name: z.string(), version: z.string() })),
  /** All files but release.json, by their paths in MODELS_DIR. */
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
  /** The most that its processes have taken during the check; null before it. */
  memory_bytes: z.number().nullable(),
});
export type Manifest = z.infer<typeof Manifest>;

/** What a new release may not have. */
export type Taken = {
  readonly names: readonly string[];
  readonly versions: readonly string[];
  /** Written as `photo@r2`. */
  readonly releases: readonly string[];
};

type PackParts = {
  /** Where Triton looks for models that were added. */
  readonly modelsDir: string;
  /** Those that a release of this slot can fill. */
  readonly tritonSlots: readonly Slot[];
  readonly taken: Taken;
};

/** What the release brought as its model.py: inference/serving/released.py reads it where Triton notices its death. */
const released = 'released.py';
const entry = `"""Triton's entry for a release that was added; its own model is in ${released}."""

import os
import sys

# Triton's embedded Python does not read PYTHONPATH.
sys.path.append(os.environ["ENHANCE_INFERENCE"])

from serving.released import ReleasedModel


class TritonPythonModel(ReleasedModel):
    pass
`;

const releaseName = /^[a-z0-9][a-z0-9._-]{0,31}$/;
/** Not a part of the manifest: it holds it. */
const manifestFile = 'release.json';

/**
 * Copies a release to where Triton finds it, under Triton model names of its own. It appears whole or not at all.
 * Throws Failure release_refused, with a sentence, for what is no release of this slot, and storage_full.
 */
export const packRelease = async (source: ReleaseSource, parts: PackParts): Promise<Manifest> => {
  const { modelsDir, tritonSlots } = parts;
  await mkdir(modelsDir, { recursive: true });
  const staged = await mkdtemp(join(modelsDir, '.adding-'));
  try {
    const unpacked = join(staged, 'unpacked');
    if (tritonSlots.length !== 1 && /\.onnx$/i.test(source.path))
      throw refused(`expected a folder: one ONNX file can only be an upscaler, not ${source.slot}`);
    await unpack(source.path, unpacked);
    const root = await rootOf(unpacked, tritonSlots);
    const licence = await licenceOf(source.licence, root);
    const folders = await foldersOf(root, tritonSlots);
    // A folder that is there counts too, whoever left it.
    const taken = { ...parts.taken, names: [...parts.taken.names, ...(await readdir(modelsDir))] };
    const release = releaseFor(source, [...folders.keys()], taken);
    const ready = join(staged, 'ready');
    const models = await place({ root, folders, ready, slot: source.slot, release });
    const manifest: Manifest = {
      ...{ slot: source.slot, release, licence, source: source.source ?? null, models },
      ...{ files: await hashAll(ready), memory_bytes: null },
    };
    await settle(ready, folderOf(manifest), manifest);
    await publish(ready, modelsDir, folderOf(manifest));
    return manifest;
  } catch (error) {
    if (hasCode(error, 'ENOSPC')) throw new Failure('storage_full', {}, { cause: error });
    throw error;
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
};

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** How the files of a release differ from what was added, in sentences; empty where they are the same. */
export const verifyFiles = async (modelsDir: string, manifest: Manifest): Promise<string[]> => {
  const known = new Map(manifest.files.map((file) => [file.path, file]));
  const found = new Set<string>();
  for (const folder of allFolders(manifest))
    for (const path of await filesIn(join(modelsDir, folder))) found.add(join(folder, path));
  const missing = [...known.keys()].filter((path) => !found.has(path));
  const more = [...found].filter((path) => !known.has(path) && !path.endsWith(`/${manifestFile}`));
  const present = manifest.files.filter(({ path }) => found.has(path));
  const changed = await Promise.all(
    present.map(async ({ path, sha256 }) =>
      (await sha256Of(join(modelsDir, path))) === sha256 ? [] : [`${path} was changed`],
    ),
  );
  return [
    ...missing.map((path) => `${path} is missing`),
    ...more.map((path) => `${path} was not there when the release was added`),
    ...changed.flat(),
  ];
};

/** Deletes the files of a release. keeper.py ends the processes of a model whose files are gone. */
export const removeRelease = async (modelsDir: string, manifest: Manifest): Promise<void> => {
  for (const folder of allFolders(manifest))
    await rm(join(modelsDir, folder), { recursive: true, force: true });
};

/** The folder of release.json, which is the model's own where the release has one model of the slot's name. */
const folderOf = ({ slot, release }: Pick<Manifest, 'slot' | 'release'>): string =>
  `${slot}__${release}`;

const allFolders = (manifest: Manifest): string[] => [
  ...new Set([...Object.values(manifest.models).map(({ name }) => name), folderOf(manifest)]),
];

/** Archives often hold the folder itself. */
const rootOf = async (unpacked: string, tritonSlots: readonly Slot[]): Promise<string> => {
  const entries = await readdir(unpacked, { withFileTypes: true });
  const [only] = entries;
  const isOnly = entries.length === 1 && only?.isDirectory();
  const isModel = tritonSlots.length > 1 && tritonSlots.some(({ name }) => name === only?.name);
  return isOnly && only && !isModel ? join(unpacked, only.name) : unpacked;
};

/** The folder of each Triton model that the release brings, by its Triton slot. */
const foldersOf = async (
  root: string,
  tritonSlots: readonly Slot[],
): Promise<Map<string, string>> => {
  const entries = await readdir(root, { withFileTypes: true });
  const names = tritonSlots.map(({ name }) => name);
  const has = (name: string) => entries.some((entry) => entry.name === name);
  const [only = ''] = names;
  if (names.length === 1 && !has(only)) return new Map([[only, await checkModel(root, only)]]);
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

/** The release as it was asked for, or the first free one. */
const releaseFor = (
  { slot, release }: ReleaseSource,
  tritonSlots: readonly string[],
  taken: Taken,
): string => {
  const clash = (name: string): string | undefined =>
    taken.releases.includes(`${slot}@${name}`)
      ? `${slot}@${name}`
      : tritonSlots
          .flatMap((one) => [nameOf(one, name), versionOf(one, { slot, release: name })])
          .concat(folderOf({ slot, release: name }))
          .find((one) => taken.names.includes(one) || taken.versions.includes(one));
  if (release === undefined) {
    let number = 2;
    while (clash(`r${number}`)) number += 1;
    return `r${number}`;
  }
  if (!releaseName.test(release))
    throw refused(
      `expected a release such as r2 (small letters, digits, "." and "-"), got "${release}"`,
    );
  const taker = clash(release);
  if (taker) throw refused(`the release ${release} is taken: there is ${taker} already`);
  return release;
};

const nameOf = (tritonSlot: string, release: string): string => `${tritonSlot}__${release}`;
/** The models of lip sync that ship have versions such as mouth_plan-r2, and several slots share them. */
const versionOf = (tritonSlot: string, { slot, release }: Pick<Manifest, 'slot' | 'release'>) =>
  tritonSlot === slot ? `${slot}-${release}` : `${tritonSlot}-${slot}-${release}`;

type Placing = {
  readonly root: string;
  readonly folders: ReadonlyMap<string, string>;
  readonly ready: string;
  readonly slot: string;
  readonly release: string;
};

/** Moves each model to a folder of its Triton model name, its release set; what lies beside goes with release.json. */
const place = async ({ root, folders, ready, slot, release }: Placing) => {
  const models: Manifest['models'] = {};
  await mkdir(ready);
  for (const [tritonSlot, folder] of folders) {
    const [name, version] = [nameOf(tritonSlot, release), versionOf(tritonSlot, { slot, release })];
    const config = join(folder, 'config.pbtxt');
    await writeFile(config, ownConfig(await readFile(config, 'utf8'), name, version));
    await rename(join(folder, '1/model.py'), join(folder, '1', released));
    await writeFile(join(folder, '1/model.py'), entry);
    await rename(folder, join(ready, name));
    models[tritonSlot] = { name, version };
  }
  const own = join(ready, folderOf({ slot, release }));
  if (![...folders.values()].includes(root)) await rename(root, own);
  return models;
};

/** Throws Failure release_refused for a name that is not the one that Triton will look for. */
const ownConfig = (text: string, name: string, version: string): string => {
  const found = readConfigText(text).name;
  if (found !== null && found !== name)
    throw refused(
      `expected no name in config.pbtxt, or "${name}", got "${found}": delete the line`,
    );
  return withRelease(text, version);
};

/** Paths in `folder`, without what Python has compiled. */
const filesIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory() && !/(^|\/)__pycache__$/.test(entry.parentPath))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
};

const hashAll = async (folder: string): Promise<Manifest['files']> => {
  const files: Manifest['files'] = [];
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

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

/** Writes release.json, and lets everyone read and nobody write. */
const settle = async (ready: string, own: string, manifest: Manifest): Promise<void> => {
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
const publish = async (ready: string, modelsDir: string, own: string): Promise<void> => {
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
