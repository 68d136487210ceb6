/** Content credentials, signed and read by the real library. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/log.ts';
import type { Found } from '../../src/provenance/credentials.ts';
import type { Edit } from '../../src/provenance/edit.ts';
import { openSigner, type Signer } from '../../src/provenance/signer.ts';
import { readCredentials } from '../../src/provenance/verify.ts';
import { places, root } from '../../src/stack/home.mjs';
import { codeOf } from '../jobs/rig.ts';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { testConfig } from '../real/config.ts';
import { tempDir } from '../real/run.ts';

const test = suite('content credentials');
const dir = tempDir('provenance');
const at = (name: string) => join(dir, name);
const log = createLog('silent', 'test');
const never = new AbortController().signal;

const config = testConfig({ DATA_DIR: at('data') });
const python = { path: places.python, limits: config.ffmpeg };
const signing = async (settings: NodeJS.Dict<string> = {}): Promise<Signer> => {
  const signer = await openSigner(testConfig({ DATA_DIR: at('data'), ...settings }), log);
  if (!signer) throw new Error('expected a signer');
  return signer;
};
const signer = await signing();
const rootPem = readFileSync(at('data/provenance/root.pem'), 'utf8');
const read = (path: string, anchors = ''): Promise<Found> =>
  readCredentials(path, anchors, python, never);

const edit: Edit = {
  description: 'Changed by a test.',
  sourceType: 'compositeWithTrainedAlgorithmicMedia',
  ingredients: [
    { role: 'media', title: 'input', relationship: 'parentOf' },
    { role: 'audio', title: 'sound', relationship: 'componentOf' },
  ],
};

await execa(places.python, ['tests/real/certificates.py', dir], {
  cwd: root,
  env: { PYTHONPATH: join(root, 'inference') },
});
const sound = await makeClip(at('sound.wav'), tone(0.2));
const scene = sharp({
  create: {
    width: 64,
    height: 48,
    channels: 3,
    background: '#c63',
    noise: { type: 'gaussian', mean: 128, sigma: 40 },
  },
});
const input = at('input.png');
await scene.clone().png().toFile(input);

/** A fresh file of this type; each of them is signed once. */
const made: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'image/png': (path) => scene.clone().png().toFile(path),
  'image/jpeg': (path) => scene.clone().jpeg().toFile(path),
  'image/webp': (path) => scene.clone().webp().toFile(path),
  'image/avif': (path) => scene.clone().avif().toFile(path),
  'video/mp4': (path) =>
    makeClip(path, [...pattern(0.4), ...tone(0.4)], [...h264, '-movflags', '+faststart']),
  'video/webm': (path) => makeClip(path, pattern(0.2), ['-c:v', 'libvpx']),
};
let count = 0;
const fresh = async (contentType: string): Promise<string> => {
  count += 1;
  const path = at(`${count}.${contentType.split('/')[1]}`);
  await made[contentType]?.(path);
  return path;
};

const sign = (path: string, contentType: string, media = input, by = signer, signal = never) =>
  by.prepare(path, signal).sign({
    contentType,
    edit,
    input: (role) => (role === 'media' ? media : sound),
    agent: { name: 'lipsync fast', version: 'fast@r1' },
  });

const pixels = (path: string): Promise<Buffer> => sharp(path).raw().toBuffer();
const md5 = async (path: string): Promise<string> =>
  (await execa(config.ffmpeg.path, ['-v', 'error', '-i', path, '-f', 'md5', '-'])).stdout;
const contentOf = (path: string) => (path.endsWith('mp4') ? md5(path) : pixels(path));

for (const contentType of ['image/png', 'image/jpeg', 'image/webp', 'image/avif', 'video/mp4']) {
  test(`${contentType} carries what was done, by whom, to which input; its content stays, and a changed byte is found`, async () => {
    const path = await fresh(contentType);
    const before = await contentOf(path);
    const { provenance, warnings } = await sign(path, contentType);
    assert.equal(await contentOf(path), before);
    assert.equal(warnings, []);
    assert.ok(provenance?.signed);

    const found = await read(path, rootPem);
    if (!('manifest' in found)) throw new Error(`expected credentials; got ${found.state}`);
    assert.is(found.state, 'trusted');
    assert.equal([found.manifest, found.issuer], [provenance.manifest, provenance.issuer]);
    assert.match(found.generator, /^enhance \d+\.\d+\.\d+$/);
    assert.equal(
      found.actions.map(({ action }) => action),
      ['c2pa.opened', 'c2pa.placed', 'c2pa.edited'],
    );
    assert.equal(found.actions[2], {
      action: 'c2pa.edited',
      description: 'Changed by a test.',
      digital_source_type:
        'http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia',
      agent: 'lipsync fast fast@r1',
    });
    assert.equal(
      found.ingredients.map(({ title, relationship }) => [title, relationship]),
      [
        ['input', 'parentOf'],
        ['sound', 'componentOf'],
      ],
    );
    assert.is((await read(changed(path))).state, 'invalid');
  });
}

/** A copy with one bit of its content changed: three quarters into the file, where no credentials are. */
const changed = (path: string): string => {
  const bytes = readFileSync(path);
  const place = Math.floor(bytes.length - (bytes.length - bytes.lastIndexOf('jumb')) / 100);
  bytes.writeUInt8((bytes[place] ?? 0) ^ 1, place);
  const copy = at(`changed-${path.split('/').at(-1)}`);
  writeFileSync(copy, bytes);
  return copy;
};

test('a signed video begins with its index as before, so that it plays while it loads', async () => {
  const path = await fresh('video/mp4');
  await sign(path, 'video/mp4');
  const bytes = readFileSync(path);
  assert.ok(bytes.indexOf('moov') < bytes.indexOf('mdat'));
});

test('the credentials of the input are kept, broken ones are told, damaged ones are left out with a warning', async () => {
  const signed = await fresh('image/png');
  await sign(signed, 'image/png');
  const damaged = at('damaged.png');
  const bytes = readFileSync(signed);
  bytes.fill(0xff, bytes.indexOf('jumd') + 4, bytes.indexOf('jumd') + 60);
  writeFileSync(damaged, bytes);

  const states: readonly (readonly [string, string, readonly string[]])[] = [
    [input, 'none', []],
    [signed, 'valid', []],
    [changed(signed), 'invalid', []],
    [damaged, 'none', ['provenance_unreadable']],
  ];
  const told = states.map(async ([media, credentials, codes]) => {
    const path = await fresh('image/png');
    const { provenance, warnings } = await sign(path, 'image/png', media);
    assert.is(provenance?.ingredients[0]?.credentials, credentials, media);
    assert.equal(
      warnings.map(({ code }) => code),
      codes,
      media,
    );
  });
  await Promise.all(told);
});

test('a format that holds no credentials stays as it is, and a warning says so', async () => {
  const path = await fresh('video/webm');
  const before = readFileSync(path);
  const { provenance, warnings } = await sign(path, 'video/webm');
  assert.is(provenance, null);
  assert.is(warnings[0]?.code, 'provenance_not_supported');
  assert.match(warnings[0]?.detail ?? '', /video\/webm/);
  assert.equal(readFileSync(path), before);
  assert.is((await read(path)).state, 'unsupported');
});

test('a file that cannot be signed fails with a sentence, and is left as it was', async () => {
  const path = at('no-picture.png');
  writeFileSync(path, 'no picture');
  assert.is(await codeOf(sign(path, 'image/png')), 'signing_failed');
  assert.is(readFileSync(path, 'utf8'), 'no picture');
});

test('who stops the job stops the signing, and nothing is left behind', async () => {
  const path = await fresh('image/png');
  const before = readFileSync(path);
  const stop = new AbortController();
  const signed = sign(path, 'image/png', input, signer, stop.signal);
  stop.abort(new Error('stopped'));
  assert.match(await messageOf(signed), /stopped/);
  assert.equal(readFileSync(path), before);
  assert.is(existsSync(`${path}.signed`), false);
});

const withCertificate = (name: string, key = name) => ({
  PROVENANCE_CERTIFICATE_FILE: at(`${name}.crt`),
  PROVENANCE_PRIVATE_KEY_FILE: at(`${key}.key`),
});

test("the operator's own certificate signs, from files", async () => {
  const path = await fresh('image/png');
  const { provenance } = await sign(
    path,
    'image/png',
    input,
    await signing(withCertificate('operator')),
  );
  assert.is(provenance?.signer, 'the operator of the tests');
  assert.is((await read(path, rootPem)).state, 'valid');
});

test('a certificate that may not sign is refused at the start, with the reason', async () => {
  const refused: readonly (readonly [NodeJS.Dict<string>, RegExp])[] = [
    [withCertificate('self-signed'), /is its own issuer/],
    [withCertificate('expired'), /is valid from .* to .*, not now/],
    [withCertificate('web-server'), /for documents or e-mail/],
    [withCertificate('purposeless'), /for documents or e-mail/],
    [withCertificate('operator', 'expired'), /is not that of the first certificate/],
    [{ PROVENANCE_PYTHON: '/nowhere/python' }, /"\/nowhere\/python" could not be started/],
  ];
  const told = refused.map(async ([settings, reason]) => {
    const message = await messageOf(signing(settings));
    assert.match(message, /^Content credentials cannot be signed with .*PROVENANCE=off/s);
    assert.match(message, reason);
  });
  await Promise.all(told);
});

test('a certificate without its key is a fault of the environment', () => {
  const { PROVENANCE_CERTIFICATE_FILE } = withCertificate('operator');
  assert.throws(
    () => testConfig({ PROVENANCE_CERTIFICATE_FILE }),
    /PROVENANCE_PRIVATE_KEY: Expected a value, as PROVENANCE_CERTIFICATE is set/,
  );
  assert.throws(() => testConfig({ PROVENANCE_CERTIFICATE: 'x' }), /Expected a CERTIFICATE in PEM/);
});

test('with PROVENANCE=off nobody signs, and no certificate is made', async () => {
  const folder = at('unsigned');
  assert.is(await openSigner(testConfig({ DATA_DIR: folder, PROVENANCE: 'off' }), log), null);
  assert.is(existsSync(folder), false);
});

test('several workers that start at once share one certificate for development', async () => {
  const DATA_DIR = at('shared');
  await Promise.all([1, 2, 3].map(() => signing({ DATA_DIR })));
  assert.equal((await readdir(join(DATA_DIR, 'provenance'))).sort(), [
    ...['certificate.pem', 'key.pem', 'root.pem'],
  ]);
  assert.equal(await readdir(DATA_DIR), ['provenance']);
});

const enhanceVerify = async (...args: readonly string[]) => {
  const { exitCode, stdout } = await execa('node', ['src/cli/bin.mjs', 'verify', ...args], {
    cwd: root,
    reject: false,
    env: { PROVENANCE_PYTHON: places.python },
  });
  return { exitCode, stdout };
};

test('enhance verify tells what a file carries, and fails for files that were changed or carry nothing', async () => {
  const path = await fresh('image/png');
  await sign(path, 'image/png');
  const [good, tampered, none] = await Promise.all([
    enhanceVerify(path),
    enhanceVerify(changed(path), '--trust', at('data/provenance/root.pem')),
    enhanceVerify(input, '--json'),
  ]);
  assert.is(good.exitCode, 0);
  assert.match(good.stdout, /: valid; .*\n {2}signed by {2}enhance development certificate/);
  assert.match(good.stdout, /c2pa\.edited: by lipsync fast fast@r1; compositeWithTrained/);
  assert.is(tampered.exitCode, 1);
  assert.match(tampered.stdout, /NOT valid.*assertion\.dataHash\.mismatch/s);
  assert.is(none.exitCode, 1);
  assert.equal(JSON.parse(none.stdout), { state: 'none', faults: [] });
});

const messageOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => 'it was not refused',
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error.message : String(error);
};

test.run();
