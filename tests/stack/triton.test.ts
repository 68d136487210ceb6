import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../src/stack/home.mjs';
import { models } from '../../src/stack/triton.ts';

const test = suite('models at the start');

test('every folder of the repository is a model of the service', () => {
  assert.equal(readdirSync(join(root, 'models')).sort(), [...models].sort());
});

test.run();
