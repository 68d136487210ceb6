/** Releases added to a real Triton: good ones pass, broken ones are refused with a sentence and leave nothing. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addOn, takeBack } from '../../src/models/add.ts';
import { type CheckBounds, checkRelease } from '../../src/models/check/check.ts';
import type { Manifest } from '../../src/models/pack/release-folder.ts';
import { places, root } from '../../src/stack/home.mjs';
import { loadedAs } from '../../src/triton/clients/model.ts';
import { openUpscaler, upscalerSlot } from '../../src/triton/clients/upscaler.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { testConfig } from '../real/config.ts';
import { tempDir } from '../real/run.ts';
import { ownTriton, tritonEnvironment } from '../real/triton.ts';
import { until } from '../real/until.ts';
import { failure, never } from '../triton/promises.ts';

const test = suite('check');
const modelsDir = tempDir('models');
const triton = await ownTriton([], [modelsDir]);
const control = openControl(triton);
const transport = await openTransport(testConfig(tritonEnvironment(triton)).triton);
const slots = [upscalerSlot('photo')];
const bounds: CheckBounds = { warmUpMs: 20_000, memoryBytes: 4e9, goldenDb: 28 };

/** A network of `made.py`. */
const network = (kind: string): string => {
  const file = join(tempDir('onnx'), `${kind}.onnx`);
  const made = join(dirname(fileURLToPath(import.meta.url)), 'made.py');
  const { status, stderr } = spawnSync(places.python, [made, kind, file], { encoding: 'utf8' });
  assert.is(status, 0, stderr);
  return file;
};
/** A release by a model.py of its own. */
const written = (body: string, { dims = '-1, -1, -1', type = 'TYPE_UINT8' } = {}): string => {
  const folder = tempDir('release');
  cpSync(join(root, 'models/photo'), folder, { recursive: true });
  const config = join(folder, 'config.pbtxt');
  const text = readFileSync(config, 'utf8').replaceAll('-1, -1, -1', dims);
  writeFileSync(config, text.replaceAll('TYPE_UINT8', type));
  mkdirSync(join(folder, '1'), { recursive: true });
  writeFileSync(join(folder, '1/model.py'), `${head}${body}`);
  return folder;
};
const head = `import itertools, os, time
import numpy as np
from serving.shell import Shell

asked = itertools.count()

def twice(inputs):
    by = int(inputs.number("SCALE"))
    return inputs["IMAGE"].repeat(by, 0).repeat(by, 1)

`;
/** A model that answers with \`expression\`. */
const answering = (expression: string): string => `class TritonPythonModel(Shell):
    def run(self, inputs, wanted):
        return {"IMAGE": ${expression}, "ENGINE": np.array(["numpy"], np.object_)}
`;

type Trying = { readonly loadWithinMs?: number; readonly signal?: AbortSignal };
const add = (
  path: string,
  more: Partial<CheckBounds> = {},
  { loadWithinMs = 20_000, signal = never }: Trying = {},
) =>
  addOn(
    { path, slot: 'photo', licence: 'MIT' },
    {
      modelsDir,
      tritonSlots: slots,
      taken: { names: [], versions: [], releases: [] },
      control,
      transport,
      signal,
      loadWithinMs,
      bounds: { ...bounds, ...more },
    },
  );
const stateOf = async (name: string, within = {}) =>
  (await control.repositoryIndex(within)).find((entry) => entry.name === name)?.state;
/** Why it was refused; nothing of it is left, neither a file nor a model. */
const refusal = async (...parts: Parameters<typeof add>): Promise<string> => {
  const before = readdirSync(modelsDir);
  const { facts } = await failure(add(...parts), 'release_refused');
  assert.equal(readdirSync(modelsDir), before);
  const states = (await control.repositoryIndex()).map(({ state }) => state);
  assert.not(states.includes('LOADING') || states.includes('UNLOADING'), states.join());
  assert.is(states.filter((state) => state === 'READY').length, before.length);
  return String(facts.reason);
};
const refusedFor = async (why: string | RegExp, ...parts: Parameters<typeof add>) => {
  const reason = await refusal(...parts);
  assert.ok(typeof why === 'string' ? reason.includes(why) : why.test(reason), reason);
};
const added: Manifest[] = [];

test('an ONNX file becomes a model that serves, with every check passed', async () => {
  const { manifest, checks } = await add(network('x2'));
  added.push(manifest);
  assert.equal(
    checks.map(({ name, ok }) => `${name} ${ok}`),
    ['files', 'licence', 'contract', 'warm-up', 'golden', 'memory'].map((name) => `${name} true`),
  );
  const bytes = checks.at(-1)?.bytes ?? 0;
  assert.ok(bytes > 50e6 && bytes < 2e9, `${bytes} bytes`);
  const name = manifest.models.photo?.name ?? '';
  assert.is(await stateOf(name), 'READY');
  const [slot = upscalerSlot('photo')] = slots;
  const upscaler = openUpscaler(transport, loadedAs(slot, await control.modelConfig(name)));
  const picture = { width: 7, height: 5, channels: 4, pixels: Buffer.alloc(140, 80) } as const;
  const large = await upscaler.run(picture, 8, never);
  assert.equal([large.width, large.height, large.pixels.length], [56, 40, 8960]);
  assert.ok(large.pixels.every((value) => Math.abs(value - 80) <= 1));
});

for (const [kind, why] of [
  ['nan', 'the network gave NaN or infinity'],
  ['swapped', 'expected at least 28 dB'],
] as const)
  test(`a network that is ${kind} is refused`, async () => {
    await refusedFor(why, network(kind));
  });

test('a model of another shape or type is refused by what the server itself says of it', async () => {
  const same = answering('twice(inputs)');
  const shape = written(same, { dims: '-1, -1, 3' });
  await refusedFor('as TYPE_UINT8 [-1,-1,-1], got "TYPE_UINT8 [-1,-1,3]"', shape);
  await refusedFor('got "TYPE_FP32 [-1,-1,-1]"', written(same, { type: 'TYPE_FP32' }));
});

test('a model without its weights, one that ends and one that fails are refused with what they said', async () => {
  const weights = 'open(os.path.join(args["model_repository"], "1/weights.bin"))';
  const initialize = `    def initialize(self, args):\n        ${weights}\n`;
  const without = written(`${answering('twice(inputs)')}${initialize}`);
  await refusedFor(/could not be loaded: .*No such file or directory.*weights\.bin/, without);
  await refusedFor(/could not be loaded: .*not healthy/, written('os._exit(3)'));
  await refusedFor('division by zero', written(answering('1 / 0')));
});

const hangs = () => written(`${answering('twice(inputs)')}time.sleep(600)\n`);
/** A load of photo__r3 that was given up has ended, and the name is free. */
const isFree = async () => {
  assert.is(await stateOf('photo__r3'), undefined);
  const { manifest } = await add(written(answering('twice(inputs)')));
  assert.is(manifest.models.photo?.name, 'photo__r3');
  await takeBack(manifest, modelsDir, [control]);
  assert.is(await stateOf('photo__r3'), undefined);
};

test('a load that is given up as soon as it has begun ends, and its name is free again', async () => {
  const stop = new AbortController();
  const adding = add(hangs(), {}, { signal: stop.signal }).catch(({ cause }) => String(cause));
  // The thread of Triton that loads it answers nobody; the next look asks another.
  const isLoading = async () =>
    (await stateOf('photo__r3', { timeoutMs: 1_000 }).catch(() => null)) === 'LOADING';
  await until('Triton loads it', isLoading);
  stop.abort(new Error('given up'));
  assert.match(String(await adding), 'given up');
  await isFree();
});

test('a load that is given up while it hangs ends, and its name is free again', async () => {
  await refusedFor('photo__r3 was not loaded within 1.5 s', hangs(), {}, { loadWithinMs: 1500 });
  await isFree();
});

test('a model that hangs at its first request is refused, and gone', async () => {
  const hangs = written(answering('time.sleep(600)'));
  await refusedFor(/no answer within 1\.5 s$/, hangs, { warmUpMs: 1500 });
});

test('a model that answers something else each time, a wrong picture or a wrong size is refused', async () => {
  const noise = answering('twice(inputs) ^ np.uint8(next(asked) % 2)');
  await refusedFor('expected the same answer to the same picture', written(noise));
  const tinted = answering('np.clip(twice(inputs).astype(int) + 6, 0, 255).astype(np.uint8)');
  await refusedFor('expected colours within 4', written(tinted));
  await refusedFor(/expected.*\[144,192,4\]/i, written(answering('inputs["IMAGE"]')));
});

test('a model that takes more memory than the bound is refused', async () => {
  const fine = written(answering('twice(inputs)'));
  await refusedFor('the bound is 20 MB', fine, { memoryBytes: 20 * 1024 ** 2 });
});

test('a model that does not answer as shell.py does is refused', async () => {
  const own = `class TritonPythonModel:
    def execute(self, requests):
        raise RuntimeError("not of the house")
`;
  await refusedFor('expected its model.py to answer "ping" as', written(own));
});

test('after all that was refused Triton is live, by which containers judge it; it never is ready again', async () => {
  const health = async (what: string) =>
    (await fetch(`${triton.httpUrl}/v2/health/${what}`)).status;
  assert.equal([await health('live'), await health('ready')], [200, 400]);
});

test('a release whose file was changed does not pass any more', async () => {
  const [manifest] = added;
  assert.ok(manifest);
  const file = join(modelsDir, manifest.models.photo?.name ?? '', 'config.pbtxt');
  const text = readFileSync(file);
  const parts = { manifest, slots, modelsDir, control, transport, signal: never, bounds };
  const filesCheck = async () => (await checkRelease(parts))[0];
  assert.is((await filesCheck())?.ok, true);
  // Root may write what nobody may write.
  spawnSync('chmod', ['u+w', file]);
  writeFileSync(file, `${text}# more\n`);
  const { ok, detail } = (await filesCheck()) ?? {};
  assert.equal([ok, detail], [false, 'photo__r2/config.pbtxt was changed']);
});

test('a check that is aborted says why', async () => {
  const [manifest] = added;
  assert.ok(manifest);
  const stop = AbortSignal.abort(new Error('enough'));
  const parts = { manifest, slots, modelsDir, control, transport, signal: stop, bounds };
  assert.is(await checkRelease(parts).catch(({ message }) => message), 'enough');
});

test('a model that ends Triton itself while it is loaded is refused, and no file of it is left', async () => {
  const before = readdirSync(modelsDir);
  const kills = '    def initialize(self, args):\n        os.kill(os.getppid(), 9)\n';
  await failure(add(written(`${answering('twice(inputs)')}${kills}`)), 'release_refused');
  assert.equal(readdirSync(modelsDir), before);
  await triton.start();
});

test.after(async () => {
  await until('nothing is being loaded', async () =>
    (await control.repositoryIndex()).every(({ state }) => state !== 'LOADING'),
  );
  await transport.close();
  await triton.close();
});

test.run();
