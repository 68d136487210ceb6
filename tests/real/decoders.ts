/** The ffmpegs of a process, as the system sees them. */
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { told } from './processes.ts';

/** The ffmpegs and ffprobes that run below a process: its own children, and those of its probers. */
export const decodersOf = (pid: number | string): string[] =>
  told(`${pid}/task/${pid}`, 'children')
    .split(' ')
    .filter(Boolean)
    .flatMap((child) => [...(isDecoder(child) ? [child] : []), ...decodersOf(child)]);
const isDecoder = (pid: string): boolean => /^Name:\tff/.test(told(pid, 'status'));

/** The children of a process whose command line has this argument. */
const childrenWith = (parent: number, argument: string): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => told(pid, 'status').includes(`\nPPid:\t${parent}\n`))
    .filter((pid) => told(pid, 'cmdline').split('\0').includes(argument))
    .map(Number);

/** Kills the decoders of a process, as the system's out-of-memory killer does; waits for one to be there. */
export const killDecoders = (parent: number): Promise<void> => kill(parent, 'rawvideo');

/** The same of its encoders. */
export const killEncoders = (parent: number): Promise<void> => kill(parent, 'libx264');

const kill = async (parent: number, argument: string): Promise<void> => {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(1)) {
    const found = childrenWith(parent, argument);
    for (const pid of found) process.kill(pid, 'SIGKILL');
    if (found.length > 0) return;
  }
  throw new Error(`process ${parent} has no child with ${argument}`);
};
