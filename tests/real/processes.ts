/** The processes of this machine, as the system sees them. */
import { readdirSync, readFileSync } from 'node:fs';

/** A file of a process in /proc; empty when it has just ended. */
export const told = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

/** Processes whose command, word by word, is one that is looked for. */
const processes = (isOne: (words: readonly string[]) => boolean): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && isOne(told(pid, 'cmdline').split('\0')))
    .map(Number);

/** The Python processes of a model, below the Triton with this HTTP port. */
export const stubsOf = (model: string, port: number | string): number[] =>
  processes((words) =>
    [`/${model}/1/model.py`, `enhance_${port}_`].every((part) =>
      words.some((word) => word.includes(part)),
    ),
  );

/** The Triton with this HTTP port: the server itself, not its keeper. 0 when there is none. */
export const serverOf = (port: number | string): number =>
  processes(
    ([program, ...words]) =>
      program?.endsWith('/tritonserver') === true && words.includes(`--http-port=${port}`),
  )[0] ?? 0;
