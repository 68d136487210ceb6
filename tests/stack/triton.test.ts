import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Child } from '../../src/stack/child.ts';
import { root } from '../../src/stack/home.mjs';
import { models, mostStarts, startLoaded } from '../../src/stack/triton.ts';

const test = suite('models at the start');

test('every folder of the repository is a model of the service', () => {
  assert.equal(readdirSync(join(root, 'models')).sort(), [...models].sort());
});

/** Starts servers of which the first `crashes` end while they load. Answers how it went and how often each step was taken. */
const started = async (crashes: number, refuses = false) => {
  const steps: string[] = [];
  const start = async (): Promise<Child> => ({
    name: 'Triton',
    pid: 1,
    exited: refuses ? new Promise(() => undefined) : Promise.resolve('SIGABRT'),
    tail: () => 'lock_exception',
    stop: async () => void steps.push('stopped'),
  });
  const load = async (before: number) => {
    steps.push(`load ${before}`);
    if (before < crashes) throw new Error('socket hang up');
  };
  const end = await startLoaded(start, load, new AbortController().signal, 20).then(
    () => 'ready',
    ({ message }: Error) => message,
  );
  return [end, ...steps];
};

test('a server that crashes while it loads its models is started again, a few times', async () => {
  assert.equal(await started(2), ['ready', 'load 0', 'stopped', 'load 1', 'stopped', 'load 2']);
  const [end, ...steps] = await started(Number.POSITIVE_INFINITY);
  assert.is(end, 'Error: socket hang up\nlock_exception');
  assert.is(steps.filter((step) => step === 'stopped').length, mostStarts);
});

test('a server that lives and refuses a model is not started again', async () => {
  const [end, ...steps] = await started(1, true);
  assert.is(end, 'Error: socket hang up\nlock_exception');
  assert.equal(steps, ['load 0', 'stopped']);
});

test.run();
