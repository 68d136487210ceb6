/**
 * Names of shared memory regions. They name their owner, so that the regions of a killed process can be told from
 * those of a living one: id of its PID namespace, process id, start time, random digits.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

const pattern = /^enhance-io-(\d+)-(\d+)-(\d+)-[0-9a-f]+$/;

export const newRegionName = (): string =>
  `enhance-io-${namespace()}-${process.pid}-${startTime(process.pid)}-${randomBytes(6).toString('hex')}`;

/** Whether the owner of a region is gone. Processes of other containers cannot be seen and count as alive. */
export const isOrphan = (name: string): boolean => {
  const [, owners, pid, start] = pattern.exec(name) ?? [];
  return owners === namespace() && startTime(Number(pid)) !== start;
};

const namespace = (): string => readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');

/** In clock ticks since boot; undefined when there is no such process. A later process with the same id has another. */
const startTime = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, second of 52 fields, may itself hold spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};
