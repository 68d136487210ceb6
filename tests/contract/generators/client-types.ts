import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../../src/stack/home.mjs';
import { tempDir } from '../../real/run.ts';

/** What client/contract.ts has to be for a document: its schemas as types, under their own names. */
export const clientTypes = async (document: string): Promise<string> => {
  const folder = tempDir('client-types');
  const { openapi, info, components } = JSON.parse(document);
  const schemas = { openapi, info, components: { schemas: components.schemas } };
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(schemas));
  await execa(process.execPath, [
    ...['--import', join(root, 'tests/contract/generators/typescript-5.mjs')],
    join(root, 'node_modules/openapi-typescript/bin/cli.js'),
    ...[join(folder, 'openapi.json'), '--output', join(folder, 'contract.ts')],
    ...['--immutable', '--root-types', '--root-types-no-schema-prefix'],
  ]);
  return readFileSync(join(folder, 'contract.ts'), 'utf8');
};
