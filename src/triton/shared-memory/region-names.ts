/**
 * Names of shared memory regions. They name their owner, so that the regions of a killed process can be told from
 * those of a living one: id of its PID namespace, process id, start time, random digits.
 */
import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { statOf } from '../../process/proc.ts';

const pattern = /^enhance-io-(\d+)-(\d+)-(\d+)-[0-9a-f]+$/;

export const newRegionName = (): string =>
  `enhance-io-${namespace()}-${process.pid}-${statOf(process.pid)?.startTime}-${randomBytes(6).toString('hex')}`;

/** Whether the owner of a region is gone. Processes of other containers cannot be seen and count as alive. */
export const isOrphan = (name: string): boolean => {
  const [, owners, pid, start] = pattern.exec(name) ?? [];
  return owners === namespace() && statOf(Number(pid))?.startTime !== start;
};

const namespace = (): string => readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
