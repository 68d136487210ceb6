/** The command line as a process of its own, where it needs no service. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refusalOf } from '../../src/cli/operator.ts';
import { targetsOf } from '../../src/cli/paths.ts';
import { root } from '../../src/stack/home.mjs';
import { testEnvironment } from '../real/config.ts';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';

const test = suite('wrong use of the command line');
const dir = tempDir('cli');
const file = join(dir, 'a.png');
writeFileSync(file, 'no picture, and never sent');
mkdirSync(join(dir, 'folder'));

const [port] = await freePorts(1);
const nobody = ['--url', `http://127.0.0.1:${port}`, '--key', 'none'];

/** What it says on stderr; it has to fail, with a sentence and without a stack. */
const complaint = (...args: readonly string[]): Promise<string> =>
  complaintOn({ REDIS_URL: 'redis://127.0.0.1:1' }, ...args);
const complaintOn = async (
  env: Record<string, string>,
  ...args: readonly string[]
): Promise<string> => {
  const { exitCode, stderr } = await execa('node', [join(root, 'src/cli/bin.mjs'), ...args], {
    reject: false,
    timeout: 60_000,
    env: testEnvironment(env),
  });
  assert.is(exitCode, 1, stderr);
  assert.not.match(stderr, /^ +at /m);
  return stderr;
};

test('a folder in the place of a file is refused as such', async () => {
  const said = await complaint('upscale', dir, '-o', join(dir, 'b.png'), ...nobody);
  assert.match(said, /is not a file/);
});

test('an output in a folder that does not exist is refused before anything is paid', async () => {
  const said = await complaint('upscale', file, '-o', join(dir, 'none', 'b.png'), ...nobody);
  assert.match(said, /There is no folder .*none for the result/);
});

test('a folder that is named with a slash at its end is made, one level deep', async () => {
  const made = join(dir, 'made/');
  assert.not.match(await complaint('upscale', file, '-o', made, ...nobody), /folder/);
  assert.ok(existsSync(made));
  const said = await complaint('upscale', file, '-o', join(dir, 'not/made/'), ...nobody);
  assert.match(said, /There is no folder .*made for the result/);
});

test('a result never replaces its source, and another file only with --force', async () => {
  const own = await complaint('upscale', file, '-o', file, '--force', ...nobody);
  assert.match(own, /would replace the source/);
  symlinkSync(file, join(dir, 'link.png'));
  const linked = await complaint(
    'upscale',
    file,
    '-o',
    join(dir, 'link.png'),
    '--force',
    ...nobody,
  );
  assert.match(linked, /would replace the source/);
  const other = join(dir, 'other.png');
  writeFileSync(other, 'not to be lost');
  assert.match(
    await complaint('upscale', file, '-o', other, ...nobody),
    /other\.png exists already/,
  );
  const two = await complaint('upscale', file, other, '-o', join(dir, 'c.png'), ...nobody);
  assert.match(two, /must be a folder that exists/);
  assert.is(readFileSync(other, 'utf8'), 'not to be lost');
});

test('a result replaces no source of the same command either', async () => {
  const earlier = join(dir, 'folder', 'a-photo-2x.png');
  writeFileSync(earlier, 'not to be lost');
  const args = ['upscale', file, earlier, '-o', join(dir, 'folder'), '--force'];
  assert.match(await complaint(...args, ...nobody), /would replace the source .*a-photo-2x\.png/);
});

test('the name of a result is made from any address, and what is no address is refused', () => {
  const folder = `${dir}/`;
  const named = (address: string) => targetsOf([address], folder, (name) => `${name}.png`);
  const names = { 'a%20b.jpg': 'a b', '100%.jpg': '100%', 'a%00%1b.jpg': 'a__', '': 'result' };
  for (const [path, name] of Object.entries(names))
    assert.equal(named(`https://media.example/${path}?x=1`), [join(dir, `${name}.png`)]);
  assert.throws(() => named('https://'), /Expected an address such as .*; got https:/);
});

test('a result is not written under the name of a format that it does not have', async () => {
  const said = await complaint('upscale', file, '-o', join(dir, 'b.mov'), ...nobody);
  assert.match(said, /b\.mov must end in one of \.png .* \.mp4/);
  writeFileSync(join(dir, 'a.flac'), 'named like a sound');
  const sound = await complaint('upscale', join(dir, 'a.flac'), '-o', `${dir}/`, ...nobody);
  assert.match(sound, /a\.flac is a sound; expected images and videos/);
});

test('lip sync says what is wrong with its arguments before it sends anything', async () => {
  const out = join(dir, 'b.mp4');
  const lipsync = (...args: readonly string[]) => complaint('lipsync', ...args, ...nobody);
  const alone = await lipsync(file);
  assert.match(alone, /missing required argument 'audio'/);
  // Two lines: the help would push the error out of sight.
  assert.is(alone.split('\n').length, 2);
  // Without --output the result goes into the current folder.
  assert.match(await lipsync(file, file), /does not answer/);
  assert.match(await lipsync(file, join(dir, 'none.wav'), '-o', out), /no file .*none\.wav/);
  assert.match(await lipsync(file, file, '-o', join(dir, 'b.mov')), /must end in \.mp4/);
  assert.match(await lipsync(file, file, '-o', out, '--face', '1,2'), /FRAME,X,Y/);
  assert.match(await lipsync(file, file, '-o', out, '--expressiveness', '2'), /from 0 to 1/);
  assert.match(await lipsync(file, file, '-o', out, '--background', 'mix'), /from 0 to 1/);
  assert.match(await lipsync(file, file, '-o', out, '--segment', '1-2'), /START-END=FROM-TO/);
  assert.match(await lipsync(file, file, '-o', out), /does not answer/);
});

test('a canary of 0, 101 or -1 percent is refused before anything is looked up', async () => {
  const canary = (percent: string) =>
    complaint('models', 'canary', 'photo@r2', '--percent', percent);
  for (const said of await Promise.all(['0', '101', '-1'].map(canary)))
    assert.match(said, /'--percent <percent>'.*Expected a number from 0\.01 to 100/);
});

test('a service that is down and an invalid address are reported in one sentence', async () => {
  const args = ['upscale', file, '-o', join(dir, 'b.png')];
  assert.match(await complaint(...args, ...nobody), /does not answer \(ECONNREFUSED\)/);
  assert.match(
    await complaint(...args, '--url', 'foo', '--key', 'none'),
    /must be an http or https URL such as .*; got "foo"/,
  );
  const environment = { ENHANCE_URL: '127.0.0.1:8080', ENHANCE_API_KEY: 'none' };
  assert.match(await complaintOn(environment, 'jobs', 'list'), /got "127\.0\.0\.1:8080"/);
});

test('invalid credits and accounts are refused in one sentence', async () => {
  assert.match(await complaint('credits', 'grant', 'acme', 'x'), /whole number/);
  assert.match(await complaint('credits', 'grant', 'acme', '0'), /from 1 to/);
  assert.match(await complaint('keys', 'create', '--account', 'a b'), /'a b' is invalid/);
});

test('a quality that is not a number is refused before anything is sent', async () => {
  const said = await complaint('upscale', file, '-o', join(dir, 'b.jpg'), '-q', 'x', ...nobody);
  assert.match(said, /Expected a whole number from 1 to 100/);
});

test('commands that need Redis do not hang without it', async () => {
  assert.match(await complaint('credits', 'balance', 'acme'), /Redis does not answer/);
});

test('a Redis that is late is told apart from one that is away', () => {
  const told = (message: string) => refusalOf(new Error(message), 'localhost:1');
  assert.match(told('Command timed out') ?? '', /within 30 s.*may have been done/);
  assert.match(told('Connection is closed.') ?? '', /Is the stack running/);
  assert.match(told("READONLY You can't write against a read only replica.") ?? '', /is a replica/);
  assert.match(
    told('ERR Error running script (call to f_0c): @user_script:3: -MISCONF Errors writing') ?? '',
    /cannot write to its disk, and refuses writes/,
  );
  assert.is(told('something else'), undefined);
});

test('a Redis that refuses is told in its own words', async () => {
  const guarded = createServer((socket) => {
    socket.on('data', (sent) => {
      for (const _ of `${sent}`.matchAll(/^\*\d/gm)) socket.write('-NOAUTH Password wanted.\r\n');
    });
    socket.on('error', () => {}); // of a caller that has gone
  });
  const port = await new Promise<number>((resolve) => {
    guarded.listen(0, '127.0.0.1', () => resolve(Number(Object(guarded.address()).port)));
  });
  try {
    const said = await complaintOn(
      { REDIS_URL: `redis://127.0.0.1:${port}` },
      'credits',
      'balance',
      'acme',
    );
    assert.is(said, `Redis at 127.0.0.1:${port} refuses: NOAUTH Password wanted.`);
  } finally {
    guarded.close();
  }
});

test.run();
