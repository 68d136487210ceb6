/** What this machine must have before anything is installed. Everything that is missing is reported at once. */
import { execFileSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './setup-error.mjs';

const compose = 'On other machines the whole stack runs in containers: docker compose up';
const neededBytes = 3e9;

/** @typedef {{ path: string, version: string, minor: string, library: string }} Python */

/** Compares dotted version numbers. @param {string} text @param {readonly number[]} least */
export const atLeast = (text, least) => {
  const found = text.split('.').map(Number);
  for (const [i, part] of least.entries()) {
    const actual = found[i] ?? 0;
    if (actual !== part) return actual > part;
  }
  return true;
};

/** Throws SetupError unless Node, the processor and the C library are what the packaged binaries were built for. */
export const checkPlatform = () => {
  const missing = [];
  if (!atLeast(process.versions.node, [20, 19]))
    missing.push(`Expected Node 20.19 or newer; got ${process.versions.node}.`);
  if (process.platform !== 'linux' || process.arch !== 'x64')
    missing.push(`Expected Linux on x86-64; got ${process.platform} on ${process.arch}.`);
  const glibc = glibcVersion();
  if (process.platform === 'linux' && !(glibc && atLeast(glibc, [2, 35])))
    missing.push(`Expected glibc 2.35 or newer; got ${glibc ?? 'another C library'}.`);
  if (missing.length) throw new SetupError([...missing, compose].join('\n'));
};

const glibcVersion = () => {
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (
    process.report.getReport()
  );
  return report.header?.glibcVersionRuntime;
};

/** Throws SetupError when the disk that holds `folder` has less than 3 GB free. @param {string} folder */
export const checkDisk = (folder) => {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < neededBytes)
    throw new SetupError(
      `Expected ${neededBytes / 1e6} MB of free disk space in ${folder}; got ${Math.round((bavail * bsize) / 1e6)} MB.`,
    );
};

const question = `
import importlib.util as find, json, os, platform, sys, sysconfig as s
name = s.get_config_var('INSTSONAME') or ''
print(json.dumps({'path': sys.executable, 'version': platform.python_version(), 'minor': '%d.%d' % sys.version_info[:2],
  'names': [name, 'libpython%d.%d.so.1.0' % sys.version_info[:2]],
  'folders': [s.get_config_var('LIBDIR') or '', os.path.join(s.get_config_var('LIBDIR') or '', s.get_config_var('MULTIARCH') or '')],
  'venv': bool(find.find_spec('venv') and find.find_spec('ensurepip'))}))`;

/** The Python named by PYTHON, else the first on PATH that Triton's Python backend can use. @returns {Python} */
export const findPython = () => {
  const names = process.env.PYTHON
    ? [process.env.PYTHON]
    : ['python3', 'python3.11', 'python3.12', 'python3.10'];
  const refused = [];
  for (const name of names) {
    const found = ask(name);
    if (!found) continue;
    const why = faultOf(found);
    if (!why) return { ...found, library: found.library ?? '' };
    refused.push(`  ${name} (${found.path}, ${found.version}): ${why}`);
  }
  throw new SetupError(
    [
      'Expected Python 3.10 to 3.12 with its shared library and the venv module; found:',
      ...(refused.length ? refused : [`  none of ${names.join(', ')} on PATH`]),
      'On Debian or Ubuntu: apt-get install python3 python3-venv libpython3-dev. To use another Python, set PYTHON to its path.',
      compose,
    ].join('\n'),
  );
};

/** What a Python says about itself; undefined when it cannot be run. @param {string} name */
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
 * Why a Python cannot be used. 3.12 is the last with numpy 1; this Triton's Python backend misreads numpy 2's arrays.
 * @param {{ version: string, library?: string, venv: boolean }} python
 */
const faultOf = (python) => {
  if (!atLeast(python.version, [3, 10]) || atLeast(python.version, [3, 13]))
    return 'not 3.10 to 3.12';
  if (!python.library) return 'its shared library (libpython3.X.so.1.0) is missing';
  if (!python.venv) return 'the modules venv and ensurepip are missing';
  return undefined;
};
