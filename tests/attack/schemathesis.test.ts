import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { places, root } from '../../src/stack/home.mjs';
import { realApi } from '../http/api.ts';
import { tempDir } from '../real/run.ts';
import { tinyPng } from './fuzz/multipart.ts';

const test = suite('the document, attacked by schemathesis');
const api = await realApi({
  RATE_CREATE_PER_MINUTE: '1000000',
  RATE_READ_PER_MINUTE: '1000000',
  ACCOUNT_QUEUED_LIMIT: '10000',
  WAIT_LIMIT_SECONDS: '1',
});
const versions = { image: 'r1', video: 'r1' };
for (const state of api.states) {
  const offered = state.offered.map((release) => ({ ...release, ready: true, versions }));
  Object.assign(state, { ready: true, releases: versions, offered });
}

const withinMs = 180_000;
/** positive_data_acceptance is left out: an address or an id that fits its pattern need not lead to anything. */
const checks = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  ...['response_schema_conformance', 'response_headers_conformance', 'ignored_auth'],
  ...['missing_required_header', 'unsupported_method', 'allow_header_conformance'],
  // In only_here.py; the latter is their negative_data_rejection, but for spellings that are taken on purpose.
  ...['told_code', 'refused_or_tolerated'],
];

test.after(() => api.close());

const upscale = { model: 'photo', scale: 2, image_url: 'https://192.0.2.1/a.png' };
const lipsync = {
  model: 'fast',
  video_url: 'https://192.0.2.1/a.mp4',
  audio_url: 'https://192.0.2.1/a.mp3',
};
const boxes = [['1', 2, 3, 4], null];
const spelled: readonly (readonly [path: string, fields: object])[] = [
  ...[{}, { scale: '2' }, { scale: '3' }, { scale: ' 2' }, { scale: [2] }, { model: 'PHOTO' }],
  ...[{ output: null }, { model: null }, { nothing: null }, { output_format: 'JPG' }],
  ...[{ output_format: '' }, { webhook_url: '' }, { model: '' }, { nothing: '' }],
  ...[
    { output: { quality: '80', lossless: 'TRUE', background: null } },
    { output: { quality: 0 } },
  ],
  ...[{ metadata: { k: null } }, { metadata: { k: 1 } }, { metadata: 'k' }],
  ...[{ webhook_events: null }, { webhook_events: ['x'] }, { webhook_events: 0 }],
].map((fields) => ['/v1/upscale/estimate', { ...upscale, ...fields }] as const);
const spoken: typeof spelled = [
  ...[{}, { speaker: { frame: '0', x: '1', y: 2.5 } }, { speaker: { frame: 'a', x: 1, y: 2 } }],
  ...[{ speaker: { boxes } }, { speaker: { boxes: [['z', 2, 3, 4]] } }, { output_format: 'MP4' }],
  ...[{ options: { background: null, motion: 'false' } }, { options: { motion: 'no' } }],
  ...[{ segments: [{ start: '0', end: 1, audio: {} }] }, { segments: [{ start: null, end: 1 }] }],
].map((fields) => ['/v1/lipsync/estimate', { ...lipsync, ...fields }] as const);

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
const formOf = (fields: object): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, textOf(value));
  return form;
};

test('the check of what is refused knows the same spellings as the API, as JSON and as a form', async () => {
  const { http } = await api.caller();
  const asked = [...spelled, ...spoken].flatMap(([path, fields]) => {
    const texts = Object.entries(fields).map(([name, value]) => [name, textOf(value)]);
    return [
      { path, type: 'application/json', fields, body: fields },
      {
        path,
        type: 'multipart/form-data',
        fields: Object.fromEntries(texts),
        body: formOf(fields),
      },
    ];
  });
  const taken = await Promise.all(
    asked.map(async ({ path, body }) => {
      const { data } = await http.post(path, body);
      return data.code !== 'validation_failed';
    }),
  );
  const { stdout } = await execa(
    places.python,
    ['-m', 'tests.attack.spellings', `${api.url}/openapi.json`],
    {
      cwd: root,
      input: JSON.stringify(asked.map(({ path, type, fields }) => [path, type, fields])),
    },
  );
  const told: unknown = JSON.parse(stdout);
  const about = asked.map(({ type, fields }) => `${type} ${JSON.stringify(fields)}`);
  assert.ok(Array.isArray(told));
  assert.equal(
    about.map((one, at) => [one, told[at]]),
    about.map((one, at) => [one, taken[at]]),
  );
});

test('every answer is one that the document tells of', async () => {
  const { key, http } = await api.caller({ scopes: ['create', 'read', 'admin'] });
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(tinyPng)]), 'a.png');
  const upload = await http.post('/v1/uploads', form);
  const words = [
    ...['-m', 'schemathesis.cli', 'run', `${api.url}/openapi.json`],
    ...['--header', `Authorization: Bearer ${key}`, '--checks', checks.join(',')],
    ...['--phases', 'examples,coverage,fuzzing', '--max-examples', '8', '--seed', '10'],
    // Python 3.11 does not bear that several threads read sources: "AST constructor recursion depth mismatch".
    ...['--workers', '1'],
    ...['--no-shrink', '--continue-on-failure', '--request-timeout', '10', '--warnings', 'off'],
    ...['--generation-database', ':memory:'],
    // It needs a Triton, and there is none here: tests/walk/releases.test.ts asks it.
    ...['--exclude-path', '/v1/admin/models/add'],
  ];
  const { all, exitCode } = await execa(places.python, words, {
    all: true,
    reject: false,
    timeout: withinMs,
    cwd: tempDir('schemathesis'),
    env: {
      SCHEMATHESIS_HOOKS: 'tests.attack.only_here',
      PYTHONPATH: root,
      OWN_UPLOAD: upload.data.url,
    },
  });
  assert.ok(exitCode === 0, all);
  await api.nothingLeft();
  console.log(all.slice(all.lastIndexOf('Test cases:')));
});

test.run();
