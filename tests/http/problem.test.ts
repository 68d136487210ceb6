import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Problem } from '../../src/contract/failure.ts';
import { Failure, type FailureCode, type Fault, failures } from '../../src/errors.ts';
import { explain } from '../../src/http/pages/problem-notes.ts';
import { SMALLEST_FACE } from '../../src/operations/lip-sync/faces/visible.ts';
import { problemOf } from '../../src/problem.ts';

const where = { instance: '/v1/upscale', requestId: 'r1' };

test('a failure becomes a problem as the contract describes it', () => {
  const problem = Problem.parse(
    problemOf(new Failure('model_unavailable', { model: 'photo' }), where),
  );
  assert.is(problem.type, '/problems/model_unavailable');
  assert.is(problem.title, 'Model unavailable');
  assert.is(problem.status, 503);
  assert.is(problem.retryable, true);
  assert.is(problem.charged, 0);
});

test('a title writes acronyms in capitals', () => {
  const titleOf = (code: FailureCode) => problemOf(new Failure(code), where).title;
  assert.is(titleOf('url_fetch_failed'), 'URL fetch failed');
  assert.is(titleOf('invalid_json'), 'Invalid JSON');
  assert.is(titleOf('missing_api_key'), 'Missing API key');
  assert.is(titleOf('no_video_stream'), 'No video stream');
});

test('one credit is written in the singular', () => {
  const facts = { required_credits: 1, available_credits: 0 };
  const { message } = new Failure('insufficient_credits', facts);
  assert.is(message, 'The job costs 1 credit; the account has 0 credits available.');
});

test('the detail of a request that is not valid is its first fault, and how many there are', () => {
  const fault = (pointer: string) => ({ pointer, code: 'required', detail: 'Expected 2; got 3.' });
  const told = (faults: readonly Fault[]) =>
    new Failure('validation_failed', {}, { faults }).message;
  assert.is(told([fault('/scale')]), '/scale: Expected 2; got 3.');
  assert.is(told([fault('')]), 'Expected 2; got 3.');
  assert.is(
    told([fault('/scale'), fault('/x')]),
    '/scale: Expected 2; got 3. This is the first of 2 faults; see errors.',
  );
});

test('too few credits: the answer has how many are needed and how many are available', () => {
  const facts = { required_credits: 40, available_credits: 12 };
  const problem = problemOf(new Failure('insufficient_credits', facts), where);
  assert.is(problem.required_credits, 40);
  assert.is(problem.available_credits, 12);
});

test('the example of no_face_detected is what a lip sync says', () => {
  const { example } = explain('no_face_detected');
  const said = new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  assert.is(example.detail, said.message);
  assert.is(example.instance, '/v1/lipsync');
});

test('facts for the log are not shown to the caller', () => {
  const problem = problemOf(
    new Failure('url_fetch_failed', { url: 'u', reason: 'r', ip: '10.0.0.1' }),
    where,
  );
  assert.not.ok('ip' in problem);
});

/** Sent again without a change, the request may succeed: somebody else, or time, ends what stood in the way. */
const passing = [
  ...['request_timeout', 'idempotency_in_progress', 'result_not_ready', 'url_fetch_failed'],
  ...['rate_limited', 'concurrency_limited', 'upload_quota_exceeded', 'internal_error'],
  ...['inference_failed', 'model_unavailable', 'draining', 'queue_full', 'deadline_exceeded'],
  ...[
    'worker_lost',
    'decode_failed',
    'encode_failed',
    'signing_failed',
    'storage_failed',
    'storage_full',
    'storage_unavailable',
    'database_unavailable',
  ],
];

test('only what may pass by itself is told as retryable', () => {
  const retryable = Object.entries(failures).filter(([, { retryable }]) => retryable);
  assert.equal(retryable.map(([code]) => code).sort(), passing.sort());
});

test.run();
