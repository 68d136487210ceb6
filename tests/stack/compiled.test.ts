/** The programs of dist/, compiled in a copy of the checkout. */
import { cpSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundle, nodeOptions } from '../../src/stack/compiled.mjs';
import { root } from '../../src/stack/home.mjs';
import { tempDir } from '../real/run.ts';

const test = suite('compiled programs');
let checkout = join(tempDir('compiled'), 'checkout');
for (const name of ['src', 'client', 'package.json'])
  cpSync(join(root, name), join(checkout, name), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));

const node = (...words: readonly string[]) =>
  execa(process.execPath, words, { cwd: checkout, reject: false, timeout: 60_000 });
const enhance = async () => (await node('src/cli/bin.mjs', '--help')).stdout;

test('they are compiled when they are missing, and anew when a source has changed', async () => {
  assert.match(await enhance(), 'manage its keys and credits');
  const made = readFileSync(join(checkout, 'dist/enhance.js'));
  assert.match(await enhance(), 'manage its keys and credits');
  assert.equal(readFileSync(join(checkout, 'dist/enhance.js')), made);
  const file = join(checkout, 'src/cli/enhance.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace('manage its keys', 'see to its keys'));
  assert.match(await enhance(), 'see to its keys and credits');
});

test('two that are asked for at once are compiled once', async () => {
  const changed = join(checkout, 'src/text/counted.ts');
  writeFileSync(changed, `${readFileSync(changed, 'utf8')}\n`);
  const asked = `import { compiled } from './src/stack/compiled.mjs';
    console.log((await Promise.all([compiled('main'), compiled('main')])).length);`;
  assert.is((await node('--input-type=module', '--eval', asked)).stdout, '2');
});

test('a compiled program compiles the same as its source, as the stack does that restarts one', async () => {
  // Of this test the compiler is a part, compiled.
  const made = await bundle({ home: 'src/stack/home.mjs' }, join(root, 'dist'));
  const program = made.find(({ path }) => path.endsWith('home.js'));
  assert.match(program?.text ?? '', /new URL\("\.\.\/src\/stack\/home\.mjs", import\.meta\.url\)/);
});

test('packages of many small modules are compiled in, and the others are not', async () => {
  const made = await bundle({ prober: 'src/media/probe/prober-process.ts' }, join(root, 'dist'));
  const imported = made.flatMap(({ text }) =>
    [...text.matchAll(/^(?:import|\} from) .*?["']([^"'.][^"']*)["'];$/gm)].map(([, name]) => name),
  );
  assert.ok(imported.includes('sharp'), `${imported}`);
  for (const name of ['execa', 'file-type', 'zod']) assert.not.ok(imported.includes(name), name);
});

test('they find their files after the folder was moved, and their errors name lines of TypeScript', async () => {
  const moved = `${checkout}-moved`;
  renameSync(checkout, moved);
  checkout = moved;
  const { exitCode, stderr } = await node(...nodeOptions, 'dist/main.js', 'neither');
  assert.is(exitCode, 1);
  // Its Lua scripts were read on the way here.
  assert.match(stderr, /usage: main\.js api\|worker; got "neither"/);
  assert.match(stderr, /at main \(.*checkout-moved\/src\/main\.ts:\d+:/);
  const unset = await node(...nodeOptions, 'dist/main.js', 'api');
  assert.match(unset.stderr, /^The environment has faults:\n {2}KEY_PEPPER: .*; it is not set\n/);
  assert.not.match(unset.stderr, / at /, 'a sentence, and no trace of calls');
});

test.run();
