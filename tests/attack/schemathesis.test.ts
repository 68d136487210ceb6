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
  ...['response_schema_conformance', 'response_headers_conformance', 'negative_data_rejection'],
  ...['missing_required_header', 'unsupported_method', 'allow_header_conformance', 'ignored_auth'],
  // In only_here.py.
  'told_code',
];

test.after(() => api.close());

test('every answer is one that the document tells of', async () => {
  const { key, http } = await api.caller({ scopes: ['create', 'read', 'admin'] });
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(tinyPng)]), 'a.png');
  const upload = await http.post('/v1/uploads', form);
  const words = [
    ...['-m', 'schemathesis.cli', 'run', `${api.url}/openapi.json`],
    ...['--header', `Authorization: Bearer ${key}`, '--checks', checks.join(',')],
    ...['--phases', 'examples,coverage,fuzzing', '--max-examples', '8', '--seed', '10'],
    ...['--no-shrink', '--continue-on-failure', '--request-timeout', '10', '--warnings', 'off'],
    ...['--generation-database', ':memory:'],
    // It needs a Triton, and there is none here: tests/walk/releases.test.ts asks it.
    ...['--exclude-path', '/v1/admin/models/add'],
  ];
  const { all, exitCode } = await execa(places.python, words, {
    ...{ all: true, reject: false, timeout: withinMs, cwd: tempDir('schemathesis') },
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
