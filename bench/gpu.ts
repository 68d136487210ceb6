/**
 * Every model and both operations, end to end, on an NVIDIA GPU by CUDA and by TensorRT, beside the CPU: how long the first
 * request takes, which builds the engine, and the ones after it; and whether the results are those of the CPU.
 * usage: npm run bench:gpu [-- [--size WxH] [--only text] engine …]
 *   engine   default: openvino cuda tensorrt; the first one is what the others are compared with
 *   --size   of the pictures and videos that are enlarged, default 192x108
 *   --only   the works whose names contain this text, for example "video"
 * Ends with 1 where a result differs or an engine does not run, with 3 where there is no GPU, or nothing that uses it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { places, root } from '../src/stack/home.mjs';
import { models } from '../src/stack/triton.ts';
import { makeClip } from '../tests/real/clip.ts';
import { ffmpegPath } from '../tests/real/ffmpeg.ts';
import { tempDir } from '../tests/real/run.ts';
import { type Caller, realService } from '../tests/real/service.ts';
import { sounds } from '../tests/real/sounds.ts';
import { talkingHead } from '../tests/real/talking.ts';
import { ownTriton } from '../tests/real/triton.ts';

const { values: options, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: '192x108' },
    only: { type: 'string', default: '' },
  },
});
const engines = asked.length > 0 ? asked : ['openvino', 'cuda', 'tensorrt'];
/** dB of PSNR: bf16 and fp16 are above 45 on pictures; a video is encoded once more, which adds its own noise. */
const LEAST_DB = { picture: 40, video: 32 } as const;
const dir = tempDir('gpu');
const at = (name: string) => join(dir, name);

const cannot = (why: string): never => {
  console.log(`no GPU here: ${why}. Nothing was measured.`);
  process.exit(3);
};

/** What the engines need of this machine, as the models' own code sees it. */
const checkMachine = async (): Promise<void> => {
  const code =
    'from enhance.engine import _providers, cuda_devices; print(cuda_devices(), *_providers())';
  const inference = { cwd: join(root, 'inference'), env: { PYTHONPATH: '.' } };
  const { stdout } = await execa(places.python, ['-c', code], inference);
  const [devices = '0', ...providers] = stdout.split(' ');
  if (Number(devices) === 0) cannot('the NVIDIA driver offers no device');
  for (const [engine, provider] of Object.entries(providerOf))
    if (engines.includes(engine) && !providers.includes(provider))
      cannot(
        `onnxruntime has no ${provider}; .enhance/venv/bin/python -m pip install --require-hashes -r inference/requirements-gpu.txt brings it`,
      );
};
const providerOf = { cuda: 'CUDAExecutionProvider', tensorrt: 'TensorrtExecutionProvider' };

type Work = {
  readonly name: string;
  readonly is: keyof typeof LEAST_DB;
  /** Makes the job; `again` asks for other content of the same size, which the cache does not have. */
  readonly ask: (caller: Caller, again: boolean) => Promise<{ data: Record<string, unknown> }>;
};

const works = async (): Promise<Work[]> => {
  const drawn = (name: string, seed: number, ...more: string[]) =>
    makeClip(at(name), [
      '-f',
      'lavfi',
      '-i',
      `testsrc2=size=${options.size}:rate=25,hue=h=${seed}`,
      ...more,
    ]);
  const pictures = [
    await drawn('1.png', 0, '-frames:v', '1'),
    await drawn('2.png', 60, '-frames:v', '1'),
  ];
  const clips = [await drawn('1.mp4', 0, '-t', '1'), await drawn('2.mp4', 60, '-t', '1')];
  const head = await talkingHead(at('head.mp4'), 1, '240x240');
  const voices = [await sounds.babble(at('1.wav'), 0.6), await sounds.babble(at('2.wav'), 0.7)];
  const of = (paths: readonly string[], again: boolean) => paths[again ? 1 : 0] ?? '';
  const enlarged = (model: string, scale: number): Work => ({
    name: `${model} ${scale}x`,
    is: 'picture',
    ask: (caller, again) => caller.upscale(of(pictures, again), { model, scale }),
  });
  const video = (model: string, effort: string): Work => ({
    name: `${model} video ${effort}`,
    is: 'video',
    ask: (caller, again) => caller.upscale(of(clips, again), { model, scale: 2, effort }),
  });
  const spoken = (model: string): Work => ({
    name: `lip sync ${model}`,
    is: 'video',
    ask: (caller, again) => caller.lipsync(head, of(voices, again), { model }),
  });
  return [
    ...['photo', 'animation', 'detail'].flatMap((model) =>
      [2, 4, 8].map((scale) => enlarged(model, scale)),
    ),
    ...['photo', 'animation'].flatMap((model) =>
      ['realtime', 'best'].map((effort) => video(model, effort)),
    ),
    ...['fast', 'balanced', 'studio'].map(spoken),
  ];
};

/** Of two pictures or videos: PSNR in dB over all frames. */
const likeness = async (one: string, other: string): Promise<number> => {
  const { stderr } = await execa(ffmpegPath, [
    ...['-v', 'info', '-i', one, '-i', other, '-lavfi', 'psnr', '-f', 'null', '-'],
  ]);
  const [, average = 'nan'] = /average:(\S+)/.exec(stderr) ?? [];
  return average === 'inf' ? 100 : Number(average);
};

const done = async (caller: Caller, work: Work, again: boolean) => {
  const began = performance.now();
  const { data } = await work.ask(caller, again);
  if (data.status !== 'success') throw new Error(`${work.name}: ${JSON.stringify(data)}`);
  return { seconds: (performance.now() - began) / 1000, link: String(data.output_url) };
};

if (engines.some((engine) => Object.hasOwn(providerOf, engine))) await checkMachine();
const all = (await works()).filter(({ name }) => name.includes(options.only));
const [base] = engines;
const ofBase = new Map<string, number>();
let faults = 0;
const row = (engine: string, work: string, ...numbers: readonly string[]) =>
  console.log([engine.padEnd(12), work.padEnd(24), ...numbers.map((n) => n.padStart(8))].join(' '));
row('engine', 'work', 'first s', 'then s', 'x base', 'dB', 'same');
for (const engine of engines) {
  const triton = ownTriton(models, undefined, { settings: { ENHANCE_ENGINE: engine } });
  const service = await realService({}, triton);
  try {
    const caller = await service.caller(100_000);
    for (const work of all) {
      const first = await done(caller, work, false);
      const { seconds } = await done(caller, work, true);
      const made = (of = engine) =>
        at(`${of} ${work.name}.${work.is === 'picture' ? 'png' : 'mp4'}`.replaceAll(' ', '-'));
      writeFileSync(made(), await caller.download(first.link));
      if (engine === base) ofBase.set(work.name, seconds);
      const dB = await likeness(made(), made(base));
      const isSame = dB >= LEAST_DB[work.is];
      if (!isSame) faults += 1;
      const times = (ofBase.get(work.name) ?? Number.NaN) / seconds;
      const numbers = [first.seconds, seconds, times, dB].map((value) => value.toFixed(2));
      row(engine, work.name, ...numbers, isSame ? 'yes' : 'NO');
    }
  } finally {
    await service.close();
  }
}
process.exit(faults > 0 ? 1 : 0);
