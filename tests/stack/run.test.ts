import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { statOf } from '../../src/process/proc.ts';
import { nodeOptions } from '../../src/stack/compiled.mjs';
import { tempDir } from '../real/run.ts';
import { runFiles } from '../runner/file.ts';
import { compileTests } from '../runner/programs.ts';
import { testFiles } from '../runner/test-files.ts';

const fixture = (name: string) =>
  join(fileURLToPath(new URL('fixtures', import.meta.url)), `${name}.ts`);
const fixtures = readdirSync(fileURLToPath(new URL('fixtures', import.meta.url)));
const programs = await compileTests(fixtures.map((name) => fixture(parse(name).name)));
const runTogether = (names: readonly string[], deadlineMs = 60_000) =>
  runFiles(names.map(fixture), programs, process.env, deadlineMs, 4_000);
const run = async (name: string, deadlineMs?: number) => {
  const [result] = await runTogether([name], deadlineMs);
  assert.ok(result);
  return result;
};

const test = suite('tests/run.ts');

test('tests that pass are counted', async () => {
  const { passed, failed, skipped, faults } = await run('passing');
  assert.equal(
    { passed, failed, skipped, faults },
    { passed: 2, failed: 0, skipped: 0, faults: [] },
  );
});

test('a failing test is counted and shown', async () => {
  const { passed, failed, printed } = await run('failing');
  assert.equal({ passed, failed }, { passed: 1, failed: 1 });
  assert.match(printed, '"wrong"');
});

test('a skip with an excuse is counted', async () => {
  const { passed, failed, skipped } = await run('excused');
  assert.equal({ passed, failed, skipped }, { passed: 1, failed: 0, skipped: 1 });
});

/** Each of these passes, or seems to, under bare uvu or under a runner that only reads exit codes. */
const traps: readonly (readonly [name: string, fault: RegExp])[] = [
  ['before-throws', /a hook threw/],
  ['after-each-throws', /a hook threw/],
  ['run-forgotten', /without \.run\(\)/],
  ['one-run-forgotten', /without \.run\(\)/],
  ['empty', /holds no test/],
  ['only', /skipped without an excuse/],
  ['exits-early', /ended too early/],
  ['unhandled', /exit code 1|ended too early/],
  ['left-open', /something left open/],
];

for (const [name, fault] of traps) {
  test(`${name} fails the run`, async () => {
    const result = await run(name);
    assert.ok(result.failed > 0, JSON.stringify(result));
    assert.match(result.faults.join('\n'), fault);
  });
}

test('a file that never ends fails at its deadline', async () => {
  const { failed, faults } = await run('hanging', 3_000);
  assert.is(failed, 1);
  assert.match(faults.join('\n'), 'deadline');
});

test('what a bench has started ends with it', async () => {
  const words = [...nodeOptions, programs.of(fixture('by-hand'))];
  const bench = spawn(process.execPath, words, { env: { ...process.env, ENHANCE_RUN: '' } });
  const ended = once(bench, 'exit');
  const [pid] = await once(bench.stdout, 'data');
  bench.kill('SIGTERM');
  assert.equal(await ended, [130, null]);
  assert.ok(['Z', undefined].includes(statOf(Number(pid))?.state));
});

test('files that share a process are judged one by one; those after its end have failed', async () => {
  const counts = async (...names: string[]) =>
    (await runTogether(names)).map(({ passed, failed }) => [passed, failed]);
  assert.equal(await counts('passing', 'failing', 'excused'), [
    [2, 0],
    [1, 1],
    [1, 0],
  ]);
  assert.equal(await counts('passing', 'exits-early', 'excused'), [
    [2, 0],
    [0, 1],
    [0, 1],
  ]);
  assert.equal(await counts('failing', 'left-open'), [
    [1, 1],
    [1, 1],
  ]);
});

test('a folder stands for the test files in it, each of which runs once', () => {
  const folder = tempDir();
  const file = (name: string) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    return path;
  };
  const [first, second] = [file('a.test.ts'), file('deeper/b.test.ts')];
  file('no-test.ts');
  file('deeper/fixtures/c.test.ts');
  assert.equal(testFiles([folder]), [first, second]);
  assert.equal(testFiles([second, folder, first]), [second, first]);
});

test('a folder without tests, and a name without a file, fail the run', () => {
  assert.throws(() => testFiles([tempDir()]), /has no test files/);
  assert.throws(() => testFiles([join(tempDir(), 'gone.test.ts')]), /ENOENT/);
});

test.after(() => programs.close());

test.run();
