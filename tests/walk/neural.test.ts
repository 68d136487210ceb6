/**
 * A neural renderer in the slot of `studio`: MuseTalk's networks, tiny and with weights whose answer is known (inference/tests/
 * musetalk.py), built as an operator builds the published ones. They paint the reference, as it is where the sound is loud and
 * as a negative in silence.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdminSlot } from '../../src/contract/releases.ts';
import type { BenchHooks } from '../../src/operations/lip-sync/bench-hooks.ts';
import { cut, meshIn } from '../../src/operations/lip-sync/render/patch.ts';
import { LipsyncOptions } from '../../src/operations/lip-sync/request.ts';
import { runLipSync } from '../../src/operations/lip-sync/run.ts';
import { places, root } from '../../src/stack/home.mjs';
import { SHAPE } from '../../src/triton/clients/mouth-plan.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { floatsOf, type Tensor } from '../../src/triton/protocol/tensor.ts';
import type { Transport } from '../../src/triton/protocol/transport.ts';
import { failing } from '../media/failing.ts';
import { makeClip } from '../real/clip.ts';
import { testConfig } from '../real/config.ts';
import { lipsyncModels } from '../real/lipsync.ts';
import { probeBoth } from '../real/probe-both.ts';
import { tempDir } from '../real/run.ts';
import { callerOf, realService } from '../real/service.ts';
import { FPS, mean, pictures } from '../real/speaking.ts';
import { syncing } from '../real/synced.ts';
import { portrait, talkingHead } from '../real/talking.ts';
import { lipsyncNames, ownTriton, repositories, tritonEnvironment } from '../real/triton.ts';
import { until } from '../real/until.ts';

const test = suite('a neural renderer');
const dir = tempDir('neural');
const at = (name: string) => join(dir, name);

const python = (cwd: string, ...words: string[]) =>
  execa(places.python, ['-m', ...words], { cwd, env: { PYTHONPATH: root }, timeout: 60_000 });
await python(join(root, 'inference'), 'tests.musetalk', at('weights'));
await python(
  root,
  ...['inference.build.musetalk', '--weights', at('weights'), '--out', at('models')],
  ...['--sha256', at('weights/SHA256SUMS'), '--version', 'musetalk-tiny'],
);

const modelsDir = tempDir('added');
const triton = await ownTriton(lipsyncNames('studio'), [...repositories, modelsDir]);
const service = await realService({ MODELS_DIR: modelsDir }, Promise.resolve(triton));

/** `enhance models`, as an operator uses it. */
const models = (...words: string[]) =>
  execa(process.execPath, [join(root, 'src/cli/bin.mjs'), 'models', ...words, '--json'], {
    cwd: root,
    env: service.env,
    reject: false,
  });
const enhance = async (...words: string[]) => {
  const { exitCode, stdout, stderr } = await models(...words);
  assert.equal([exitCode, stderr], [0, ''], 'no warning is printed');
  return JSON.parse(stdout);
};
const added = await enhance('add', at('models'), '--slot', 'studio');
await enhance('promote', added.release);
const admin = callerOf('operator', service.adminKey ?? '', service.url).http;
const slots: AdminSlot[] = (await admin.get('/v1/admin/models')).data.data;
const studio = slots.find(({ slot }) => slot === 'studio');
const neural = studio?.releases.find(({ release }) => release === added.release)?.models ?? {};
const renderer = neural.mouth_render_studio ?? '';
const caller = await service.caller(1000);
const synced = syncing(caller, dir);

/** Loud from 0.24 s to 0.64 s: three silent frames before that, and a few loud ones, are looked at. */
const LOUD = [0.24, 0.64] as const;
const SECONDS = 0.84;
const noise = 'anoisesrc=c=pink:a=0.5:seed=7:r=16000';
const audio = await makeClip(
  at('burst.wav'),
  ['-f', 'lavfi', '-i', `${noise},volume=0:enable='lt(t,${LOUD[0]})+gte(t,${LOUD[1]})'`],
  ['-t', `${SECONDS}`],
);
// No two frames are the same.
const noisy = ['noise=alls=4:allf=t:all_seed=3'];
const clip = await talkingHead(at('clip.mp4'), SECONDS, '480x480', noisy);
/** Enough frames for looking at each request. */
const few = {
  media: await talkingHead(at('few.mp4'), 0.4, '480x480', noisy),
  audio: await makeClip(at('few.wav'), ['-f', 'lavfi', '-i', noise], ['-t', '0.4']),
};

/** What is heard in a frame: all of what the network looks at is loud, or silent; null near an edge. */
const loudAt = (time: number): boolean | null => {
  // 80 ms before the frame to 120 ms after it, and whisper's own window of 25 ms.
  const [from, to] = [time - 0.11, time + 0.15];
  if (from >= LOUD[0] && to <= LOUD[1]) return true;
  return to <= LOUD[0] || from >= LOUD[1] ? false : null;
};

const correlation = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  const [meanA, meanB] = [mean(a), mean(b)];
  let [both, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i += 1) {
    const [x, y] = [(a[i] ?? 0) - meanA, (b[i] ?? 0) - meanB];
    both += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return both / Math.sqrt(ofA * ofB);
};

/** Each frame's mouth is like the original where the sound is loud, and not where there is silence. Measured: 0.6 to 0.7, and below 0. */
const assertHeard = (likeness: readonly number[]) => {
  const told = likeness.map((value) => value.toFixed(2)).join(' ');
  const heard = likeness.map((value, i) => ({ value, loud: loudAt(i / FPS) }));
  for (const loud of [true, false]) {
    const values = heard.filter((frame) => frame.loud === loud).map(({ value }) => value);
    assert.ok(values.length >= 3, `${values.length} frames`);
    assert.ok(
      values.every((value) => (loud ? value > 0.4 : value < 0.15)),
      `${loud ? 'loud' : 'silent'}: ${told}`,
    );
  }
};

test('a clip is synced by it over HTTP, and its mouth follows the new sound', async () => {
  const { result, output } = await synced(clip, audio, { model: 'studio' });
  assert.equal([result.release, added.release], ['studio@r2', 'studio@r2']);
  assert.equal([result.frames, result.frames_passed_through], [21, 0]);
  const mouths = [48, 24, 191, 121] as const;
  const [before, after] = [await pictures(clip, ...mouths), await pictures(output, ...mouths)];
  assertHeard(after.map((mouth, i) => correlation(mouth, before[i] ?? [])));
});

test('so is a portrait, which is its own reference', async () => {
  const options = JSON.stringify({ motion: false });
  const { result, output } = await synced(portrait, audio, { model: 'studio', options });
  assert.is(result.release, 'studio@r2');
  const mouths = [48, 24, 200, 129] as const;
  const [still] = await pictures(portrait, ...mouths);
  assertHeard((await pictures(output, ...mouths)).map((mouth) => correlation(mouth, still ?? [])));
});

/** The inputs of each request for a frame, by their names. */
const sent: Map<string, Tensor>[] = [];
const config = testConfig(tritonEnvironment(triton));
const transport = await openTransport(config.triton);
const listening: Transport = {
  ...transport,
  infer: (model, inputs, wanted, signal) => {
    if (model === renderer)
      sent.push(
        new Map(inputs.map((input) => [input.name, { ...input, data: Buffer.from(input.data) }])),
      );
    return transport.infer(model, inputs, wanted, signal);
  },
};
/** The same model, told that all of the patch may change. */
const unmasking: Transport = {
  ...transport,
  infer: (model, inputs, wanted, signal) => {
    const unmasked = inputs.map((input) =>
      input.name === 'MASK' ? { ...input, data: Buffer.alloc(input.data.length, 255) } : input,
    );
    return transport.infer(model, unmasked, wanted, signal);
  },
};
type Seen = Parameters<NonNullable<BenchHooks['rendered']>>[0];
type Planned = Parameters<NonNullable<BenchHooks['planned']>>[0];

/** A clip through the pipeline in this process, with all that was sent to the renderer. */
const watched = async () => {
  const signal = AbortSignal.timeout(60_000);
  const frames: Seen[] = [];
  const plans: Planned[] = [];
  await runLipSync({
    inputs: few,
    found: await probeBoth(few, config, signal),
    target: at('watched.mp4'),
    config,
    report: () => {},
    signal,
    models: await lipsyncModels('studio', listening, config.triton, neural),
    options: LipsyncOptions.parse({ model: 'studio' }),
    hooks: {
      planned: (plan) => plans.push(plan),
      rendered: (frame) => frames.push(frame),
    },
  });
  const [plan] = plans;
  if (!plan) throw new Error('nothing was planned');
  return { frames, plan };
};

test('each request has its own sound, the mouth of another frame and the mask, and only that changes', async () => {
  const { frames, plan } = await watched();
  assert.is(frames.length, 10);
  const [first, ...requests] = sent;
  // SUBJECT and STYLE are asked for without them.
  assert.equal(
    [...(first?.keys() ?? [])].filter((name) => /SPEECH|REFERENCE|MASK/.test(name)),
    [],
  );
  assert.is(requests.length, frames.length);
  const cuts = frames.map((frame) => {
    const { rect, mesh, before } = frame;
    if (!rect || !mesh) throw new Error('the face was lost');
    return { ...frame, rect, luma: lumaOf(cut(before, rect)), mesh: meshIn(mesh, rect) };
  });
  const used = new Set<number>();
  for (const request of requests) {
    const of = (name: string): Tensor => {
      const found = request.get(name);
      if (!found) throw new Error(`the request has no ${name}`);
      return found;
    };
    const index = cuts.findIndex(({ luma }) => luma.equals(of('Y').data));
    const frame = cuts[index];
    if (!frame?.mask) throw new Error('the request is for no frame of the clip');

    const start = Math.round((plan.times[index] ?? 0) * 16_000) - 16_000;
    const heard = Array.from({ length: 32_000 }, (_, i) => plan.pcm[start + i] ?? 0);
    assert.equal([...floatsOf(of('SPEECH'))], heard, `the sound of frame ${index}`);

    const other = cuts.findIndex(({ luma }) => luma.equals(of('REFERENCE_Y').data));
    assert.ok(other >= 0 && other !== index, `frame ${index} refers to ${other}`);
    used.add(other);
    assert.equal(floatsOf(of('REFERENCE_MESH')), cuts[other]?.mesh);

    const allowed = of('MASK').data;
    assert.ok(frame.mask.every((share, i) => share === 0 || allowed[i] === 255));
    assert.ok(frame.mask.includes(255));
    assertUnchangedBeside(frame, frame.rect, frame.mask);
  }
  assert.is(used.size, 2);
});

test('a model that changes what it may not change is at fault', async () => {
  const [, request] = sent;
  const of = (name: string): Buffer => request?.get(name)?.data ?? Buffer.alloc(0);
  const [height = 0, width = 0] = request?.get('Y')?.shape ?? [];
  const patch = { width, height, pixels: Buffer.concat([of('Y'), of('U'), of('V')]) };
  const mesh = meshOf(request);
  const coding = { kr: 0.299, kb: 0.114, fullRange: false };
  const mouth = {
    patch,
    mesh,
    about: { coding, subject: new Float32Array(1), style: 'photo' },
  } as const;
  const wanted = {
    speech: new Float32Array(32_000),
    reference: { patch, mesh },
    mask: Buffer.from(of('MASK')),
  };
  const shown = { target: new Float32Array(SHAPE), wanted };
  const signal = AbortSignal.timeout(20_000);
  const render = async (over: Transport) => {
    const { mouthRender } = await lipsyncModels('studio', over, config.triton, neural);
    return mouthRender.render(mouth, shown, signal);
  };
  assert.ok((await render(transport)).mask.includes(255));
  const { cause } = await failing(render(unmasking), 'model_unavailable');
  assert.match(String(cause), /it changes pixel \d+, which its MASK excludes/);
});

const meshOf = (request: Map<string, Tensor> | undefined): Float32Array => {
  const mesh = request?.get('MESH');
  if (!mesh) throw new Error('the request has no MESH');
  return floatsOf(mesh);
};

const lumaOf = ({ width, height, pixels }: Seen['before']): Buffer =>
  pixels.subarray(0, width * height);

/** Luma and chroma are those of the clip wherever the mask is 0. */
const assertUnchangedBeside = (
  { before, after }: Seen,
  rect: NonNullable<Seen['rect']>,
  mask: Buffer,
): void => {
  const { width, height } = before;
  const allowed = new Uint8Array(after.pixels.length);
  for (const [i, share] of mask.entries()) {
    if (share === 0) continue;
    const [x, y] = [rect.x + (i % rect.width), rect.y + Math.floor(i / rect.width)];
    const chroma = width * height + (y >> 1) * (width / 2) + (x >> 1);
    for (const byte of [y * width + x, chroma, chroma + (width * height) / 4]) allowed[byte] = 1;
  }
  let changed = 0;
  const beside: number[] = [];
  for (const [i, value] of after.pixels.entries()) {
    if (value === before.pixels[i]) continue;
    changed += 1;
    if (!allowed[i]) beside.push(i);
  }
  assert.ok(changed > 200, `${changed} bytes`);
  assert.equal(beside, []);
};

/** The release with more code at the end of its model.py. */
const changed = (name: string, code: string): string => {
  cpSync(at('models'), at(name), { recursive: true });
  const entry = at(`${name}/mouth_render_studio/1/model.py`);
  writeFileSync(entry, `${readFileSync(entry, 'utf8')}${code}`);
  return at(name);
};

test('a release whose network paints NaN is refused, and says so', async () => {
  const torn = `
class Torn(TritonPythonModel):
    def open_painter(self, folder, engine):
        painter = super().open_painter(folder, engine)
        paint = painter.paint
        painter.paint = lambda *of: paint(*of) * float("nan")
        return painter

TritonPythonModel = Torn
`;
  const { exitCode, stdout, stderr } = await models(
    'add',
    changed('torn', torn),
    '--slot',
    'studio',
  );
  assert.is(exitCode, 1, stdout);
  assert.match(stderr, 'the network painted NaN or infinity');
});

test('Ctrl-C while a release is loaded leaves nothing of it', async () => {
  const [before, control] = [readdirSync(modelsDir), openControl(triton)];
  const hangs = changed('hangs', '\nimport time\ntime.sleep(600)\n');
  const adding = models('add', hangs, '--slot', 'studio');
  const loading = async () =>
    (await control.repositoryIndex()).some(({ state }) => state === 'LOADING');
  await until('Triton loads it', loading);
  adding.kill('SIGINT');
  const { exitCode, stderr } = await adding;
  assert.is(exitCode, 1);
  assert.match(stderr, /taken back first\.\nStopped\./);
  assert.equal([readdirSync(modelsDir), await loading()], [before, false]);
});

test.after(service.close);

test.run();
