/** Processes that an earlier run left behind when it was killed, known by the mark in their environment and by nothing else. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Every process of a run carries this variable; its children inherit it. */
export const markOf = (run: string): NodeJS.ProcessEnv => ({ ENHANCE_RUN: run });

/** Asks every process with the mark to end, then forces the rest. The caller holds the run's lock. Returns how many there were. */
export const stopOrphans = async (run: string, withinMs = 8_000): Promise<number> => {
  const found = marked(run);
  for (const pid of found) signal(pid, 'SIGTERM');
  const deadline = Date.now() + withinMs;
  while (marked(run).length > 0 && Date.now() < deadline) await sleep(50);
  for (const pid of marked(run)) signal(pid, 'SIGKILL');
  while (marked(run).length > 0) await sleep(20);
  return found.length;
};

/** The runs below a folder that still have processes. */
export const runsBelow = (folder: string): string[] => {
  const marks = processes()
    .flatMap(environment)
    .filter((entry) => entry.startsWith(`ENHANCE_RUN=${folder}/`));
  return [...new Set(marks)].map((mark) => mark.slice('ENHANCE_RUN='.length));
};

const marked = (run: string): number[] =>
  processes()
    .filter((pid) => environment(pid).includes(`ENHANCE_RUN=${run}`))
    .map(Number);

const processes = (): string[] =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);

/** Another user's process, or one that has just ended, has none for us. */
const environment = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};
