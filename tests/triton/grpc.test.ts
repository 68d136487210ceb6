import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openTransport } from '../../src/triton/open-transport.ts';
import { tempDir } from '../real/run.ts';
import { openEcho, promises } from './promises.ts';

const test = suite('grpc');
const echo = await openEcho('grpc');

promises(test, echo);

test('descriptors that are missing or of something else are named when it opens', async () => {
  const other = join(tempDir('grpc'), 'other.descriptors');
  writeFileSync(other, '');
  for (const path of ['no/such/file', other]) {
    const opened = openTransport(echo.config({ TRITON_GRPC_DESCRIPTORS: path }));
    const error = await opened.catch((error: unknown) => error);
    assert.match(String(error), `TRITON_TRANSPORT=grpc needs Triton's descriptors at "${path}"`);
  }
});

test.after(() => echo.triton.close());

test.run();
