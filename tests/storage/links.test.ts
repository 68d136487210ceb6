import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { openLinks } from '../../src/storage/links.ts';

const test = suite('links');
const links = openLinks('a secret of some length', 'http://host:1/base', 86_400_000);
const expiresAt = 1_800_000_000_500;
const partsOf = (url: string) => {
  const { searchParams } = new URL(url);
  return {
    expires: searchParams.get('expires') ?? '',
    signature: searchParams.get('signature') ?? '',
  };
};
const codeOf = (jobId: string, link: { expires?: string; signature?: string }, now: number) => {
  try {
    links.check('result', jobId, link, now);
    return 'good';
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
};
const url = links.url('result', 'job_1', expiresAt);

test('a link leads to the result below the public address', () =>
  assert.match(
    url,
    /^http:\/\/host:1\/base\/v1\/jobs\/job_1\/result\?expires=1800000001&signature=[\w-]{43}$/,
  ));

test('a link is good until it expires', () => {
  assert.is(codeOf('job_1', partsOf(url), expiresAt), 'good');
  assert.is(codeOf('job_1', partsOf(url), expiresAt + 1000), 'result_expired');
});

test('a link is good for its own job, time and secret only', () => {
  const { expires, signature } = partsOf(url);
  const forged: [string, { expires?: string; signature?: string }][] = [
    ['job_2', { expires, signature }],
    ['job_1', { expires: '1900000000', signature }],
    ['job_1', { expires, signature: `A${signature.slice(1)}` }],
    ['job_1', { expires, signature: signature.slice(1) }],
    ['job_1', { expires }],
    ['job_1', { signature }],
    ['job_1', {}],
    [
      'job_1',
      partsOf(openLinks('another secret', 'http://host:1', 1).url('result', 'job_1', expiresAt)),
    ],
  ];
  for (const [jobId, link] of forged) assert.is(codeOf(jobId, link, 0), 'not_found');
});

test('a link to the events leads to no result, and says itself that it has expired', () => {
  const toEvents = links.url('events', 'job_1', expiresAt);
  assert.match(toEvents, /^http:\/\/host:1\/base\/v1\/jobs\/job_1\/events\?expires=/);
  assert.is(codeOf('job_1', partsOf(toEvents), 0), 'not_found');
  assert.throws(
    () => links.check('events', 'job_1', {}, 0),
    /^There is no event stream under this link\.$/,
  );
  try {
    links.check('events', 'job_1', partsOf(toEvents), expiresAt + 1000);
    assert.unreachable();
  } catch (error) {
    assert.is(error instanceof Failure && error.code, 'link_expired');
  }
});

test.run();
