/**
 * Writes client/contract.ts from the document as it is served.
 * usage: node --import tsx tests/contract/generators/write-client-types.ts
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../src/stack/home.mjs';
import { realApi } from '../../http/api.ts';
import { clientTypes } from './client-types.ts';

const api = await realApi();
const { data } = await api.client().get('/openapi.json', { responseType: 'text' });
await api.close();
writeFileSync(join(root, 'client/contract.ts'), await clientTypes(String(data)));
process.exit(0);
