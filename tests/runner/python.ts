/** The Python tests, counted from pytest's own report. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { places, root } from '../../src/stack/home.mjs';
import type { FileResult } from './file.ts';

const run = promisify(execFile);

export const runPython = async (
  env: NodeJS.ProcessEnv,
  folder: string,
  deadlineMs: number,
): Promise<FileResult> => {
  const from = Date.now();
  const report = join(folder, 'pytest.xml');
  const options = {
    cwd: join(root, 'inference'),
    timeout: deadlineMs,
    maxBuffer: 64e6,
    // As Triton's models run: numpy's systems of equations and OpenCV's pictures are small, and more threads would only spin.
    env: { ...env, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1', OPENCV_FOR_THREADS_NUM: '1' },
  };
  const words = ['-m', 'pytest', '--color=no', `--junitxml=${report}`];
  let printed = '';
  let ending = 'exit code 0';
  try {
    const { stdout, stderr } = await run(places.python, words, options);
    printed = stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '', code = '' } = Object(error);
    printed = `${stdout}${stderr}`;
    ending = `exit code ${code}`;
  }
  const count = existsSync(report) ? counted(readFileSync(report, 'utf8')) : undefined;
  const faults: string[] = [];
  if (!count) faults.push(`pytest left no report; it ended with ${ending}`);
  if (count && count.failed === 0 && ending !== 'exit code 0')
    faults.push(`pytest ended with ${ending}`);
  if (count && count.passed + count.failed === 0) faults.push('pytest found no test');
  const { passed, failed, skipped } = count ?? { passed: 0, failed: 0, skipped: 0 };
  return {
    file: 'inference (pytest)',
    passed,
    failed: failed + (failed === 0 && faults.length ? 1 : 0),
    skipped,
    faults,
    printed,
    seconds: (Date.now() - from) / 1000,
  };
};

const counted = (report: string) => {
  const number = (name: string) =>
    Number(new RegExp(`<testsuite [^>]*\\b${name}="(\\d+)"`).exec(report)?.[1] ?? Number.NaN);
  const failed = number('failures') + number('errors');
  const skipped = number('skipped');
  const passed = number('tests') - failed - skipped;
  if (Number.isNaN(passed))
    throw new Error(`pytest's report holds no counts: ${report.slice(0, 300)}`);
  return { passed, failed, skipped };
};
