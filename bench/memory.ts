/**
 * The worker's memory while it works on a clip of 10 s and on one of 2 min: it must not grow with length.
 * Compared is the median of the second half of each: the collector's first seconds differ from run to run.
 * Budget: within 10 %, and 400 MB at 1080p (the last line).
 * usage: node --import tsx bench/memory.ts
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { h264, makeClip, pattern } from '../tests/real/clip.ts';
import { tempDir } from '../tests/real/run.ts';
import { ended, realService } from '../tests/real/service.ts';
import { median, tell } from './bare.ts';

const dir = tempDir('bench');
const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const measure = async (seconds: number, size: string): Promise<number> => {
  // A fresh process each: what one clip left behind must not count for the next.
  const service = await realService();
  const caller = await service.caller(1_000_000);
  const clip = await makeClip(
    join(dir, `${seconds}-${size}.mp4`),
    pattern(seconds, 25, size),
    h264,
  );
  const { data } = await caller.upscale(
    clip,
    { model: 'animation', scale: 2 },
    { prefer: 'respond-async' },
  );
  const samples: number[] = [];
  const watching = new AbortController();
  const watch = async () => {
    while (!watching.signal.aborted) {
      samples.push(residentMiB(service.worker.pid()));
      await sleep(100);
    }
  };
  const watched = watch();
  const job = await caller.until(data.id, ended, 1_200_000);
  watching.abort();
  await watched;
  if (job.status !== 'succeeded') throw new Error(JSON.stringify(job.error));
  await service.close();
  const steady = median(samples.slice(samples.length / 2));
  tell({
    bench: 'memory',
    size,
    seconds,
    frames: job.result?.frames,
    worker_mib: Math.round(steady),
    worker_peak_mib: Math.round(Math.max(...samples)),
  });
  return steady;
};

const short = await measure(10, '96x54');
const long = await measure(120, '96x54');
tell({ bench: 'memory', long_to_short: Number((long / short).toFixed(3)), budget: 1.1 });
await measure(0.4, '1920x1080');
