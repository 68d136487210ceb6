/** Runs test files in a process of their own, with a deadline. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalGroup } from '../../src/stack/child.ts';
import { nodeOptions } from '../../src/stack/compiled.mjs';
import { root } from '../../src/stack/home.mjs';
import { judge, type Verdict } from './count.ts';
import type { Programs } from './programs.ts';
import { allEnded, readTold } from './told.ts';

export type FileResult = Verdict & {
  readonly file: string;
  readonly seconds: number;
  readonly printed: string;
};

/** How long the process may go on after its last test: what keeps it alive was left open. */
const defaultLeftOpenMs = 10_000;

/** One after the other, all in one process. */
export const runFiles = async (
  files: readonly string[],
  programs: Programs,
  env: NodeJS.ProcessEnv,
  deadlineMs: number,
  leftOpenMs = defaultLeftOpenMs,
): Promise<FileResult[]> => {
  const words = [...nodeOptions, programs.inTurn, ...files.map(programs.of)];
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...env, NO_COLOR: '1' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const told = new Promise<void>((resolve) => {
    const hear = (text: string) => {
      printed += text;
      if (printed.includes(allEnded)) resolve();
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
  return resultsOf(files, printed, ending);
};

/** The process's end is that of the file in which it came. After all files it should be as theirs; else the last one gets it. */
const resultsOf = (files: readonly string[], printed: string, ending: string): FileResult[] => {
  const told = readTold(printed);
  const code = told.some(({ end }) => end?.code !== 0) ? 1 : 0;
  return files.map((file, index) => {
    const { printed: own, end } = told[index] ?? { printed: told.length ? '' : printed };
    const isLast = index === files.length - 1 && ending !== `exit code ${code}`;
    const how = end && !isLast ? `exit code ${end.code}` : ending;
    const verdict = judge(readFileSync(file, 'utf8'), own, how);
    return { ...verdict, file, printed: own, seconds: end?.seconds ?? 0 };
  });
};
