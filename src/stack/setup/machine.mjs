/** What this machine must have before anything is installed. Each lack is named, all at once. */
import { execFileSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { Lack } from './lack.mjs';

const compose = 'Elsewhere the whole stack runs in containers: docker compose up';
const neededBytes = 3e9;

/** @typedef {{ path: string, version: string, minor: string, library: string }} Python */

/** @param {string} text @param {readonly number[]} least */
export const atLeast = (text, least) => {
  const found = text.split('.').map(Number);
  for (const [i, part] of least.entries()) {
    const came = found[i] ?? 0;
    if (came !== part) return came > part;
  }
  return true;
};

/** Throws when Node, the processor or the C library are not what the packaged parts were built for. */
export const checkPlatform = () => {
  const lacks = [];
  if (!atLeast(process.versions.node, [20, 19]))
    lacks.push(`Node 20.19 or newer is needed; this is ${process.versions.node}.`);
  if (process.platform !== 'linux' || process.arch !== 'x64')
    lacks.push(`Linux on x86-64 is needed; this is ${process.platform} on ${process.arch}.`);
  const glibc = glibcVersion();
  if (process.platform === 'linux' && !(glibc && atLeast(glibc, [2, 35])))
    lacks.push(`glibc 2.35 or newer is needed; this has ${glibc ?? 'another C library'}.`);
  if (lacks.length) throw new Lack([...lacks, compose].join('\n'));
};

const glibcVersion = () => {
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (
    process.report.getReport()
  );
  return report.header?.glibcVersionRuntime;
};

/** @param {string} folder */
export const checkDisk = (folder) => {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < neededBytes)
    throw new Lack(
      `${folder} has ${Math.round((bavail * bsize) / 1e6)} MB free; set-up needs ${neededBytes / 1e6} MB.`,
    );
};

const question = `
import importlib.util as find, json, os, platform, sys, sysconfig as s
name = s.get_config_var('INSTSONAME') or ''
print(json.dumps({'path': sys.executable, 'version': platform.python_version(), 'minor': '%d.%d' % sys.version_info[:2],
  'names': [name, 'libpython%d.%d.so.1.0' % sys.version_info[:2]],
  'folders': [s.get_config_var('LIBDIR') or '', os.path.join(s.get_config_var('LIBDIR') or '', s.get_config_var('MULTIARCH') or '')],
  'venv': bool(find.find_spec('venv') and find.find_spec('ensurepip'))}))`;

/** The first Python that Triton's stub can embed: PYTHON when set, else what PATH has. @returns {Python} */
export const findPython = () => {
  const names = process.env.PYTHON
    ? [process.env.PYTHON]
    : ['python3', 'python3.11', 'python3.12', 'python3.10'];
  const refused = [];
  for (const name of names) {
    const found = ask(name);
    if (!found) continue;
    const why = fault(found);
    if (!why) return { ...found, library: found.library ?? '' };
    refused.push(`  ${name} (${found.path}, ${found.version}): ${why}`);
  }
  throw new Lack(
    [
      'Python 3.10 to 3.12 with its shared library and the venv module is needed.',
      ...(refused.length ? refused : [`  none of ${names.join(', ')} is on PATH`]),
      'On Debian or Ubuntu: apt-get install python3 python3-venv libpython3-dev. Another Python: set PYTHON to its path.',
      compose,
    ].join('\n'),
  );
};

/** @param {string} name */
const ask = (name) => {
  let answer;
  try {
    answer = execFileSync(name, ['-c', question], { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return undefined; // not on PATH, or no Python 3: the next candidate may be one
  }
  const { names, folders, ...rest } = JSON.parse(answer);
  const library = folders
    .flatMap((/** @type {string} */ folder) =>
      names.map((/** @type {string} */ n) => join(folder, n)),
    )
    .find((/** @type {string} */ path) => /\.so\./.test(path) && existsSync(path));
  return { ...rest, library };
};

/**
 * 3.12 is the last with numpy 1, and numpy 2 is read wrongly by this Triton's stub.
 * @param {{ version: string, library?: string, venv: boolean }} python
 */
const fault = (python) => {
  if (!atLeast(python.version, [3, 10]) || atLeast(python.version, [3, 13]))
    return 'not 3.10 to 3.12';
  if (!python.library) return 'its shared library (libpython3.X.so.1.0) is missing';
  if (!python.venv) return 'the modules venv and ensurepip are missing';
  return undefined;
};
