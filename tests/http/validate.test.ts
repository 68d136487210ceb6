import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { sourceFaults, validate } from '../../src/http/body/validate.ts';
import { Speaker } from '../../src/operations/lip-sync/request.ts';
import { UpscaleRequest } from '../../src/operations/upscale/request.ts';

const faults = (schema: z.ZodType, value: unknown) => {
  const checked = validate(schema, value);
  return 'data' in checked ? [] : [...checked.faults].map((make) => make());
};

test('all faults are reported at once, each with its pointer and code', () => {
  const found = faults(UpscaleRequest, {
    scale: 3,
    image_url: 'ftp://example.com/a.png',
    output: { quality: 101, 'a/b': 1 },
    colour: 'red',
  });
  assert.equal(
    found.map(({ pointer, code }) => [pointer, code]),
    [
      ['/model', 'required'],
      ['/scale', 'not_allowed'],
      ['/output/quality', 'out_of_range'],
      ['/output/a~1b', 'unknown_field'],
      ['/image_url', 'invalid_format'],
      ['/colour', 'unknown_field'],
    ],
  );
});

test('a fault names what was expected, what was sent and what is allowed', () => {
  const [fault] = faults(z.strictObject({ scale: z.literal([2, 4, 8]) }), { scale: 3 });
  assert.equal(fault?.allowed, [2, 4, 8]);
  assert.is(fault?.detail, 'Expected 2, 4 or 8; got 3.');
});

test('a value that may be a word or a number is told all of both', () => {
  const body = { model: 'photo', scale: 2, denoise: 4, image_url: 'https://example.com/a.png' };
  const [fault] = faults(UpscaleRequest, body);
  assert.is(fault?.detail, 'Expected auto, off, 1, 2 or 3; got 4.');
  assert.equal(fault?.allowed, ['auto', 'off', 1, 2, 3]);
  assert.is(fault?.code, 'not_allowed');
});

test('who misspells a field reads the names of those that there are, at any depth', () => {
  const schema = z.strictObject({
    scale: z.number(),
    output: z.strictObject({ quality: z.number() }).optional(),
  });
  const found = faults(schema, { scale: 2, output: { quality: 1, size: 9 }, scales: 2 });
  assert.equal(
    found.map(({ pointer, detail }) => [pointer, detail]),
    [
      ['/output/size', 'Expected no field of this name; the fields are quality.'],
      ['/scales', 'Expected no field of this name; the fields are scale, output {quality}.'],
    ],
  );
  const [stray] = faults(z.strictObject({}), { page: 1 });
  assert.is(stray?.detail, 'Expected no field of this name.');
});

test('of a text where an array belongs the type is the fault, and not its length', () => {
  const schema = z.strictObject({ events: z.array(z.string()).min(1).max(5) });
  for (const events of ['', 'job.progress'])
    assert.equal(
      faults(schema, { events }).map(({ detail }) => detail),
      [`Expected an array; got "${events}".`],
    );
});

test('a value with several forms is judged by the one that has its fields', () => {
  const found = (speaker: unknown) =>
    faults(z.strictObject({ speaker: Speaker }), { speaker }).map(({ pointer, code }) => [
      pointer,
      code,
    ]);
  assert.equal(found({ frame: 1, x: 2 }), [['/speaker/y', 'required']]);
  assert.equal(found({ boxes: [[1, 2, 3, 'x']] }), [['/speaker/boxes/0/3', 'invalid_type']]);
  assert.equal(found({ mode: 'loudest' }), [['/speaker/mode', 'not_allowed']]);
  assert.equal(found('auto'), [['/speaker', 'invalid_type']]);
  assert.equal(found({ who: 'me' }), [['/speaker', 'invalid_type']]);
});

test('a fault is one sentence with what was sent as it was sent', () => {
  const detailOf = (schema: z.ZodType, value: unknown) => faults(schema, value)[0]?.detail;
  const limit = z.strictObject({ limit: z.coerce.number().int().min(1).max(100) });
  assert.is(detailOf(limit, { limit: 'abc' }), 'Expected a whole number from 1 to 100; got "abc".');
  assert.is(
    detailOf(limit, { limit: '1000' }),
    'Expected a whole number from 1 to 100; got "1000".',
  );
  assert.is(detailOf(limit, {}), 'Expected a whole number from 1 to 100; got nothing.');
  const name = z.strictObject({ name: z.string().max(5) });
  assert.is(detailOf(name, { name: 'longer' }), 'Expected at most 5 characters; got 6.');
  assert.is(detailOf(name, { name: null }), 'Expected a string; got null.');
  assert.is(
    detailOf(UpscaleRequest, { model: 'photo', scale: 2, output: '{quality:5}' }),
    'Expected an object; got "{quality:5}", which is not valid JSON.',
  );
  assert.is(detailOf(z.array(z.int()).min(1), []), 'Expected at least 1 entry; got 0.');
  assert.is(
    detailOf(UpscaleRequest, { model: 'nope', scale: 2 }),
    'Expected "photo", "animation" or "detail"; got "nope".',
  );
  assert.is(
    detailOf(UpscaleRequest, { model: 'photo', scale: 2, image_url: 'ftp://example.com/a' }),
    'Expected an http or https URL, or the file itself as a part of multipart/form-data; got "ftp://example.com/a".',
  );
});

test('a long value is shortened', () => {
  const [fault] = faults(z.strictObject({ n: z.int() }), { n: 'x'.repeat(10_000) });
  assert.ok((fault?.detail ?? '').length < 200);
});

const sources = [['image', 'video']];
const sent = (fields: string[], files: string[]) =>
  sourceFaults(sources, UpscaleRequest, { fields, files }).map(({ pointer, code }) => [
    pointer,
    code,
  ]);

test('exactly one source must be sent', () => {
  assert.equal(sent(['image_url'], []), []);
  assert.equal(sent([], ['video']), []);
  assert.equal(sent([], []), [['', 'required']]);
  assert.equal(sent(['image_url'], ['video']), [
    ['/image_url', 'conflict'],
    ['/video', 'conflict'],
  ]);
  assert.equal(sent(['image_url', 'video_url'], ['image', 'video']).length, 4);
});

test('a group whose body has no url fields takes file parts only', () => {
  const [fault] = sourceFaults([['file']], z.strictObject({}), { fields: ['file_url'], files: [] });
  assert.equal(fault?.allowed, ['file']);
});

test.run();
