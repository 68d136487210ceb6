import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../src/stack/home.mjs';
import { models, modelsIn } from '../../src/stack/triton.ts';
import { tempDir } from '../real/run.ts';

const test = suite('models at the start');

test('every folder of the repository is a model of the service', () => {
  assert.equal(readdirSync(join(root, 'models')).sort(), [...models].sort());
});

test('releases beside the models are loaded too, other folders are not', () => {
  const folder = tempDir('models');
  for (const name of ['photo', 'photo__r2', 'face_track__r3', 'photo_old', 'notes'])
    mkdirSync(join(folder, name));
  assert.equal(modelsIn(folder).slice(models.length).sort(), ['face_track__r3', 'photo__r2']);
});

test.run();
