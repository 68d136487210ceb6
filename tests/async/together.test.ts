import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { take } from '../../src/async/take.ts';
import { together } from '../../src/async/together.ts';
import { createMeshFile } from '../../src/operations/lip-sync/faces/mesh-file.ts';
import { untilAborted } from '../real/aborted.ts';

const test = suite('together');
const never = new AbortController().signal;

test('both results come', async () => {
  assert.equal(
    await together(
      never,
      async () => 1,
      async () => 'two',
    ),
    [1, 'two'],
  );
});

test('when one fails the other is stopped, and the failure is what is thrown', async () => {
  const broken = new Error('broken');
  let stopped = false;
  const other = (signal: AbortSignal) =>
    untilAborted(signal).catch((error: unknown) => {
      stopped = true;
      throw error;
    });
  const failed = together(never, other, async () => Promise.reject(broken));
  assert.is(await failed.catch((error: unknown) => error), broken);
  assert.ok(stopped);
});

test('an abort stops both with its own reason', async () => {
  const stop = new AbortController();
  const both = together(stop.signal, untilAborted, untilAborted);
  const reason = new Error('enough');
  stop.abort(reason);
  assert.is(await both.catch((error: unknown) => error), reason);
});

test('meshes are read as they were written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'meshes-'));
  const meshes = await createMeshFile(join(folder, 'a'));
  const meshOf = (from: number) => Float32Array.from({ length: 478 * 3 }, (_, i) => from + i);
  const [first, second] = [await meshes.add(meshOf(1)), await meshes.add(meshOf(5000))];
  assert.equal(await meshes.read(second), meshOf(5000));
  assert.equal(await meshes.read(first), meshOf(1));
  await meshes.close();
});

test('so many items are taken, and the source is told', async () => {
  let told = false;
  const source = async function* () {
    try {
      for (let i = 0; ; i += 1) yield i;
    } finally {
      told = true;
    }
  };
  const taken: number[] = [];
  for await (const item of take(source(), 3)) taken.push(item);
  assert.equal(taken, [0, 1, 2]);
  assert.ok(told);
});

test.run();
