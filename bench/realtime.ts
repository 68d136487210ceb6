/**
 * Video upscaling with effort realtime, end to end: frames a second from the POST to the finished file, against the bare chain
 * of decoder, network and encoder on the same file, in turn. The clip is a moving pattern with noise, which is hard on x264, or a
 * video that is scaled to the size and repeated.
 * usage: node --import tsx bench/realtime.ts [width] [height] [seconds] [rounds] [video]
 */
import { join } from 'node:path';
import { execa } from 'execa';
import { places } from '../src/stack/home.mjs';
import { h264, makeClip } from '../tests/real/clip.ts';
import { ffmpegPath } from '../tests/real/ffmpeg.ts';
import { tempDir } from '../tests/real/run.ts';
import { realService } from '../tests/real/service.ts';
import { ownTriton } from '../tests/real/triton.ts';
import { median, tell } from './bare.ts';

const [width = 640, height = 360, seconds = 8, rounds = 3] = process.argv.slice(2, 6).map(Number);
const video = process.argv[6];
const dir = tempDir('bench');
const service = await realService({}, ownTriton(['photo_realtime']));
const caller = await service.caller(1_000_000);

/** Each round another one: what was enlarged before is answered from the cache. */
const sourceOf = (round: number): string[] => {
  const size = `scale=${width}:${height},fps=25,hue=h=${round}`;
  if (video) return ['-stream_loop', '-1', '-i', video, '-an', '-vf', size];
  const pattern = `testsrc2=size=${width}x${height}:rate=25,hue=h=${round * 40},noise=alls=8:allf=t`;
  return ['-f', 'lavfi', '-i', pattern];
};

/** Seconds of the bare chain. */
const bareChain = async (path: string): Promise<number> => {
  const { preset, threads } = service.config.ffmpeg;
  const words = [ffmpegPath, path, join(dir, 'bare.mp4'), width, height, preset, threads];
  const told = await execa(places.python, ['bench/bare_realtime.py', ...words.map(String)]);
  return Number(told.stdout);
};

const [rates, shares]: [number[], number[]] = [[], []];
for (let round = 0; round < rounds; round += 1) {
  const clip = await makeClip(
    join(dir, `${round}.mp4`),
    [...sourceOf(round), '-t', `${seconds}`],
    h264,
  );
  const frames = seconds * 25;
  const bare = await bareChain(clip);
  const began = performance.now();
  const { status, data } = await caller.upscale(clip, { model: 'photo', scale: 2 });
  if (status !== 200) throw new Error(JSON.stringify(data));
  const whole = (performance.now() - began) / 1000;
  rates.push(frames / whole);
  shares.push(bare / whole);
  tell({
    bench: 'realtime',
    size: `${width}x${height}`,
    frames,
    frames_a_second: Number((frames / whole).toFixed(1)),
    of_the_attempt: Number((frames / (data.processing_ms / 1000)).toFixed(1)),
    bare_frames_a_second: Number((frames / bare).toFixed(1)),
    of_bare_speed: Number((bare / whole).toFixed(2)),
  });
}
tell({ frames_a_second: median(rates), of_bare_speed: median(shares) });
await service.close();
