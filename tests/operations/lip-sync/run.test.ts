/** Lip sync with the real models, observed by hooks: which bytes change, who speaks, how it ends. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stage } from '../../../src/contract/job.ts';
import type { BenchHooks } from '../../../src/operations/lip-sync/bench-hooks.ts';
import { LipsyncOptions, type Speaker } from '../../../src/operations/lip-sync/request.ts';
import { runLipSync } from '../../../src/operations/lip-sync/run.ts';
import type { LipSyncTask } from '../../../src/operations/lip-sync/task.ts';
import { SHAPE } from '../../../src/triton/clients/mouth-plan.ts';
import { openTransport } from '../../../src/triton/open-transport.ts';
import { failing } from '../../media/failing.ts';
import { h264, makeClip, pattern, tone } from '../../real/clip.ts';
import { testConfig } from '../../real/config.ts';
import { ffmpegPath } from '../../real/ffmpeg.ts';
import { lipsyncModels } from '../../real/lipsync.ts';
import { probeBoth } from '../../real/probe-both.ts';
import { tempDir } from '../../real/run.ts';
import { sounds } from '../../real/sounds.ts';
import { portrait, talkingHead } from '../../real/talking.ts';
import { lipsyncNames, realTriton, tritonEnvironment } from '../../real/triton.ts';

const test = suite('lip sync');
const dir = tempDir('lip-sync');
const at = (name: string) => join(dir, name);
const triton = await realTriton(lipsyncNames('fast'));
const config = testConfig(tritonEnvironment(triton));
const transport = await openTransport(config.triton);
const models = await lipsyncModels('fast', transport, config.triton);

const babble = await sounds.babble(at('babble.wav'), 1);
/** Half of the usual frames a second, where no test looks at more. */
const head = await talkingHead(at('head.mp4'), 1, '480x480', ['fps=12']);

type Asked = Partial<Pick<LipSyncTask, 'hooks' | 'report' | 'signal' | 'config'>> & {
  readonly speaker?: Speaker;
  /** A file of the samples of the sound, as the probe writes it. */
  readonly heard?: string;
  readonly options?: Partial<LipsyncOptions['options']>;
};
let count = 0;
const run = async (media: string, asked: Asked = {}, audio = babble) => {
  const { speaker, options, heard, config: given = config, ...rest } = asked;
  const found = await probeBoth({ media, audio }, given, AbortSignal.timeout(30_000));
  const target = at(`${count++}.mp4`);
  const outcome = await runLipSync({
    inputs: { media, audio, ...(heard && { heard }) },
    target,
    models,
    config: given,
    found,
    report: () => {},
    signal: AbortSignal.timeout(120_000),
    options: LipsyncOptions.parse({ model: 'fast', ...(speaker && { speaker }), options }),
    ...rest,
  });
  return { ...outcome, ...outcome.lipsync, target };
};

type Seen = Parameters<NonNullable<BenchHooks['rendered']>>[0];
/** Runs it and keeps what was done to every frame. */
const watched = async (media: string, asked: Asked = {}) => {
  const frames: (Omit<Seen, 'before' | 'after'> & { readonly changed: readonly number[] })[] = [];
  const rendered = ({ before, after, ...rest }: Seen) => {
    const changed: number[] = [];
    after.pixels.forEach((code, i) => {
      if (code !== before.pixels[i]) changed.push(i);
    });
    frames.push({ ...rest, changed });
  };
  return { ...(await run(media, { ...asked, hooks: { rendered } })), frames };
};

test('only bytes under the mask change, and the mouth is under it', async () => {
  const { frames, framesPassedThrough, facesDetected } = await watched(head);
  assert.equal([frames.length, facesDetected, framesPassedThrough], [12, 1, 0]);
  assert.equal(
    frames.map(({ index }) => index),
    [...frames.keys()],
  );
  for (const { rect, mask, mesh, changed } of frames) {
    if (!rect || !mask || !mesh) throw new Error('the face was lost');
    const allowed = new Set<number>();
    mask.forEach((share, i) => {
      if (share === 0) return;
      const [x, y] = [rect.x + (i % rect.width), rect.y + Math.floor(i / rect.width)];
      const chroma = 480 * 480 + (y >> 1) * 240 + (x >> 1);
      for (const byte of [y * 480 + x, chroma, chroma + 240 * 240]) allowed.add(byte);
    });
    assert.ok(changed.length > 200, `${changed.length} bytes`);
    assert.equal(
      changed.filter((byte) => !allowed.has(byte)),
      [],
    );
    const [x, y] = [
      Math.round(mesh[17 * 3] ?? 0) - rect.x,
      Math.round(mesh[17 * 3 + 1] ?? 0) - rect.y,
    ];
    assert.ok(x > 0 && x < rect.width && y > 0 && y < rect.height);
  }
});

test('a frame without the face passes through and is counted, and the mouth fades towards it', async () => {
  const gone = ["drawbox=x=0:y=0:w=480:h=480:color=gray:t=fill:enable='between(n,10,14)'"];
  const { frames, framesPassedThrough } = await watched(
    await talkingHead(at('gone.mp4'), 1, '480x480', gone),
  );
  const passed = frames.filter(({ changed }) => changed.length === 0).map(({ index }) => index);
  for (const index of [10, 11, 12, 13, 14]) assert.ok(passed.includes(index), `${passed}`);
  assert.is(framesPassedThrough, passed.length);
  assert.ok(passed.length < 12, `${passed}`);
});

test('of two faces the larger speaks, or the one at the point', async () => {
  const input = ['-loop', '1', '-framerate', '25', '-i', portrait, '-t', '0.4'];
  const both = 'split[a][b];[b]scale=300:300,pad=300:512[c];[a][c]hstack';
  const clip = await makeClip(at('two.mp4'), input, [
    '-filter_complex',
    both,
    ...h264,
    '-crf',
    '16',
  ]);
  const middle = ({ rect }: { rect: Seen['rect'] }) =>
    rect ? rect.x + rect.width / 2 : Number.NaN;
  const auto = await watched(clip);
  assert.is(auto.facesDetected, 2);
  assert.ok(auto.frames.every((frame) => middle(frame) < 512));
  const chosen = await watched(clip, { speaker: { frame: 3, x: 512 + 130, y: 75 } });
  assert.ok(
    chosen.frames.every((frame) => middle(frame) > 512),
    `${chosen.frames.map(middle)}`,
  );
  await failing(run(clip, { speaker: { frame: 0, x: 500, y: 500 } }), 'speaker_not_found');
});

test('what is too small or too narrow to look at has no face, and is no fault of the model', async () => {
  const sizes = { png: '16x12', mp4: '1400x16' };
  const [still, clip] = [at('small.png'), at('narrow.mp4')];
  await makeClip(still, pattern(0.04, 25, sizes.png), ['-frames:v', '1']);
  await makeClip(clip, pattern(0.2, 25, sizes.mp4), h264);
  await failing(run(still), 'no_face_detected');
  await failing(run(clip), 'no_face_detected');
});

test('an odd size grows, with a warning', async () => {
  const clip = await talkingHead(
    at('odd.avi'),
    0.3,
    '480x480',
    ['scale=451:449'],
    ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj444p'],
  );
  const { outputSize, warnings, framesPassedThrough } = await run(clip);
  assert.equal([outputSize, framesPassedThrough], [{ width: 452, height: 450 }, 0]);
  assert.equal(
    warnings?.map(({ code }) => code),
    ['odd_size_grown', 'no_speech_heard'],
  );
});

test('a clip without speech of its own, and a sound without speech, give a result', async () => {
  const hum = await makeClip(at('hum.wav'), tone(0.5));
  const { sync, frames, durationSeconds } = await run(head, {}, hum);
  assert.equal([frames, durationSeconds], [6, 0.5]);
  assert.is(sync, null);
});

test('a portrait becomes a video as long as the sound, whose head moves or does not', async () => {
  const still = await run(portrait, { options: { motion: false } });
  assert.equal([still.frames, still.fps, still.outputSize], [25, 25, { width: 512, height: 512 }]);
  const moving = await run(portrait);
  assert.equal([moving.frames, moving.facesDetected], [25, 1]);
  // Hair and forehead, where no mouth reaches.
  const sway = async (path: string) => {
    const brows = ['-vf', 'crop=160:60:150:20', '-pix_fmt', 'gray', '-f', 'rawvideo', '-'];
    const { stdout } = await execa(ffmpegPath, ['-i', path, ...brows], { encoding: 'buffer' });
    const [first, last] = [stdout.subarray(0, 9600), stdout.subarray(24 * 9600)];
    assert.is(last.length, 9600);
    return last.reduce((sum, code, i) => sum + Math.abs(code - (first[i] ?? 0)), 0) / 9600;
  };
  const [moved, stood] = [await sway(moving.target), await sway(still.target)];
  assert.ok(stood < 0.5 && moved > 2, `moved ${moved}, stood ${stood}`);
});

test('callers are told of a portrait whose border runs along the lips', async () => {
  const cut = await makeClip(
    at('cut.png'),
    ['-i', portrait],
    ['-vf', 'crop=512:156:0:0', '-frames:v', '1'],
  );
  const codes = async (path: string) => (await run(path)).warnings?.map(({ code }) => code);
  assert.ok((await codes(cut))?.includes('mouth_at_border'));
  assert.not((await codes(portrait))?.includes('mouth_at_border'));
});

test('a sound and a picture that are as long and as large as is allowed are done', async () => {
  const limits = {
    LIPSYNC_MAX_SECONDS: '1',
    VIDEO_MAX_LONG_SIDE: '401',
    VIDEO_MAX_SHORT_SIDE: '401',
  };
  const odd = await makeClip(
    at('limit.png'),
    ['-i', portrait],
    ['-vf', 'crop=401:401:30:0', '-frames:v', '1'],
  );
  const { frames, outputSize } = await run(odd, {
    config: testConfig({ ...tritonEnvironment(triton), ...limits }),
  });
  assert.equal([frames, outputSize], [25, { width: 402, height: 402 }]);
});

test('the plan may be kept from learning from parts of the clip', async () => {
  const asked: number[] = [];
  let planned = 0;
  const hooks: BenchHooks = {
    learn: (seconds) => {
      asked.push(seconds);
      return seconds < 0.5;
    },
    planned: ({ targets, times }) => {
      planned = targets.length / times.length;
    },
  };
  await run(head, { hooks });
  assert.is(asked.length, 12);
  assert.is(planned, SHAPE);
});

test('frames and percent only grow', async () => {
  const told: string[] = [];
  let least = 0;
  const report: LipSyncTask['report'] = ({ stage, framesDone, framesTotal, span = [0, 0] }) => {
    if (told.at(-1) !== stage) told.push(stage);
    const part = span[0] + (span[1] - span[0]) * (framesTotal ? framesDone / framesTotal : 0);
    assert.ok(part >= least - 1e-9, `${part} after ${least} in ${stage}`);
    least = part;
  };
  await run(head, { report });
  assert.equal(told, ['decoding', 'inference', 'encoding']);
});

test('the samples that the probe has written are heard, and the sound file is not decoded again', async () => {
  const heard = at('heard.f32');
  writeFileSync(heard, Buffer.alloc(4 * 16_000));
  const planned: Float32Array[] = [];
  const hooks: BenchHooks = { planned: ({ pcm }) => planned.push(pcm) };
  const { warnings } = await run(head, { heard, hooks });
  assert.equal(planned, [new Float32Array(16_000)]);
  assert.equal(
    warnings?.map(({ code }) => code),
    ['no_speech_heard'],
  );
});

test('where a sound begins after six seconds, the result is measured there', async () => {
  const spoken = await sounds.babble(at('spoken.wav'), 3);
  const intro = ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono:d=6'];
  const joined = ['-filter_complex', '[0][1]concat=n=2:v=0:a=1', '-ar', '16000'];
  const late = await makeClip(at('late.wav'), [...intro, '-i', spoken], joined);
  const slow = await talkingHead(at('slow.mp4'), 9, '240x240', ['fps=8']);
  const { sync, warnings } = await run(slow, {}, late);
  // Of the babble, which is no language, about half a second is heard as speech.
  assert.ok(sync && sync.speechSeconds > 0.3, JSON.stringify({ sync, warnings }));
});

test('an abort before the first step ends it with its reason', async () => {
  const reason = new Error('enough');
  const ended = await run(head, { signal: AbortSignal.abort(reason) }).catch(
    (error: unknown) => error,
  );
  assert.is(ended, reason);
});

const longer = await talkingHead(at('longer.mp4'), 1);
for (const stage of ['decoding', 'inference', 'encoding'] satisfies Stage[]) {
  test(`an abort while ${stage} ends it, and nothing of it is left`, async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    let from = 0;
    const report: LipSyncTask['report'] = (progress) => {
      if (progress.stage !== stage || from > 0) return;
      from = performance.now();
      setTimeout(() => stop.abort(reason), 20);
    };
    const ended = await run(longer, { report, signal: stop.signal }).catch(
      (error: unknown) => error,
    );
    assert.is(ended, reason);
    assert.ok(performance.now() - from < 10_000, `${performance.now() - from} ms`);
    assert.equal(
      readdirSync(dir).filter((name) => name.endsWith('.meshes')),
      [],
    );
  });
}

test.after(async () => {
  await transport.close();
  await triton.close();
});

if (!existsSync(portrait)) throw new Error(`${portrait} is missing: run npm run setup`);
test.run();
