/**
 * One long video, first by one worker with one Triton, then by two workers with a Triton each, in turn; the ratio of each turn.
 * The model takes a fixed time for a picture and computes nothing, so the ratio says what sharing costs, not how many cores
 * there are. Budget: 1.8 times the frames a second.
 * usage: node --import tsx bench/scale-out.ts [frames] [delay in ms] [seconds of a chunk] [turns]
 */
import { join } from 'node:path';
import { h264, makeClip } from '../tests/real/clip.ts';
import { fixedDelayTriton } from '../tests/real/fixed-delay.ts';
import { tempDir } from '../tests/real/run.ts';
import { ended, realService } from '../tests/real/service.ts';
import { tritonEnvironment } from '../tests/real/triton.ts';
import { median, tell } from './bare.ts';

const [frames = '1000', delayMs = '60', chunkSeconds = '2', turns = '3'] = process.argv.slice(2);
const BUDGET = 1.8;
const dir = tempDir('bench');
const [first, second] = [
  await fixedDelayTriton(Number(delayMs)),
  await fixedDelayTriton(Number(delayMs)),
];
const service = await realService({ UPSCALE_CHUNK_SECONDS: chunkSeconds }, Promise.resolve(first));
const caller = await service.caller(1_000_000);

let seed = 0;
/** Frames a second, from the start of the attempt to the stored result. */
const speed = async (name: string): Promise<number> => {
  // Each time other noise, so that nothing is cached.
  seed += 1;
  const noise = `testsrc2=size=64x48:rate=25,noise=alls=8:allf=t:all_seed=${seed}`;
  const source = ['-f', 'lavfi', '-i', noise];
  const output = ['-frames:v', frames, ...h264, '-g', '25'];
  const clip = await makeClip(join(dir, `${name}.mp4`), source, output);
  const fields = { model: 'photo', scale: 2, effort: 'best' };
  const { status, data } = await caller.upscale(clip, fields, { prefer: 'respond-async' });
  if (status !== 202) throw new Error(JSON.stringify(data));
  const { result, error } = await caller.until(data.id, ended, 600_000);
  if (!result) throw new Error(JSON.stringify(error));
  return Number(frames) / (result.processing_ms / 1000);
};

const ratios: number[] = [];
for (let turn = 1; turn <= Number(turns); turn += 1) {
  const alone = await speed(`alone-${turn}`);
  const helper = await service.addWorker(tritonEnvironment(second));
  const together = await speed(`together-${turn}`);
  await helper.stop();
  ratios.push(together / alone);
  tell({
    bench: 'scale-out',
    turn,
    frames: Number(frames),
    delay_ms: Number(delayMs),
    one_fps: Number(alone.toFixed(2)),
    two_fps: Number(together.toFixed(2)),
    ratio: Number((together / alone).toFixed(3)),
  });
}
const ratio = Number(median(ratios).toFixed(3));
tell({ bench: 'scale-out', median_ratio: ratio, budget: BUDGET, holds: ratio >= BUDGET });
await Promise.all([service.close(), second.close()]);
if (ratio < BUDGET) process.exitCode = 1;
