/**
 * Runs all tests, or those of the files and folders that are named. A file that cannot be run counts as failed. The last line
 * is "N passed, N failed, N skipped".
 * usage: node --import tsx tests/run.ts [file or folder …]   (without any the Python tests run too)
 * TEST_COUNT names a file that gets the counts as JSON. See decision 147.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { compiled } from '../src/stack/compiled.mjs';
import { root } from '../src/stack/home.mjs';
import { take } from '../src/stack/lock.mjs';
import { markOf, runsBelow, stopOrphans } from '../src/stack/orphans.ts';
import { models } from '../src/stack/triton.ts';
import { stopAtSignals, testRuns } from './real/run.ts';
import { sum } from './runner/count.ts';
import { type FileResult, runFiles } from './runner/file.ts';
import { inGroups } from './runner/order.ts';
import { openSharedParts } from './runner/parts.ts';
import { compileTests } from './runner/programs.ts';
import { runPython } from './runner/python.ts';
import { testFiles } from './runner/test-files.ts';

/** Three more than the two cores that they are made for: many wait for clocks, leases and deadlines. */
const atOnce = 5;
const processDeadlineMs = 600_000;
const pythonDeadlineMs = 900_000;

let isStopped = false;
const named = process.argv.slice(2);
const run = join(testRuns, `${process.pid}`);
const folder = mkdtempSync(join(tmpdir(), 'enhance-tests-'));
// Each process of Node that is started loads it, where the test passes on its environment.
const optimizeLater = `--require="${join(root, 'tests/runner/optimize-later.cjs')}"`;
const NODE_OPTIONS = [process.env.NODE_OPTIONS, optimizeLater].join(' ').trim();
Object.assign(process.env, markOf(run), { TEST_DIR: folder, NODE_OPTIONS });
// Files side by side keep the cores busy: a second thread of a network would only wait for the first one, and spin meanwhile.
process.env.ENHANCE_THREADS ??= '1';

const main = async (): Promise<readonly FileResult[]> => {
  const lock = await take(run);
  if (!lock) throw new Error(`another run holds ${run}`);
  await clearDeadRuns();
  // Else each of those that run side by side would find them old.
  await compiled('main');
  const files = testFiles(named.length ? named : [join(root, 'tests')]);
  const groups = named.length ? files.map((file) => [file]) : inGroups(files);
  const programs = await compileTests(groups.flat());
  const parts = await openSharedParts(groups.length > 1 ? models : []);
  const told = { TEST_PARTS_URL: parts.url, TEST_PROGRAMS: programs.folder };
  const env = { ...process.env, ...told };
  const tasks = groups.map((files) => () => runFiles(files, programs, env, processDeadlineMs));
  if (!named.length) tasks.unshift(async () => [await runPython(env, folder, pythonDeadlineMs)]);
  try {
    const results = await inTurns(tasks, async (task) => {
      const some = await task();
      some.forEach(tell);
      return some;
    });
    return results.flat();
  } finally {
    await parts.close();
    programs.close();
    await stopOrphans(run);
    await lock.release();
  }
};

const inTurns = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  const left = [...items];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined && !isStopped; item = left.shift())
      results.push(await work(item));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return results;
};

const tell = ({ file, passed, failed, skipped, faults, printed, seconds }: FileResult): void => {
  const name = relative(root, file).startsWith('..') ? file : relative(root, file);
  const counts = `${passed} passed${failed ? `, ${failed} FAILED` : ''}${skipped ? `, ${skipped} skipped` : ''}`;
  console.log(`${failed ? '✘' : '•'} ${name}: ${counts} (${seconds.toFixed(1)} s)`);
  for (const fault of faults) console.log(`    ${fault}`);
  if (failed) console.log(printed.trimEnd().replace(/^/gm, '    | '));
  for (const line of printed.match(/^# skipped .*$/gm) ?? []) console.log(`    ${line}`);
};

/** A uvu test that failed with the first 12 lines of why; pytest's own line tells both. */
const failure = /^ *(?:FAIL .*(?:\n.*){0,12}|(?:FAILED|ERROR) .*)/gm;

/** A file, which of its tests failed and why: told again at the end, which is all that is left where a log is cut. */
const failedIn = ({ file, printed }: FileResult): string =>
  [`  ${file}`, ...(printed.match(failure) ?? [])].join('\n').replace(/^(.{300}).+$/gm, '$1…');

/** What test runs that were killed have left behind. */
const clearDeadRuns = async (): Promise<void> => {
  for (const dead of runsBelow(testRuns)) {
    const lock = dead === run ? undefined : await take(dead);
    if (lock) {
      await stopOrphans(dead);
      await lock.release();
    }
  }
};

stopAtSignals(run, () => {
  isStopped = true; // else each process that is ended makes room for the next one
});

const results = await main().finally(() => rmSync(folder, { recursive: true, force: true }));
const total = sum(results);
if (process.env.TEST_COUNT) writeFileSync(process.env.TEST_COUNT, JSON.stringify(total));
const failing = results.filter(({ failed }) => failed > 0);
if (failing.length) console.log(`\nfailed:\n${failing.map(failedIn).join('\n')}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
