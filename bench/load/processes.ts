/** The processes of a service under test, as the kernel sees them: all descendants of this process, by what they are. */
import { readFileSync } from 'node:fs';
import { treeOf } from '../processes.ts';

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

/** MiB of memory in use by each kind of process, all processes of a kind together. */
export const memoryByKind = (): Readonly<Record<Kind, number>> => {
  const sums = { api: 0, worker: 0, probers: 0, redis: 0, triton: 0, models: 0, ffmpeg: 0 };
  for (const { pid, command } of treeOf(process.pid)) {
    const kind = kindNames.find((name) => kinds[name].test(command));
    if (kind) sums[kind] += residentMiB(pid);
  }
  for (const kind of kindNames) sums[kind] = Math.round(sums[kind]);
  return sums;
};

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
