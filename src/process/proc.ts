/** What Linux says about a process in /proc. */
import { readFileSync } from 'node:fs';

type Stat = {
  /** `Z`: it has ended, has given everything back, and only its parent has not taken note of it. */
  readonly state: string;
  /** Clock ticks from boot to its start. A later process with the same id has another value. */
  readonly startTime: string;
};

/** Undefined when there is no such process. */
export const statOf = (pid: number): Stat | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, second of 52 fields, may itself hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
  } catch (error) {
    // ESRCH: it ended between opening and reading.
    if (['ENOENT', 'ESRCH'].includes(Object(error).code)) return undefined;
    throw error;
  }
};
