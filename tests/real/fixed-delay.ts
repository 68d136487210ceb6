import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../src/stack/home.mjs';
import { tempDir } from './run.ts';
import { type OwnTriton, ownTriton, testModels } from './triton.ts';

/** A repository whose `photo` takes `delayMs` for each picture, `atOnce` of them at a time, and hardly computes. */
export const fixedDelayModels = (delayMs: number, atOnce = 1): string => {
  const folder = tempDir('fixed-delay');
  const target = join(folder, 'photo');
  cpSync(join(testModels, 'fixed_delay'), target, { recursive: true });
  const config = join(target, 'config.pbtxt');
  const text = readFileSync(config, 'utf8')
    .replace('count: 1', `count: ${atOnce}`)
    .replace('"40"', `"${delayMs}"`);
  writeFileSync(config, text);
  return folder;
};

/** A Triton with this `photo`, and with `others` of the models that ship. */
export const fixedDelayTriton = (
  delayMs: number,
  atOnce = 1,
  others: readonly string[] = [],
): Promise<OwnTriton> => {
  const folder = fixedDelayModels(delayMs, atOnce);
  for (const model of others) symlinkSync(join(root, 'models', model), join(folder, model));
  return ownTriton(['photo', ...others], [folder]);
};
