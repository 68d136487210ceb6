/** Runs what the guides print: every block marked "run", in its order, as a newcomer would, against the real service. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { places, root } from '../../src/stack/home.mjs';
import { serve } from '../media/server.ts';
import { tempDir } from '../real/run.ts';
import { realService } from '../real/service.ts';
import { sounds } from '../real/sounds.ts';
import { talkingHead } from '../real/talking.ts';
import { lipsyncNames, realTriton } from '../real/triton.ts';

const test = suite('guides');
const folder = tempDir('guides');
const files: Readonly<Record<string, string>> = {
  '/speaker.mp4': await talkingHead(join(folder, 'speaker.mp4'), 0.6, '240x240'),
  '/speech.wav': await sounds.babble(join(folder, 'speech.wav'), 0.6),
  '/portrait.png': join(folder, 'portrait.png'),
};
const drawn = { width: 24, height: 16, channels: 3, background: '#48c' } as const;
for (const name of ['portrait.png', 'portrait.jpg'])
  await sharp({ create: drawn }).toFile(join(folder, name));
const site = await serve((request, answer) =>
  answer.end(readFileSync(files[request.url ?? ''] ?? '')),
);
const service = await realService(
  { FETCH_ALLOW_HOSTS: new URL(site.origin).host, PROVENANCE: 'on' },
  realTriton(['photo', 'animation', 'animation_realtime', ...lipsyncNames('fast')]),
);

const tsc = join(root, 'node_modules/.bin/tsc');

/** `enhance-client` as `npm install` would put it there. */
const install = async (): Promise<void> => {
  const modules = join(folder, 'node_modules');
  const client = join(modules, 'enhance-client');
  mkdirSync(client, { recursive: true });
  cpSync(join(root, 'client/package.json'), join(client, 'package.json'));
  for (const name of ['eventsource-parser', 'standardwebhooks', '@stablelib', 'fast-sha256'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const project = join(root, 'client/tsconfig.build.json');
  await execa(tsc, ['-p', project, '--outDir', join(client, 'dist')]);
};
await install();

/** How a block in a language is run: its file's ending, and the program with its arguments. */
const runners: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  sh: ['sh', ['bash', '-euo', 'pipefail']],
  ts: ['ts', [process.execPath, '--import', import.meta.resolve('tsx')]],
  python: ['py', [places.python]],
};

/** What an editor would say of the block. */
const checkTypes = async (file: string): Promise<void> => {
  const { exitCode, all } = await execa(
    tsc,
    [
      ...['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2023,dom', '--skipLibCheck'],
      ...['--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), file],
    ],
    { cwd: folder, all: true, reject: false },
  );
  assert.is(exitCode, 0, all);
};

const run = async (language: string, code: string, env: NodeJS.Dict<string>): Promise<void> => {
  const runner = runners[language];
  if (!runner) throw new Error(`nothing here runs ${language}`);
  const [ending, [program = '', ...args]] = runner;
  writeFileSync(join(folder, `block.${ending}`), code);
  if (ending === 'ts') await checkTypes(`block.${ending}`);
  const { exitCode, all } = await execa(program, [...args, `block.${ending}`], {
    cwd: folder,
    env,
    all: true,
    reject: false,
    timeout: 120_000,
  });
  assert.is(exitCode, 0, `${code}\n---\n${all}`);
};

/** How many blocks of each guide are run, so that none falls out unseen. */
const guides = {
  'README.md': 1,
  'docs/guides/quick-start.md': 6,
  'docs/guides/retries.md': 2,
  'docs/guides/credits.md': 3,
  'docs/guides/n8n-zapier.md': 2,
  'docs/guides/from-sync-so.md': 1,
};
for (const [name, count] of Object.entries(guides)) {
  test(`the code in ${name} runs as printed`, async () => {
    const text = readFileSync(join(root, name), 'utf8');
    const blocks = [...text.matchAll(/^```(\w+) run\n(.*?)^```$/gms)];
    assert.is(blocks.length, count);
    const { key } = await service.caller(1000);
    const env = {
      ENHANCE_URL: service.url,
      ENHANCE_API_KEY: key,
      PICTURE_URL: `${site.origin}/portrait.png`,
      VIDEO_URL: `${site.origin}/speaker.mp4`,
      AUDIO_URL: `${site.origin}/speech.wav`,
    };
    // What the README prints is what `npm start` says; here the service has another address, and the key is ours.
    for (const [, language = '', code = ''] of blocks) {
      const ours = code.replace('mes_live_…', key).replace('http://127.0.0.1:8080', service.url);
      await run(language, ours, env);
    }
  });
}

test('the quick start leaves what it promises', async () => {
  const { width, height } = await sharp(join(folder, 'large.png')).metadata();
  assert.equal([width, height], [48, 32]);
  assert.match(readFileSync(join(folder, 'dubbed.mp4')).subarray(0, 12).toString('latin1'), /ftyp/);
});

test.after(async () => {
  await service.close();
  await site.close();
});
test.run();
