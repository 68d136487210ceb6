/** Releases are swapped under load, on two Tritons: a real `photo` and a second release of it that inverts the colours. */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Job } from '../../src/contract/job.ts';
import { openRegistry } from '../../src/models/registry.ts';
import { added } from '../../src/models/state.ts';
import { operations } from '../../src/operations/all.ts';
import { slotForms } from '../../src/operations/catalogue-entries.ts';
import { places, root } from '../../src/stack/home.mjs';
import { openControl } from '../../src/triton/protocol/control.ts';
import { tempDir } from '../real/run.ts';
import { callerOf, ended, formOf, realService } from '../real/service.ts';
import { shippedPhoto } from '../real/shipped-photo.ts';
import { ownTriton, repositories } from '../real/triton.ts';
import { until } from '../real/until.ts';

const folder = tempDir('releases');
/** `photo` under another name, whose pictures have inverted colours, so that they tell who made them. */
const inverting = (name: string, version: string): void => {
  const copy = join(folder, name);
  cpSync(join(root, 'models/photo'), copy, { recursive: true });
  const config = join(copy, 'config.pbtxt');
  writeFileSync(
    config,
    readFileSync(config, 'utf8').replace(`"${shippedPhoto.version}"`, `"${version}"`),
  );
  const model = [
    'import sys',
    `sys.path.append("${join(root, 'inference')}")`,
    'from serving.upscaler import UpscalerModel',
    'class TritonPythonModel(UpscalerModel):',
    '    model = "photo"',
    '    def run(self, inputs, wanted):',
    '        outputs = super().run(inputs, wanted)',
    '        if "IMAGE" in outputs: outputs["IMAGE"] = 255 - outputs["IMAGE"]',
    '        return outputs',
  ];
  writeFileSync(join(copy, '1/model.py'), `${model.join('\n')}\n`);
};
inverting('photo__r2', 'photo-r2');

const test = suite('swapping releases');
const modelsDir = tempDir('models');
const opened = () => ownTriton(['photo'], [...repositories, folder, modelsDir]);
const [triton, second] = await Promise.all([opened(), opened()]);
const listed = (name: 'httpUrl' | 'grpcUrl') => `${triton[name]},${second[name]}`;
const tritons = {
  httpUrl: listed('httpUrl'),
  grpcUrl: listed('grpcUrl'),
  adminSecret: triton.adminSecret,
  close: async () => void (await Promise.all([triton.close(), second.close()])),
};
const settings = {
  MODEL_WAIT_SECONDS: '60',
  RATE_CREATE_PER_MINUTE: '100000',
  RATE_READ_PER_MINUTE: '100000',
  MODELS_DIR: modelsDir,
  // Shared memory takes one Triton.
  TRITON_TRANSPORT: 'http',
  ACCOUNT_QUEUED_LIMIT: '1000',
  ACCOUNT_RUNNING_LIMIT: '16',
  MODEL_KEEP_SECONDS: '1',
};
const service = await realService(settings, Promise.resolve(tritons));
const control = openControl(triton);
const registry = openRegistry(service.stores, operations.flatMap(slotForms));
const caller = await service.caller(1000);
const admin = callerOf('operator', service.adminKey ?? '', service.url).http;

const operate = async (act: string, body: object): Promise<void> => {
  const { status, data } = await admin.post(`/v1/admin/models/${act}`, body);
  assert.is(status, 200, JSON.stringify(data));
};
const refused = async (act: string, body: object, status: number): Promise<string> => {
  const answer = await admin.post(`/v1/admin/models/${act}`, body);
  assert.is(answer.status, status, JSON.stringify(answer.data));
  return answer.data.detail;
};
const slot = async () => {
  const { data } = await admin.get('/v1/admin/models');
  return data.data.find((one: { slot: string }) => one.slot === 'photo');
};
const r2 = { release: 'photo@r2' };

let pictures = 0;
/** A picture of one colour that no other has; red is below 100. */
const picture = async (): Promise<string> => {
  pictures += 1;
  const path = join(folder, `${pictures}.png`);
  const background = { r: 40, g: pictures % 256, b: Math.floor(pictures / 256) };
  await sharp({ create: { width: 8, height: 8, channels: 3, background } }).toFile(path);
  return path;
};
type Asked = { readonly path: string; readonly model?: string };
const ask = async ({ path, model = 'photo' }: Asked) => {
  const { status, data } = await caller.http.post(
    '/v1/upscale',
    formOf([path], { model, scale: 2 }),
  );
  assert.is(status, 200, JSON.stringify(data));
  return data;
};
/** Which release made the file, by its colour. */
const makerOf = async (url: string): Promise<string> => {
  const { channels } = await sharp(await caller.download(url)).stats();
  return (channels[0]?.mean ?? 0) > 128 ? 'photo@r2' : shippedPhoto.name;
};
const queued = async (): Promise<Job> => {
  const fields = { model: 'photo', scale: 2 };
  const answer = await caller.upscale(await picture(), fields, { prefer: 'respond-async' });
  assert.is(answer.status, 202, JSON.stringify(answer.data));
  return Job.parse(answer.data);
};
const done = async ({ id }: Job): Promise<Job> => {
  const job = await caller.until(id, ended, 100_000);
  assert.is(job.status, 'succeeded', JSON.stringify(job.error));
  return job;
};

test('jobs that run while one Triton is killed are done by the other, and charged once', async () => {
  const other = await service.caller(1000);
  const paths = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      const path = join(folder, `large${at}.png`);
      const background = { r: 10 * at, g: 80, b: 40 };
      await sharp({ create: { width: 160, height: 90, channels: 3, background } }).toFile(path);
      return path;
    }),
  );
  let done = 0;
  const jobs = paths.map(async (path) => {
    const answer = await other.upscale(path, { model: 'photo', scale: 2 });
    done += 1;
    return answer;
  });
  await until('some jobs are done', () => done > 2);
  await second.kill();
  for (const { status, data } of await Promise.all(jobs)) {
    assert.is(status, 200, JSON.stringify(data));
    assert.equal([data.model_version, data.credits_used], [shippedPhoto.version, 1]);
  }
  const { available, held } = await other.balance();
  assert.equal({ available, held }, { available: 988, held: 0 });
  const isTold = () =>
    service.log('worker').includes(`"replica":"${new URL(second.httpUrl).host}"`);
  await until('its death is in the log', isTold);
  await second.start();
  await until(
    'both are there',
    async () => (await slot()).releases[0].ready_on.length === 2,
    60_000,
  );
});

test('a release that was added gets no job; a caller can name it, and a wrong name is told', async () => {
  await registry.change(
    'photo',
    (state) => added(state, 'r2', { models: { photo: 'photo__r2' } }),
    null,
  );
  await until(
    'the loop has loaded it',
    async () => (await slot()).releases[1].ready_on.length === 2,
    60_000,
  );
  // The API looks at the models every second or two.
  const isOffered = async () => {
    const { data } = await caller.http.get('/v1/models');
    const photo = data.data.find(({ id }: { id: string }) => id === 'photo');
    return photo.releases.some(
      (one: { release: string; ready: boolean }) => one.release === 'photo@r2' && one.ready,
    );
  };
  await until('the API has seen it', isOffered);
  const path = await picture();
  const [usual, named] = [await ask({ path }), await ask({ path, model: 'photo@r2' })];
  assert.equal(
    [usual.release, usual.model_version, usual.canary],
    [shippedPhoto.name, shippedPhoto.version, false],
  );
  assert.equal(
    [named.release, named.model_version, named.model_used],
    ['photo@r2', 'photo-r2', 'photo'],
  );
  assert.equal([named.cached, named.credits_used], [false, 1]);
  assert.equal(
    [await makerOf(usual.output_url), await makerOf(named.output_url)],
    [shippedPhoto.name, 'photo@r2'],
  );
  const form = formOf([path], { model: 'photo@r9', scale: 2 });
  const wrong = await caller.http.post('/v1/upscale', form);
  assert.is(wrong.status, 422);
  assert.equal(wrong.data.errors[0].allowed, ['photo', shippedPhoto.name, 'photo@r2']);
  assert.match(wrong.data.detail, ' with effort best; got "photo@r9"');
});

test('200 requests over canary, promotion, rollback and the death of a Triton: none fails, each names who made it', async () => {
  const paths = await Promise.all(Array.from({ length: 200 }, picture));
  const left = [...paths];
  const results: Awaited<ReturnType<typeof ask>>[] = [];
  const swaps: (() => Promise<void>)[] = [
    () => operate('canary', { ...r2, percent: 50 }),
    () => operate('promote', r2),
    () => second.kill(),
    () => operate('rollback', { slot: 'photo' }),
    () => operate('promote', r2),
  ];
  const lane = async () => {
    for (let path = left.pop(); path; path = left.pop()) results.push(await ask({ path }));
  };
  const swap = async () => {
    for (const [at, act] of swaps.entries()) {
      await until('enough are done', async () => results.length >= 35 * (at + 1), 120_000);
      await act();
    }
  };
  await Promise.all([swap(), ...Array.from({ length: 12 }, lane)]);
  assert.is(results.length, 200);
  const counts = new Map<string, number>();
  for (const { release, model_version, output_url, canary, warnings } of results) {
    assert.equal([await makerOf(output_url), warnings], [release, []]);
    assert.is(model_version, release.replace('@', '-'));
    assert.ok(!canary || release === 'photo@r2');
    counts.set(release, (counts.get(release) ?? 0) + 1);
  }
  const shares = `r1 made ${counts.get(shippedPhoto.name)}, r2 ${counts.get('photo@r2')}`;
  assert.ok(
    (counts.get(shippedPhoto.name) ?? 0) > 30 && (counts.get('photo@r2') ?? 0) > 30,
    shares,
  );
  assert.ok(results.some(({ canary }) => canary));

  // The cache has each result under the release that made it.
  const again = async (release: string) => {
    for (const path of paths.slice(0, 20)) {
      const { output_url, release: told } = await ask({ path });
      assert.equal([await makerOf(output_url), told], [release, release]);
    }
  };
  await again('photo@r2');
  await operate('rollback', { slot: 'photo' });
  await again(shippedPhoto.name);
  assert.equal((await service.audit(caller.account)).differences, []);

  // The loop brings it to what is in use: its own start loads only what ships.
  await second.start();
  type Told = { readonly loaded: boolean; readonly ready_on: readonly string[] };
  const isThere = ({ loaded, ready_on }: Told) => !loaded || ready_on.length === 2;
  const isBack = async () => (await slot()).releases.every(isThere);
  await until('the restarted Triton has every release that is in use', isBack, 60_000);
});

test('jobs that wait when their release is replaced finish on it; it is unloaded after them', async () => {
  const isReady = async () => {
    const index = await control.repositoryIndex();
    return index.some(({ name, state }) => name === 'photo' && state === 'READY');
  };
  await service.worker.stop();
  const before = await queued();
  await operate('promote', r2);
  const detail = await refused('unload', { release: shippedPhoto.name }, 422);
  assert.match(detail, `${shippedPhoto.name} is needed by 1 unfinished jobs`);
  const after = await queued();
  assert.is(after.release, 'photo@r2', 'the promotion counts for the next job');
  await sleep(4_000);
  assert.ok(await isReady(), 'longer than MODEL_KEEP_SECONDS, as a job needs it');
  await service.worker.start();
  const [first, second] = [await done(before), await done(after)];
  assert.equal([first.result?.release, second.result?.release], [shippedPhoto.name, 'photo@r2']);
  assert.equal([first.result?.warnings, second.result?.warnings], [[], []]);
  await until('r1 is unloaded', async () => !(await isReady()));
  // One command leads back, and loads what it needs.
  await operate('rollback', { slot: 'photo' });
  assert.ok(await isReady());
  assert.is((await ask({ path: await picture() })).release, shippedPhoto.name);
});

test('a mirrored candidate does finished jobs again: nobody waits or pays for that, and it is compared', async () => {
  await operate('canary', { ...r2, percent: 0.01, mirror: 100 });
  const { available } = await caller.balance();
  const result = await ask({ path: await picture() });
  assert.equal([result.release, result.credits_used], [shippedPhoto.name, 1]);
  const attempts = async () =>
    (await slot()).releases.find(({ release }: { release: string }) => release === 'photo@r2')
      .attempts;
  await until('it was compared', async () => (await attempts()).mirrored === 1, 60_000);
  const { failed, likeness_db } = await attempts();
  assert.is(failed, 0);
  // The picture (40, g, b) against its inverse.
  assert.ok(likeness_db > 0 && likeness_db < 10, `${likeness_db} dB`);
  assert.is((await caller.balance()).available, available - 1);
  await operate('rollback', { slot: 'photo' });
});

test('what cannot be is refused with a sentence, and changes nothing', async () => {
  const before = JSON.stringify(await slot());
  for (const percent of [0, 101, -1])
    assert.is((await admin.post('/v1/admin/models/canary', { ...r2, percent })).status, 422);
  assert.match(
    await refused('unload', { release: shippedPhoto.name }, 422),
    'is the stable release',
  );
  assert.match(await refused('promote', { release: 'photo@r9' }, 404), 'no release photo@r9');
  assert.match(await refused('promote', { release: 'video@r1' }, 404), 'no model "video"');
  assert.match(await refused('rollback', { slot: 'detail' }, 422), 'no earlier stable release');
  assert.is(JSON.stringify(await slot()), before);
  const { status } = await caller.http.post('/v1/admin/models/promote', r2);
  assert.is(status, 403);
});

test('an ONNX file sent over HTTP becomes a release on every Triton, once it has passed its checks', async () => {
  const network = join(folder, 'network.onnx');
  const made = spawnSync(places.python, [join(root, 'tests/models/made.py'), 'x2', network]);
  assert.is(made.status, 0, String(made.stderr));
  const send = async (fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([readFileSync(network)]), 'network.onnx');
    return admin.post('/v1/admin/models/add', form);
  };
  const unlicensed = await send({ slot: 'photo' });
  assert.is(unlicensed.status, 422);
  assert.match(unlicensed.data.detail, 'no licence is named');
  const dry = await send({ slot: 'photo', licence: 'MIT', dry_run: 'true' });
  assert.equal([dry.status, dry.data.dry_run, dry.data.release], [201, true, 'photo@r3']);
  assert.equal(readdirSync(modelsDir), [], 'nothing of it is left');

  const { status, data } = await send({ slot: 'photo', licence: 'MIT', source: 'made here' });
  assert.is(status, 201, JSON.stringify(data));
  assert.is(data.release, 'photo@r3');
  assert.ok(data.checks.every(({ ok }: { ok: boolean }) => ok) && data.memory_bytes > 0);
  const told = (await slot()).releases.find(
    ({ release }: { release: string }) => release === 'photo@r3',
  );
  assert.equal([told.ready_on.length, told.licence, told.source], [2, 'MIT', 'made here']);
  const named = await ask({ path: await picture(), model: 'photo@r3' });
  assert.equal(
    [named.release, await makerOf(named.output_url)],
    ['photo@r3', shippedPhoto.name],
    'its colours',
  );
});

test('the command applies a file, and applied again it does nothing', async () => {
  const file = join(folder, 'models.yaml');
  writeFileSync(
    file,
    'slots:\n  photo:\n    stable: r3\n    candidate: { release: r2, percent: 5 }\n',
  );
  const enhance = (...args: string[]) => {
    const command = [join(root, 'src/cli/bin.mjs'), 'models', ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...command, '--json'], {
      env: service.env,
      cwd: root,
      encoding: 'utf8',
    });
    assert.is(status, 0, stderr);
    return JSON.parse(stdout);
  };
  const steps = [
    { action: 'promote', release: 'photo@r3', detail: '' },
    { action: 'canary', release: 'photo@r2', detail: '5 %' },
  ];
  assert.equal(enhance('apply', '-f', file, '--dry-run'), { dry_run: true, steps });
  assert.is((await slot()).stable, shippedPhoto.name);
  assert.equal(enhance('apply', '-f', file), { dry_run: false, steps });
  assert.equal(enhance('apply', '-f', file), { dry_run: false, steps: [] });
  const { stable, candidate } = await slot();
  assert.equal([stable, candidate.release, candidate.percent], ['photo@r3', 'photo@r2', 5]);
  await operate('rollback', { slot: 'photo' });
  assert.is((await slot()).candidate, null);
  assert.is(enhance('rollback', 'photo').stable, shippedPhoto.name);
  // The loop writes too, when it unloads what is retired.
  const last = enhance('log', '--limit', '9').find(({ by }: { by: string }) => by !== 'service');
  assert.equal([last.action, last.slot, last.release], ['rollback', 'photo', shippedPhoto.release]);
  assert.match(last.by, /^operator:/);
  writeFileSync(file, 'slots:\n  photo:\n    stable: r9\n');
  const { status, data } = await admin.post('/v1/admin/models/apply', {
    slots: { photo: { stable: 'r9' }, animation: { candidate: null } },
  });
  assert.is(status, 422);
  assert.match(data.detail, 'got photo@r9');
});

test('while Triton is down nothing is promoted, and jobs wait', async () => {
  await service.worker.stop();
  const waiting = await queued();
  await Promise.all([triton.kill(), second.kill()]);
  await refused('promote', r2, 503);
  assert.is((await registry.read('photo')).stable, shippedPhoto.release);
  await service.worker.start();
  const key = `${service.stores.prefix}:job:${waiting.id}`;
  const isAway = async () => Boolean(await service.stores.redis.hget(key, 'away_since'));
  await until('the job has found its model away', isAway);
  await Promise.all([triton.start(), second.start()]);
  assert.is((await done(waiting)).result?.release, shippedPhoto.name);
  // The API looks at both Tritons by itself.
  await until(
    'the API sees them too',
    async () => (await slot()).releases[0].ready_on.length === 2,
  );
});

test('a release that fails is taken back by itself, and the job whose last attempt showed it is done by the one before', async () => {
  const broken = join(folder, 'photo__r4');
  inverting('photo__r4', 'photo-r4');
  const model = join(broken, '1/model.py');
  const text = readFileSync(model, 'utf8');
  writeFileSync(
    model,
    text.replace('outputs = super().run(inputs, wanted)', 'raise RuntimeError("NaN")'),
  );
  await registry.change(
    'photo',
    (state) => added(state, 'r4', { models: { photo: 'photo__r4' } }),
    null,
  );
  // On trial for longer than the three attempts of a job take.
  await service.worker.stop();
  await service.worker.start({ MODEL_KEEP_SECONDS: '600' });
  await operate('promote', { release: 'photo@r4' });
  const job = await queued();
  assert.is(job.release, 'photo@r4');
  const { result } = await done(job);
  assert.is(result?.release, shippedPhoto.name);
  assert.equal(
    result?.warnings.map(({ code }) => code),
    ['release_replaced'],
  );
  const { stable, releases } = await slot();
  assert.is(stable, shippedPhoto.name);
  assert.match(releases.at(-1).rejected, /3 of 3 attempts failed, .*NaN/);
  const { data } = await admin.get('/v1/admin/models/log');
  const { by, release } = data.data.find((one: { action: string }) => one.action === 'rollback');
  assert.equal([by, release], ['service', 'r4']);
  assert.match(await refused('promote', { release: 'photo@r4' }, 422), 'was taken back');
});

test.after(service.close);

test.run();
