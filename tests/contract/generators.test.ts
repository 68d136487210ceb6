/** The document as it is served, in the hands of those who make clients from it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { places, root } from '../../src/stack/home.mjs';
import { realApi } from '../http/api.ts';
import { tempDir } from '../real/run.ts';
import { clientTypes } from './generators/client-types.ts';

const test = suite('clients made from the document');
const api = await realApi();
const folder = tempDir('generators');
const at = (name: string): string => join(folder, name);
const { data } = await api.client().get('/openapi.json', { responseType: 'text' });
writeFileSync(at('openapi.json'), data);

/** Runs a program to its end; answers all that it wrote. */
const run = async (file: string, words: readonly string[], env: NodeJS.Dict<string> = {}) => {
  const { all, exitCode } = await execa(file, words, {
    cwd: folder,
    all: true,
    reject: false,
    timeout: 120_000,
    env,
  });
  assert.is(exitCode, 0, `${words.join(' ')}\n${all}`);
  return all;
};
const python = (words: readonly string[], env = {}) =>
  run(places.python, words, { PATH: `${join(places.python, '..')}:${process.env.PATH}`, ...env });
const node = (words: readonly string[]) => run(process.execPath, words);
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** How the quick start uses the client that it has made. */
const [, guide = ''] =
  /^```python generated\n(.*?)^```$/ms.exec(
    readFileSync(join(root, 'docs/guides/quick-start.md'), 'utf8'),
  ) ?? [];

test('a validator finds nothing wrong', async () => {
  const said = await python(['-m', 'openapi_spec_validator', 'openapi.json']);
  assert.is(said, 'openapi.json: OK');
});

test('the types of our own client are those of the document', async () => {
  const written = readFileSync(join(root, 'client/contract.ts'), 'utf8');
  const renew = 'node --import tsx tests/contract/generators/write-client-types.ts renews it';
  assert.ok(written === (await clientTypes(String(data))), renew);
});

test('openapi-typescript makes types that let a right call pass and stop wrong ones', async () => {
  const hook = join(root, 'tests/contract/generators/typescript-5.mjs');
  const cli = join(root, 'node_modules/openapi-typescript/bin/cli.js');
  const said = await node(['--import', hook, cli, 'openapi.json', '--output', 'schema.ts']);
  assert.not.match(said, /warn|error/i);
  const client = join(root, 'node_modules/openapi-fetch');
  writeFileSync(at('package.json'), '{ "type": "module" }');
  writeFileSync(at('calls.ts'), calls(client));
  const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--lib', 'es2023,dom'];
  await node([tsc, ...strict, '--types', '', 'calls.ts']);
});

/** Lines that are to be refused say so: TypeScript reports one that is not. */
const calls = (client: string): string => `
import createClient from '${client}/dist/index.mjs';
import type { paths } from './schema.ts';

const api = createClient<paths>({ baseUrl: 'http://127.0.0.1:1' });
const image_url = 'https://media.example.com/a.png';
const { data, error } = await api.POST('/v1/upscale', {
  body: { model: 'photo', scale: 2, image_url },
});
export const size: string | undefined = data && 'output_size' in data ? data.output_size : undefined;
export const code: string | undefined = error?.code;
// What is not waited for is a job of this operation.
export const asked: 2 | 4 | 8 | undefined = data && 'options' in data ? data.options.scale : undefined;
const job = await api.GET('/v1/jobs/{id}', { params: { path: { id: 'job_1' } } });
export const status: 'queued' | 'processing' | 'succeeded' | 'failed' | 'canceled' | undefined = job.data?.status;
// A narrowed kind of job has its own options.
export const scale = job.data?.kind === 'upscale' ? job.data.options.scale : 2;
// Fields with defaults may be left out.
await api.POST('/v1/lipsync', { body: { model: 'fast', video_url: image_url, audio_url: image_url } });
// @ts-expect-error a call without a body
await api.POST('/v1/upscale');
// @ts-expect-error a model that there is not
await api.POST('/v1/upscale', { body: { model: 'foto', scale: 2, image_url } });
// @ts-expect-error a scale that there is not
await api.POST('/v1/upscale', { body: { model: 'photo', scale: 3, image_url } });
// @ts-expect-error a field that there is not
await api.POST('/v1/upscale', { body: { model: 'photo', scale: 2, image_uri: image_url } });
// @ts-expect-error a path that there is not
await api.GET('/v1/job');
`;

test('openapi-python-client makes a client that makes real calls', async () => {
  const said = await python([
    ...['-m', 'openapi_python_client', 'generate', '--path', 'openapi.json'],
    ...['--output-path', 'enhance_api', '--meta', 'none'],
  ]);
  assert.is(said, 'Generating enhance_api');
  // 811 before schemas were shared.
  assert.ok(readdirSync(at('enhance_api/models')).length < 200);
  const { key, account, cancelQueued } = await api.caller({ credits: 10 });
  await sharp({ create: { width: 32, height: 24, channels: 3, background: '#a40' } })
    .png()
    .toFile(at('portrait.png'));
  const script = join(root, 'tests/contract/generators/calls.py');
  const seen = await python([script, api.url, key, at('portrait.png')], { PYTHONPATH: folder });
  assert.equal(JSON.parse(seen), {
    upload: 'image',
    estimate: 1,
    kind: 'upscale',
    status: 'queued',
    listed: 1,
    input: '32x24',
    refused: 'validation_failed',
    pointer: '/limit',
    unknown: 'not_found',
    account,
  });
  const env = { PYTHONPATH: folder, ENHANCE_URL: api.url, ENHANCE_API_KEY: key };
  writeFileSync(at('guide.py'), guide);
  assert.match(await python(['guide.py'], env), /^job_\w+ queued$/);
  await cancelQueued();
});

test.after(api.close);
test.run();
