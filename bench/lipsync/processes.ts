/** The processor time that the processes of a stack have taken, by what they do. */
import { type Process, treeOf } from '../processes.ts';

/** Milliseconds by part; what is in no part is `rest`. */
export type Times = Readonly<Record<string, number>>;

/** What the processes below `all` have taken so far; what the worker starts is almost all ffmpeg. Triton's Python models are told by their folders. */
export const timesOf = (pids: { readonly worker: number; readonly all: number }): Times => {
  const times: Record<string, number> = {};
  const add = (part: string, ms: number) => {
    times[part] = (times[part] ?? 0) + ms;
  };
  for (const one of treeOf(pids.all)) {
    if (one.pid === pids.worker) {
      add('worker', one.ms);
      add('ffmpeg', one.childrenMs);
    } else if (one.parent === pids.worker) add('ffmpeg', one.ms + one.childrenMs);
    else if (one.pid !== pids.all) add(partOf(one), one.ms + one.childrenMs);
  }
  return times;
};

const MODELS = /\/([a-z_]+)\/\d+\/model\.py/;

const partOf = ({ name, command }: Process): string =>
  MODELS.exec(command)?.[1] ?? (name.startsWith('tritonserver') ? 'triton' : 'rest');
