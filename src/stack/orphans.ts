/** Processes that an earlier run left behind when it was killed; recognised only by a mark in their environment. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { statOf } from '../process/proc.ts';
import { signalProcess } from './child.ts';

/** The mark of a run: an environment variable of each of its processes, which their children inherit. */
export const markOf = (run: string): NodeJS.ProcessEnv => ({ ENHANCE_RUN: run });

/**
 * Sends SIGTERM to every process with the mark, then SIGKILL to those left after `withinMs`, and waits until they have ended. The
 * caller holds the run's lock. Answers their number.
 */
export const stopOrphans = async (run: string, withinMs = 8_000): Promise<number> => {
  const found = marked(run);
  const hasEnded = endOf(found);
  for (const pid of found) signalProcess(pid, 'SIGTERM');
  const deadline = performance.now() + withinMs;
  while (marked(run).length > 0 && performance.now() < deadline) await sleep(50);
  for (let left = marked(run); left.length > 0 || !hasEnded(); left = marked(run)) {
    // Each time: what has just ended may have started another one.
    for (const pid of left) signalProcess(pid, 'SIGKILL');
    await sleep(20);
  }
  return found.length;
};

/** Whether all of them have ended: a process loses its mark, with its memory, before it gives back the ports it listens on. */
const endOf = (pids: readonly number[]): (() => boolean) => {
  const known = pids.map((pid) => [pid, statOf(pid)?.startTime] as const);
  return () =>
    known.every(([pid, startTime]) => {
      const now = statOf(pid);
      return !now || now.state === 'Z' || now.startTime !== startTime;
    });
};

/** The runs whose mark is a path below `folder` and that still have processes. */
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

/** Empty for another user's process and for one that has just ended. */
const environment = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
};
