/** The folder of a release: packed and hashed once, and never changed after. See decision 21. */
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../errors.ts';
import { makeFolder } from '../../make-folder.ts';
import type { Slot } from '../../triton/clients/model.ts';
import { refused } from '../refused.ts';
import { folderOf, nameOf, releaseFor, type Taken, versionOf } from '../release-names.ts';
import { foldersOf, released, rootOf, unwanted } from './brought.ts';
import { readConfigText, withRelease } from './config-text.ts';
import { licenceOf } from './licence.ts';
import {
  aside,
  clearAside,
  filesIn,
  hasCode,
  hashAll,
  manifestFile,
  publish,
  settle,
  sha256Of,
} from './release-files.ts';
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

type PackParts = {
  /** Where Triton looks for models that were added. */
  readonly modelsDir: string;
  /** Those that a release of this slot can fill. */
  readonly tritonSlots: readonly Slot[];
  readonly taken: Taken;
};

/** Triton's own model.py; the release's is beside it. */
const entry = `"""Triton's entry for a release that was added; its own model is in ${released}."""

import os
import sys

# Triton's embedded Python does not read PYTHONPATH.
sys.path.append(os.environ["ENHANCE_INFERENCE"])

from serving.released import ReleasedModel


class TritonPythonModel(ReleasedModel):
    pass
`;

/**
 * Copies a release to where Triton finds it, under Triton model names of its own. It appears whole or not at all.
 * Throws Failure release_refused, with a sentence, for what is no release of this slot, and storage_full.
 */
export const packRelease = async (source: ReleaseSource, parts: PackParts): Promise<Manifest> => {
  const { modelsDir, tritonSlots } = parts;
  await makeFolder(modelsDir);
  await clearAside(modelsDir);
  const staged = await mkdtemp(join(modelsDir, aside));
  try {
    const unpacked = join(staged, 'unpacked');
    await unpack(source.path, unpacked, tritonSlots.length === 1);
    const root = await rootOf(unpacked, tritonSlots);
    const licence = await licenceOf(source.licence, root);
    const folders = await foldersOf(root, tritonSlots);
    // A folder that is there counts too, whatever left it.
    const taken = { ...parts.taken, names: [...parts.taken.names, ...(await readdir(modelsDir))] };
    const release = releaseFor(source, [...folders.keys()], taken);
    const ready = join(staged, 'ready');
    const models = await place({ root, folders, ready, slot: source.slot, release });
    const manifest: Manifest = {
      slot: source.slot,
      release,
      licence,
      source: source.source ?? null,
      models,
      files: await hashAll(ready),
      memory_bytes: null,
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

/** What Triton still loads of it ends. */
export const disown = async (modelsDir: string, { models }: Manifest): Promise<void> => {
  for (const { name } of Object.values(models))
    await writeFile(join(modelsDir, name, unwanted), '');
};

/** Deletes the files of a release. */
export const removeRelease = async (modelsDir: string, manifest: Manifest): Promise<void> => {
  for (const folder of allFolders(manifest))
    await rm(join(modelsDir, folder), { recursive: true, force: true });
};

const allFolders = (manifest: Manifest): string[] => [
  ...new Set([...Object.values(manifest.models).map(({ name }) => name), folderOf(manifest)]),
];

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
