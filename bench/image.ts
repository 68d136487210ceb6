/**
 * What a whole call of a 256x256 picture costs more than its bare inference (photo, 2x). Budget: 150 ms.
 * usage: node --import tsx bench/image.ts [calls]
 */
import { join } from 'node:path';
import { makeClip } from '../tests/real/clip.ts';
import { tempDir } from '../tests/real/run.ts';
import { realService } from '../tests/real/service.ts';
import { bareLoop, median, tell } from './bare.ts';

const calls = Number(process.argv[2] ?? 20);
const dir = tempDir('bench');
const service = await realService();
const caller = await service.caller(100_000);

const bareMs: number[] = [];
const wholeMs: number[] = [];
for (let call = 0; call < calls; call += 1) {
  // In pale colours, as photographs have: others are enlarged channel by channel (decision 112), which takes three times as long.
  const source = `mandelbrot=size=256x256:start_scale=${1 + call / 10},hue=s=0.3`;
  const path = await makeClip(join(dir, `${call}.png`), [
    '-f',
    'lavfi',
    '-i',
    source,
    '-frames:v',
    '1',
  ]);
  const { seconds } = await bareLoop(path, 'photo', 2, { width: 256, height: 256 });
  bareMs.push(...seconds.map((value) => value * 1000));
  const began = performance.now();
  const { status, data } = await caller.upscale(path, { model: 'photo', scale: 2 });
  if (status !== 200 || data.cached) throw new Error(JSON.stringify(data));
  wholeMs.push(performance.now() - began);
}
const [bare, whole] = [median(bareMs), median(wholeMs)];
tell({
  bench: 'image',
  calls,
  bare_ms: Math.round(bare),
  whole_ms: Math.round(whole),
  more_ms: Math.round(whole - bare),
  budget_ms: 150,
});
await service.close();
