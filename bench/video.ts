/**
 * Video upscaling end to end, from the POST to the finished file, against the bare engine on the same frames.
 * Both sides in turn, three times; the ratio of each turn. Budget: 0.90 of the bare loop's speed.
 * usage: node --import tsx bench/video.ts [model] [width] [height] [frames]
 */
import { join } from 'node:path';
import { h264, makeClip } from '../tests/real/clip.ts';
import { tempDir } from '../tests/real/run.ts';
import { realService } from '../tests/real/service.ts';
import { bareLoop, median, tell } from './bare.ts';

const [model = 'photo', width = '320', height = '180', frames = '50'] = process.argv.slice(2);
const size = { width: Number(width), height: Number(height) };
const dir = tempDir('bench');
const service = await realService();
const caller = await service.caller(1_000_000);

const ratios: number[] = [];
for (const turn of [1, 2, 3]) {
  // Each turn another picture, so that nothing is cached.
  const source = `testsrc2=size=${width}x${height}:rate=25,hue=h=${turn * 40},noise=alls=8:allf=t`;
  const clip = await makeClip(
    join(dir, `${turn}.mp4`),
    ['-f', 'lavfi', '-i', source, '-frames:v', frames],
    h264,
  );
  const bare = await bareLoop(clip, model, 2, size);
  const bareSeconds = bare.seconds.reduce((sum, value) => sum + value, 0);

  const began = performance.now();
  // Waited for, not polled: twenty questions a second would take a tenth of a core from the engine.
  const { status, data } = await caller.upscale(clip, { model, scale: 2, effort: 'best' });
  if (status !== 200) throw new Error(JSON.stringify(data));
  const wholeSeconds = (performance.now() - began) / 1000;
  ratios.push(bareSeconds / wholeSeconds);
  tell({
    bench: 'video',
    model,
    size: `${width}x${height}`,
    engine: bare.engine,
    frames: bare.seconds.length,
    bare_ms_per_frame: Math.round((bareSeconds / bare.seconds.length) * 1000),
    whole_ms_per_frame: Math.round((wholeSeconds / bare.seconds.length) * 1000),
    attempt_ms_per_frame: Math.round(data.processing_ms / bare.seconds.length),
    of_bare_speed: Number((bareSeconds / wholeSeconds).toFixed(3)),
  });
}
tell({ bench: 'video', median_of_bare_speed: Number(median(ratios).toFixed(3)), budget: 0.9 });
await service.close();
