/** The processes of a service under test, as the kernel sees them: all descendants of this process, by what they are. */
import { readdirSync, readFileSync } from 'node:fs';

const kinds = {
  api: /dist\/main\.js api/,
  worker: /dist\/main\.js worker/,
  probers: /dist\/prober\.js/,
  redis: /redis-server/,
  triton: /(^|\/)tritonserver /,
  models: /triton_python_backend_stub/,
  ffmpeg: /(^|\/)ff(mpeg|probe) /,
} as const;
export type Kind = keyof typeof kinds;
export const kindNames: readonly Kind[] = [
  'api',
  'worker',
  'probers',
  'redis',
  'triton',
  'models',
  'ffmpeg',
];

type Process = { readonly pid: number; readonly parent: number; readonly command: string };

/** MiB of memory in use by each kind of process, all processes of a kind together. */
export const memoryByKind = (): Readonly<Record<Kind, number>> => {
  const sums = { api: 0, worker: 0, probers: 0, redis: 0, triton: 0, models: 0, ffmpeg: 0 };
  for (const { pid, command } of descendants(all(), process.pid)) {
    const kind = kindNames.find((name) => kinds[name].test(command));
    if (kind) sums[kind] += residentMiB(pid);
  }
  for (const kind of kindNames) sums[kind] = Math.round(sums[kind]);
  return sums;
};

/** Seconds of processor time that this process and its descendants have taken, those that have ended included. */
export const processorSeconds = (): number => {
  const processes = all();
  const pids = [process.pid, ...descendants(processes, process.pid).map(({ pid }) => pid)];
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / TICKS_PER_SECOND;
};

/** What Linux tells every program, whatever the kernel counts in. */
const TICKS_PER_SECOND = 100;
/** utime, stime, cutime and cstime are the fields 14 to 17; after the command's name, which may have spaces, comes field 3. */
const ticksOf = (pid: number): number => {
  const stat = read(`/proc/${pid}/stat`);
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return ticks.reduce((sum, each) => sum + Number(each), 0);
};

const all = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`);
      const parent = Number(/\) \S (\d+)/.exec(stat)?.[1] ?? Number.NaN);
      const command = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ');
      return command ? [{ pid: Number(name), parent, command }] : [];
    });

const descendants = (processes: readonly Process[], of: number): Process[] =>
  processes
    .filter(({ parent }) => parent === of)
    .flatMap((child) => [child, ...descendants(processes, child.pid)]);

const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

/** Empty for a process that has ended meanwhile. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};
