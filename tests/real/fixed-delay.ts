import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from './run.ts';
import { type OwnTriton, ownTriton, testModels } from './triton.ts';

/** A Triton whose `photo` takes `delayMs` for each picture, `atOnce` of them at a time, and hardly computes. */
export const fixedDelayTriton = async (delayMs: number, atOnce = 1): Promise<OwnTriton> => {
  const folder = tempDir('fixed-delay');
  const target = join(folder, 'photo');
  cpSync(join(testModels, 'fixed_delay'), target, { recursive: true });
  const config = join(target, 'config.pbtxt');
  const text = readFileSync(config, 'utf8')
    .replace('count: 1', `count: ${atOnce}`)
    .replace('"40"', `"${delayMs}"`);
  writeFileSync(config, text);
  return ownTriton(['photo'], [folder]);
};
