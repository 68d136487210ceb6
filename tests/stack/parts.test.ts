import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { redisPart, tritonPart } from '../../src/stack/parts.ts';
import { defaultPorts } from '../../src/stack/ports.ts';
import { tempDir } from '../real/run.ts';

const test = suite('the parts of the stack');
const stack = {
  ports: defaultPorts,
  env: { MODELS_DIR: '/proc/nope/models' },
  dataDir: '/proc/nope/data',
  logsDir: tempDir('logs'),
  modelsDir: '',
};

for (const part of [redisPart(stack), tritonPart(stack)]) {
  test(`${part.name} with a folder that cannot be made ends its start with that error`, async () => {
    const error = await part.start(new AbortController().signal).then(
      () => null,
      (cause: unknown) => String(cause),
    );
    assert.match(error ?? '', "ENOENT: no such file or directory, mkdir '/proc/nope'");
  });
}

test.run();
