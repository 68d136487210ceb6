/** Runs one test file in its own process, with a deadline. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalGroup } from '../../src/stack/child.ts';
import { root } from '../../src/stack/home.mjs';
import { judge, type Verdict } from './count.ts';

export type FileResult = Verdict & {
  readonly file: string;
  readonly seconds: number;
  readonly printed: string;
};

/** How long a file may go on after its last test: what keeps it alive was left open. */
const defaultLeftOpenMs = 10_000;

export const runFile = async (
  file: string,
  env: NodeJS.ProcessEnv,
  deadlineMs: number,
  leftOpenMs = defaultLeftOpenMs,
): Promise<FileResult> => {
  const from = Date.now();
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: root,
    env: { ...env, NO_COLOR: '1' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const told = new Promise<void>((resolve) => {
    const hear = (text: string) => {
      printed += text;
      if (/^ {2}Duration: /m.test(printed)) resolve();
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const timer = new AbortController();
  const { signal } = timer;
  const late = sleep(deadlineMs, `its deadline of ${deadlineMs / 1000} s`, { signal });
  const open = told.then(() =>
    sleep(leftOpenMs, 'something left open: it did not end after its last test', { signal }),
  );
  const ending = await Promise.race([ended, late, open]);
  timer.abort();
  if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
  const verdict = judge(readFileSync(file, 'utf8'), printed, ending);
  return { ...verdict, file, printed, seconds: (Date.now() - from) / 1000 };
};
