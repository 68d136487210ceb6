/**
 * The worker's memory while it works on a clip of 10 s and on a long one: it must not grow with length.
 * Compared is the median of the second half of each: the collector's first seconds differ from run to run.
 * Budget: within 10 %, for effort realtime within 5 %, and 400 MB at 1080p.
 * usage: node --import tsx bench/memory.ts upscale [size [seconds...]]    (320x180 10 120; effort best)
 *        node --import tsx bench/memory.ts realtime [size [seconds...]]   (320x180 10 600)
 *        node --import tsx bench/memory.ts lipsync [size [seconds...]]    (320x180 10 120 300)
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { h264, makeClip, pattern } from '../tests/real/clip.ts';
import { tempDir } from '../tests/real/run.ts';
import { type Caller, ended, realService } from '../tests/real/service.ts';
import { sounds } from '../tests/real/sounds.ts';
import { portrait } from '../tests/real/talking.ts';
import { median, tell } from './bare.ts';

const dir = tempDir('bench');
const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** A job that was sent to a worker which has done nothing before: what one clip left behind must not count for the next. */
const measure = async (
  what: { readonly size: string; readonly seconds: number; readonly operation: string },
  send: (caller: Caller) => Promise<{ readonly data: { readonly id: string } }>,
): Promise<number> => {
  const service = await realService();
  const caller = await service.caller(1_000_000);
  const { data } = await send(caller);
  const samples: number[] = [];
  const watching = new AbortController();
  const watch = async () => {
    while (!watching.signal.aborted) {
      samples.push(residentMiB(service.worker.pid()));
      await sleep(100);
    }
  };
  const watched = watch();
  const from = performance.now();
  const job = await caller.until(data.id, ended, 3_600_000);
  watching.abort();
  await watched;
  if (job.status !== 'succeeded') throw new Error(JSON.stringify(job.error));
  await service.close();
  const steady = median(samples.slice(samples.length / 2));
  tell({
    bench: 'memory',
    ...what,
    frames: job.result?.frames,
    took_seconds: Math.round((performance.now() - from) / 1000),
    worker_mib: Math.round(steady),
    worker_peak_mib: Math.round(Math.max(...samples)),
  });
  return steady;
};

const respondAsync = { prefer: 'respond-async' };

const upscale =
  (effort: string) =>
  async (seconds: number, size: string): Promise<number> => {
    const made = join(dir, `${seconds}-${size}.mp4`);
    const clip = await makeClip(made, pattern(seconds, 25, size), h264);
    const fields = { model: 'animation', scale: 2, effort };
    return measure({ operation: `upscale ${effort}`, size, seconds }, (caller) =>
      caller.upscale(clip, fields, respondAsync),
    );
  };

/** A face that slides to and fro, for so long, and syllables of a kind. */
const lipsync = async (seconds: number, size: string): Promise<number> => {
  const clip = join(dir, `face-${seconds}-${size}.mp4`);
  const sound = join(dir, `${seconds}.wav`);
  const [width = 0, height = 0] = size.split('x').map(Number);
  const zoom = Math.max(1, width / 320, height / 320);
  const large = `scale=iw*${zoom}:-2,crop=${width}:${height}:x='(60+20*sin(t))*${zoom}':y='(20+4*sin(2*t))*${zoom}'`;
  const still = ['-loop', '1', '-framerate', '25', '-i', portrait, '-t', '10'];
  const ten = await makeClip(join(dir, `ten-${size}.mp4`), still, ['-vf', large, ...h264]);
  await makeClip(clip, ['-stream_loop', '-1', '-i', ten, '-t', String(seconds)], ['-c', 'copy']);
  await sounds.babble(sound, seconds);
  return measure({ operation: 'lipsync', size, seconds }, (caller) =>
    caller.lipsync(clip, sound, {}, respondAsync),
  );
};

const works = {
  upscale: { run: upscale('best'), lengths: [10, 120], budget: 1.1 },
  realtime: { run: upscale('realtime'), lengths: [10, 600], budget: 1.05 },
  lipsync: { run: lipsync, lengths: [10, 120, 300], budget: 1.1 },
};
const [operation = 'upscale', size = '320x180', ...lengths] = process.argv.slice(2);
const work = Object.entries(works).find(([name]) => name === operation)?.[1];
if (!work) throw new Error(`expected ${Object.keys(works).join(', ')}; got ${operation}`);
const { run, budget } = work;
let short: number | undefined;
for (const seconds of lengths.length > 0 ? lengths.map(Number) : work.lengths) {
  const steady = await run(seconds, size);
  short ??= steady;
  tell({ bench: 'memory', seconds, to_shortest: Number((steady / short).toFixed(3)), budget });
}
