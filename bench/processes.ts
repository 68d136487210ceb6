/** The processes of this machine and what they have taken of the processor, as Linux tells them. */
import { readdirSync, readFileSync } from 'node:fs';

/** Of Linux' clock, in which /proc states times: USER_HZ, which is 100 everywhere. */
const MS_PER_TICK = 10;

export type Process = {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** With its arguments. */
  readonly command: string;
  /** Of processor time. */
  readonly ms: number;
  /** Of its children that have ended. */
  readonly childrenMs: number;
};

/** Throws where it has ended. */
export const processOf = (pid: number): Process => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const [open, close] = [stat.indexOf('('), stat.lastIndexOf(')')];
  // proc_pid_stat(5): from the third field on.
  const field = stat.slice(close + 2).split(' ');
  const ms = (...at: number[]) =>
    at.reduce((sum, i) => sum + Number(field[i - 3]), 0) * MS_PER_TICK;
  return {
    pid,
    parent: Number(field[1]),
    name: stat.slice(open + 1, close),
    command: readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' '),
    ms: ms(14, 15),
    childrenMs: ms(16, 17),
  };
};

/** A process and all below it. */
export const treeOf = (root: number): Process[] => {
  const processes = everyProcess();
  const below = (pid: number): Process[] =>
    processes.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...below(one.pid)]);
  return [...processes.filter(({ pid }) => pid === root), ...below(root)];
};

/** Seconds of processor time that this process and all below it have taken, those that have ended included. */
export const processorSeconds = (): number =>
  treeOf(process.pid).reduce((sum, { ms, childrenMs }) => sum + ms + childrenMs, 0) / 1000;

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
