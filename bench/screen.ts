/**
 * Videos that mostly stand still, a screen and a cel, and one in which every pixel moves: decoded, enlarged and encoded with
 * only the changes computed, and with every frame computed whole, in turn. Says whether both give the same frames.
 * usage: node --import tsx bench/screen.ts [model] [effort] [scale] [width] [height] [seconds] [rounds] [clips]
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { execa } from 'execa';
import { encodeVideo } from '../src/media/write/encode.ts';
import type { AnyFrame } from '../src/media/write/encoder.ts';
import { notCleaned } from '../src/operations/upscale/cleaning.ts';
import { variantOf } from '../src/operations/upscale/options.ts';
import { UpscaleOptions } from '../src/operations/upscale/request.ts';
import { enlargedVideo } from '../src/operations/upscale/video.ts';
import { localTransport } from '../src/stack/environment.ts';
import { places } from '../src/stack/home.mjs';
import type { ModelSet } from '../src/triton/clients/model.ts';
import { realtimeSlot } from '../src/triton/clients/realtime.ts';
import { upscalerSlot } from '../src/triton/clients/upscaler.ts';
import { openTransport } from '../src/triton/open-transport.ts';
import { openControl } from '../src/triton/protocol/control.ts';
import { probe } from '../tests/media/clips.ts';
import { h264, makeClip } from '../tests/real/clip.ts';
import { testConfig } from '../tests/real/config.ts';
import { ffmpegPath } from '../tests/real/ffmpeg.ts';
import { tempDir } from '../tests/real/run.ts';
import { ownTriton, shippedSet, tritonEnvironment } from '../tests/real/triton.ts';
import { median, tell } from './bare.ts';
import { processorSeconds } from './processes.ts';

const [model = 'photo', effort = 'realtime', scale = '2', ...rest] = process.argv.slice(2);
const [width = 1280, height = 720, seconds = 8, rounds = 3] = rest.slice(0, 4).map(Number);
const clips = rest[4]?.split(',') ?? ['screen', 'cel', 'moving'];
const options = UpscaleOptions.parse({ model, effort, scale: Number(scale) });
const variant = variantOf(options);
const dir = tempDir('bench');
const at = (name: string) => join(dir, `${name}.mp4`);
const triton = await ownTriton([variant]);
const config = testConfig({
  ...tritonEnvironment(triton),
  TRITON_TRANSPORT: localTransport(),
});
const transport = await openTransport(config.triton);
const slot = effort === 'realtime' ? realtimeSlot(variant) : upscalerSlot(variant);
const changes = await shippedSet(openControl(config.triton), [slot]);
/** The same models, which do not say how far they look. */
const whole: ModelSet = {
  ...changes,
  of: (name) => {
    const { parameters, ...loaded } = changes.of(name);
    const { reach: _, ...others } = parameters;
    return { ...loaded, parameters: others };
  },
};

async function* hashed(frames: AsyncIterable<AnyFrame>, hash: ReturnType<typeof createHash>) {
  for await (const frame of frames) {
    hash.update(frame.pixels);
    yield frame;
  }
}

/** What it takes, in seconds and in seconds of processor time, and the hash of all frames. */
const enlarge = async (path: string, models: ModelSet) => {
  const info = await probe(path);
  const signal = new AbortController().signal;
  const task = { options, input: () => path, transport, models, config, signal, found: info };
  const hash = createHash('sha256');
  const [began, work] = [performance.now(), processorSeconds()];
  const frames = hashed(enlargedVideo(task, info, { cleaning: notCleaned }), hash);
  const to = { source: { path, info }, target: at('out'), output: {}, ffmpeg: config.ffmpeg };
  const { frames: count } = await encodeVideo(frames, { ...to, signal });
  return {
    count,
    seconds: (performance.now() - began) / 1000,
    processor: processorSeconds() - work,
    sha256: hash.digest('hex'),
  };
};

const words = [seconds, width, height, at('screen'), at('cel')].map(String);
await execa(places.python, ['bench/screen_clips.py', ffmpegPath, ...words]);
const moving = `testsrc2=size=${width}x${height}:rate=25,noise=alls=8:allf=t`;
await makeClip(at('moving'), ['-f', 'lavfi', '-i', moving, '-t', String(seconds)], h264);
for (const clip of clips) {
  const turns: {
    readonly faster: number;
    readonly less: number;
    readonly rate: number;
    readonly ms: number;
    readonly same: boolean;
  }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await enlarge(at(clip), whole);
    const now = await enlarge(at(clip), changes);
    turns.push({
      same: before.sha256 === now.sha256,
      faster: before.seconds / now.seconds,
      less: before.processor / now.processor,
      rate: now.count / now.seconds,
      ms: (1000 * now.processor) / now.count,
    });
  }
  const told = (name: 'faster' | 'less' | 'rate' | 'ms') =>
    Number(median(turns.map((turn) => turn[name])).toFixed(2));
  tell({
    bench: 'screen',
    model,
    effort,
    scale,
    size: `${width}x${height}`,
    clip,
    same_frames: turns.every(({ same }) => same),
    times_as_fast: told('faster'),
    frames_a_second: told('rate'),
    times_less_processor_time: told('less'),
    processor_ms_a_frame: told('ms'),
  });
}
await transport.close();
await triton.close();
