/** The processor time that the processes of a stack have taken, by what they do. */
import { readdirSync, readFileSync } from 'node:fs';

/** Of Linux' clock, in which /proc states times: USER_HZ, which is 100 everywhere. */
const MS_PER_TICK = 10;

type Process = {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly command: string;
  readonly ms: number;
  /** Of its children that have ended. */
  readonly childrenMs: number;
};

/** Milliseconds by part; what is in no part is `rest`. */
export type Times = Readonly<Record<string, number>>;

/** What the processes below `all` have taken so far; what the worker starts is almost all ffmpeg. Triton's Python models are told by their folders. */
export const timesOf = (pids: { readonly worker: number; readonly all: number }): Times => {
  const processes = everyProcess();
  const times: Record<string, number> = {};
  const add = (part: string, ms: number) => {
    times[part] = (times[part] ?? 0) + ms;
  };
  for (const one of treeOf(pids.all, processes)) {
    if (one.pid === pids.worker) {
      add('worker', one.ms);
      add('ffmpeg', one.childrenMs);
    } else if (one.parent === pids.worker) add('ffmpeg', one.ms + one.childrenMs);
    else if (one.pid !== pids.all) add(partOf(one), one.ms + one.childrenMs);
  }
  return times;
};

const MODELS = /models\/([a-z_]+)\/\d+\/model\.py/;

const partOf = ({ name, command }: Process): string =>
  MODELS.exec(command)?.[1] ?? (name.startsWith('tritonserver') ? 'triton' : 'rest');

const treeOf = (root: number, processes: readonly Process[]): Process[] => {
  const below = (pid: number): Process[] =>
    processes.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...below(one.pid)]);
  return [...processes.filter(({ pid }) => pid === root), ...below(root)];
};

const everyProcess = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [processOf(Number(pid))];
      } catch {
        return []; // it has ended meanwhile
      }
    });

const processOf = (pid: number): Process => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [open, close] = [stat.indexOf('('), stat.lastIndexOf(')')];
  // proc_pid_stat(5): from the third field on.
  const field = stat.slice(close + 2).split(' ');
  const ticks = (...at: number[]) =>
    at.reduce((sum, i) => sum + Number(field[i - 3]), 0) * MS_PER_TICK;
  return {
    pid,
    parent: Number(field[1]),
    name: stat.slice(open + 1, close),
    command: readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
    ms: ticks(14, 15),
    childrenMs: ticks(16, 17),
  };
};
