/** Packing of releases: what is refused and leaves nothing, and what lies in the folder of one that is not. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { create } from 'tar';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfigText, withRelease } from '../../src/models/pack/config-text.ts';
import {
  Manifest,
  packRelease,
  type ReleaseSource,
  removeRelease,
  verifyFiles,
} from '../../src/models/pack/release-folder.ts';
import type { Taken } from '../../src/models/release-names.ts';
import { root } from '../../src/stack/home.mjs';
import { lipsyncSlots } from '../../src/triton/clients/lipsync.ts';
import type { Slot } from '../../src/triton/clients/model.ts';
import { upscalerSlot } from '../../src/triton/clients/upscaler.ts';
import { tempDir } from '../real/run.ts';
import { skip } from '../real/skip.ts';
import { smallDisk } from '../real/small-disk.ts';
import { failure } from '../triton/promises.ts';

const test = suite('release-folder');
const modelsDir = join(tempDir('models'), 'models');
const nothing: Taken = { names: [], versions: [], releases: [] };
const photo: readonly Slot[] = [upscalerSlot('photo')];
const shipped = join(root, 'models/photo');

const pack = (source: Partial<ReleaseSource>, taken: Taken = nothing, tritonSlots = photo) =>
  packRelease(
    { path: shipped, slot: 'photo', licence: 'MIT', ...source },
    { modelsDir, tritonSlots, taken },
  );
/** Why it was refused. Nothing of it is left. */
const refusal = async (...parts: Parameters<typeof pack>): Promise<string> => {
  const before = existsSync(modelsDir) ? readdirSync(modelsDir) : [];
  const { facts } = await failure(pack(...parts), 'release_refused');
  assert.equal(existsSync(modelsDir) ? readdirSync(modelsDir) : [], before);
  return String(facts.reason);
};
/** A copy of the shipped photo, changed by `change`. */
const copied = (change: (folder: string) => void): string => {
  const folder = join(tempDir('release'), 'photo-new');
  cpSync(shipped, folder, { recursive: true });
  change(folder);
  return folder;
};

test('a folder becomes a release with hashes, under a Triton model name and a version of its own', async () => {
  const manifest = await pack({ source: 'a wheel' });
  assert.equal(manifest.models, { photo: { name: 'photo__r2', version: 'photo-r2' } });
  assert.equal([manifest.release, manifest.licence, manifest.source], ['r2', 'MIT', 'a wheel']);
  const paths = manifest.files.map(({ path }) => path);
  assert.equal(paths, [
    'photo__r2/1/model.py',
    'photo__r2/1/released.py',
    'photo__r2/config.pbtxt',
  ]);
  const config = readFileSync(join(modelsDir, 'photo__r2/config.pbtxt'), 'utf8');
  assert.is(readConfigText(config).release, 'photo-r2');
  const stored = readFileSync(join(modelsDir, 'photo__r2/release.json'), 'utf8');
  assert.equal(Manifest.parse(JSON.parse(stored)), manifest);
  for (const path of paths) assert.is(statSync(join(modelsDir, path)).mode & 0o777, 0o444, path);
  assert.equal(await verifyFiles(modelsDir, manifest), []);
});

test('a file that was changed, added or lost is named', async () => {
  const manifest = await pack({ release: 'r3' });
  const folder = join(modelsDir, 'photo__r3');
  mkdirSync(join(folder, '1/__pycache__'));
  writeFileSync(join(folder, '1/__pycache__/model.cpython-311.pyc'), 'what Python writes itself');
  assert.equal(await verifyFiles(modelsDir, manifest), []);
  writeFileSync(join(folder, '1/more.onnx'), 'x');
  assert.equal(await verifyFiles(modelsDir, manifest), [
    'photo__r3/1/more.onnx was not there when the release was added',
  ]);
  const own = { ...manifest, files: manifest.files.map((file) => ({ ...file, sha256: '0' })) };
  assert.match((await verifyFiles(modelsDir, own)).join(), /photo__r3\/config\.pbtxt was changed/);
  await removeRelease(modelsDir, manifest);
  assert.not(existsSync(folder));
  assert.match((await verifyFiles(modelsDir, manifest)).join(), 'config.pbtxt is missing');
});

test('without a name it is the first release whose names and versions are free', async () => {
  const taken: Taken = { names: ['photo__r3'], versions: ['photo-r4'], releases: ['photo@r5'] };
  const manifest = await pack({}, { ...taken, names: [...taken.names, 'photo__r2'] });
  assert.is(manifest.release, 'r6');
  assert.match(await refusal({ release: 'r3' }, taken), 'there is photo__r3 already');
  assert.match(await refusal({ release: 'r4' }, taken), 'there is photo-r4 already');
  assert.match(await refusal({ release: 'r5' }, taken), 'there is photo@r5 already');
  assert.match(await refusal({ release: 'r6' }), 'there is photo__r6 already');
  for (const release of ['R2', 'r 2', '../x', 'r2+r3', '', 'a'.repeat(33)])
    assert.match(await refusal({ release }), /expected a release such as r2/, release);
});

test('a licence must be named: an SPDX expression, or a file LICENSE that says something', async () => {
  const source = { licence: undefined };
  assert.match(await refusal(source), /no licence is named/);
  assert.match(await refusal({ licence: 'free for all' }), /got "free for all"/);
  const empty = copied((folder) => writeFileSync(join(folder, 'LICENSE'), ''));
  assert.match(await refusal({ ...source, path: empty }), /no licence is named/);
  const path = copied((folder) => writeFileSync(join(folder, 'LICENSE'), 'You may.'));
  const { licence, files } = await pack({ ...source, path, release: 'licensed' });
  assert.is(licence, 'SEE LICENSE IN LICENSE');
  assert.ok(files.some(({ path }) => path === 'photo__licensed/LICENSE'));
  for (const spdx of ['Apache-2.0 OR MIT', 'LicenseRef-of-our-own'])
    assert.is((await pack({ licence: spdx, release: spdx.slice(-3).toLowerCase() })).licence, spdx);
});

test('what is no model is refused with what is missing', async () => {
  assert.match(await refusal({ path: '/nowhere' }), 'there is no file or folder /nowhere');
  assert.match(await refusal({ path: join(root, 'README.md') }), /expected a folder, a \.tar/);
  const empty = tempDir('empty');
  assert.match(await refusal({ path: empty }), 'the folder of photo has no config.pbtxt');
  writeFileSync(join(empty, 'config.pbtxt'), 'backend: "python"');
  assert.match(await refusal({ path: empty }), 'it has none');
  mkdirSync(join(empty, '1'));
  assert.match(await refusal({ path: empty }), 'has no 1/model.py');
  const two = copied((folder) => mkdirSync(join(folder, '2')));
  assert.match(await refusal({ path: two }), 'it has 1, 2');
  const named = copied((folder) =>
    writeFileSync(join(folder, 'config.pbtxt'), 'name: "photo"\nbackend: "python"\n'),
  );
  assert.match(
    await refusal({ path: named, release: 'named' }),
    'expected no name in config.pbtxt, or "photo__named", got "photo": delete',
  );
});

test('links and paths that lead out of a release are refused', async () => {
  const linked = copied((folder) => symlinkSync('/etc/passwd', join(folder, '1/weights.onnx')));
  assert.match(
    await refusal({ path: linked }),
    'expected plain files and folders, got a other at 1/weights.onnx',
  );
  const folder = join(linked, '..');
  const archive = join(folder, 'linked.tar');
  await create({ file: archive, cwd: folder }, ['photo-new']);
  assert.match(
    await refusal({ path: archive }),
    /got a SymbolicLink at photo-new\/1\/weights\.onnx/,
  );
  const outside = join(folder, 'outside.tgz');
  const good = copied(() => {});
  await create({ file: outside, cwd: good, gzip: true, preservePaths: true }, [
    'config.pbtxt',
    '../photo-new/config.pbtxt',
  ]);
  assert.match(
    await refusal({ path: outside }),
    'expected paths inside of the release, got ../photo-new/config.pbtxt',
  );
  const absolute = join(folder, 'absolute.tar');
  await create({ file: absolute, preservePaths: true }, [join(good, 'config.pbtxt')]);
  assert.match(await refusal({ path: absolute }), /expected paths inside of the release, got \//);
  writeFileSync(archive, 'no archive at all '.repeat(60));
  assert.match(await refusal({ path: archive }), 'the archive cannot be read');
});

const onFullDisk = 'a release for which the disk has no room leaves nothing on it';
const small = smallDisk(2);
if (small)
  test(onFullDisk, async () => {
    const path = join(tempDir('large'), 'large.onnx');
    writeFileSync(path, Buffer.alloc(3e6));
    const source = { path, slot: 'photo', licence: 'MIT' };
    const parts = { modelsDir: small, tritonSlots: photo, taken: nothing };
    await failure(packRelease(source, parts), 'storage_full');
    assert.equal(readdirSync(small), []);
  });
else skip(test, onFullDisk, 'mount');

test('two releases that are added at once get different names, or one is told to try again', async () => {
  const parts = { modelsDir: tempDir('both'), tritonSlots: photo, taken: nothing };
  const source = { path: shipped, slot: 'photo', licence: 'MIT' };
  const both = await Promise.allSettled([packRelease(source, parts), packRelease(source, parts)]);
  const done = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  assert.ok(done.length > 0);
  assert.is(new Set(done.map(({ release }) => release)).size, done.length);
  for (const one of both)
    if (one.status === 'rejected') assert.match(one.reason.message, 'took the name photo__r2');
  for (const manifest of done) assert.equal(await verifyFiles(parts.modelsDir, manifest), []);
});

test('what a crash left in the middle of packing is deleted a day later', async () => {
  const parts = { modelsDir: tempDir('left'), tritonSlots: photo, taken: nothing };
  const [old, young] = ['.adding-old', '.adding-young'];
  for (const name of [old, young]) mkdirSync(join(parts.modelsDir, name));
  const yesterday = Date.now() / 1000 - 25 * 3600;
  utimesSync(join(parts.modelsDir, old), yesterday, yesterday);
  await packRelease({ path: shipped, slot: 'photo', licence: 'MIT' }, parts);
  assert.equal(readdirSync(parts.modelsDir).sort(), [young, 'photo__r2']);
});

test('an archive, packed or not, with or without the folder itself, is as good as the folder', async () => {
  const good = copied(() => {});
  for (const [file, cwd, what] of [
    ['a.tar', join(good, '..'), 'photo-new'],
    ['b.tar.gz', join(good, '..'), 'photo-new'],
    ['c.tgz', good, '.'],
  ] as const) {
    const path = join(tempDir('archive'), file);
    await create({ file: path, cwd, gzip: file !== 'a.tar' }, [what]);
    const release = `of-${file[0]}`;
    const { files } = await pack({ path, release });
    const folder = `photo__${release}`;
    assert.equal(
      files.map(({ path }) => path),
      [`${folder}/1/model.py`, `${folder}/1/released.py`, `${folder}/config.pbtxt`],
    );
  }
});

test('a release of lip sync brings the models that it replaces, each in a folder of its slot', async () => {
  const slots = lipsyncSlots('studio').image;
  const path = tempDir('studio');
  const lipsync = { path, slot: 'studio' };
  assert.match(
    await refusal(lipsync, nothing, slots),
    /expected a folder for one of face_track, speech/,
  );
  for (const name of ['mouth_plan', 'mouth_render_studio'])
    cpSync(join(root, 'models', name), join(path, name), { recursive: true });
  writeFileSync(join(path, 'README.md'), 'goes with it');
  const manifest = await pack(lipsync, nothing, slots);
  assert.equal(manifest.models, {
    mouth_plan: { name: 'mouth_plan__r2', version: 'mouth_plan-studio-r2' },
    mouth_render_studio: {
      name: 'mouth_render_studio__r2',
      version: 'mouth_render_studio-studio-r2',
    },
  });
  assert.ok(existsSync(join(modelsDir, 'mouth_render_studio__r2/1/model.py')));
  assert.equal(readdirSync(join(modelsDir, 'studio__r2')).sort(), ['README.md', 'release.json']);
  assert.equal(await verifyFiles(modelsDir, manifest), []);
  const taken = { ...nothing, versions: ['mouth_plan-studio-r3'], names: ['mouth_plan__r2'] };
  assert.is((await pack(lipsync, taken, slots)).release, 'r4');
  mkdirSync(join(path, 'mouth_rendr'));
  assert.match(await refusal(lipsync, nothing, slots), 'got one named mouth_rendr');
  const network = join(tempDir('onnx'), 'network.onnx');
  writeFileSync(network, 'a network');
  assert.match(
    await refusal({ ...lipsync, path: network }, nothing, slots),
    'an ONNX file can only be an upscaler',
  );
  await removeRelease(modelsDir, manifest);
  assert.not(readdirSync(modelsDir).some((name) => name.endsWith('studio__r2')));
});

test('the release is set where config.pbtxt has it, and nowhere else', () => {
  const config = `# parameters { key: "release", value: { string_value: "old" } }
input [ { name: "IMAGE", dims: [ -1 ] } ]
parameters { key: "other", value: { string_value: "# not a comment {" } }
parameters [ { key: "release" value { string_value: "photo-r1" } } ] # of today
`;
  assert.equal(readConfigText(config), { name: null, backend: null, release: 'photo-r1' });
  assert.is(withRelease(config, 'photo-r2'), config.replace('"photo-r1"', '"photo-r2"'));
  const none = 'backend: "python" # name: "no"\n';
  assert.equal(readConfigText(none), { name: null, backend: 'python', release: null });
  assert.is(readConfigText(withRelease(none, 'photo-r2')).release, 'photo-r2');
});

test.run();
