/** The Node packages of package-lock.json. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../home.mjs';
import { run, step } from './progress.mjs';

/** @typedef {{ version?: string, integrity?: string, optional?: boolean }} Entry */

/** Installs node_modules with `npm ci` when they differ from package-lock.json. */
export const setUpNode = async () => {
  if (isInstalled()) return;
  await step('Node packages', () =>
    run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, log: 'setup-node.log' }),
  );
};

/** Whether node_modules is what package-lock.json says. npm writes its hidden lock file last, so an interrupted install has none. */
const isInstalled = () => {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const wanted = packages(join(root, 'package-lock.json'));
  const found = packages(hidden);
  return Object.entries(wanted).every(([path, entry]) => {
    const there = found[path];
    if (path === '') return true;
    if (!there) return entry.optional === true; // built for another system
    return there.version === entry.version && there.integrity === entry.integrity;
  });
};

/** @param {string} file @returns {Record<string, Entry>} */
const packages = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
