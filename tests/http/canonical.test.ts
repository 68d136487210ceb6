import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { callbackFields } from '../../src/contract/webhooks.ts';
import { fromBrackets } from '../../src/http/body/brackets.ts';
import { canonical } from '../../src/http/body/canonical.ts';
import { validate } from '../../src/http/body/validate.ts';
import { LipsyncRequest } from '../../src/operations/lip-sync/request.ts';
import { UpscaleRequest } from '../../src/operations/upscale/request.ts';

const publicUrl = 'http://media.example';
type Body = typeof UpscaleRequest | typeof LipsyncRequest;
const read = (schema: Body, sent: Readonly<Record<string, unknown>>, isText = false) =>
  canonical(sent, schema, { isText, publicUrl });
/** The faults of a request, each as its pointer, its code and what came. */
const faults = (schema: Body, sent: Readonly<Record<string, unknown>>, isText = false) => {
  const checked = validate(schema, read(schema, sent, isText), sent);
  return 'data' in checked
    ? []
    : [...checked.faults].map((make) => {
        const { pointer, code, detail } = make();
        return [pointer, code, detail.replace(/^.*; got /, '')];
      });
};
const photo = { model: 'photo', scale: 2 };

test('null for an optional field is no field, at every depth', () => {
  const sent = { ...photo, output_format: null, image_url: null, output: { quality: null } };
  assert.equal(read(UpscaleRequest, sent), { ...photo, output: {} });
  const options = { expressiveness: null, background: { mode: 'mix', volume: null } };
  const lipsync = { model: 'fast', speaker: null, options };
  const { speaker, options: read_ } = LipsyncRequest.parse(read(LipsyncRequest, lipsync));
  assert.equal(speaker, { mode: 'auto' });
  assert.equal([read_.expressiveness, read_.background], [0.5, { mode: 'mix', volume: 0.3 }]);
});

test('an empty text part is no field, at every depth; in JSON, and where a text may be empty, it is a text', () => {
  const schema = UpscaleRequest.extend(callbackFields);
  const sent = {
    model: 'photo',
    scale: '2',
    effort: '',
    image_url: '',
    webhook_url: '',
    output: { quality: '' },
  };
  const read = (isText: boolean, more = {}) =>
    canonical({ ...sent, ...more }, schema, { isText, publicUrl });
  assert.equal(read(true), { ...photo, output: {} });
  assert.equal(read(true, { metadata: { note: '' } }).metadata, { note: '' });
  assert.is(read(false).webhook_url, '');
  assert.equal(faults(UpscaleRequest, { model: '', scale: '2' }, true), [
    ['/model', 'required', '"".'],
  ]);
  const [unknown] = faults(UpscaleRequest, { ...photo, foo: '' }, true);
  assert.equal(unknown?.slice(0, 2), ['/foo', 'unknown_field']);
});

test('one entry of a list, which a form sends as a part of its own, is a list of one', () => {
  const schema = UpscaleRequest.extend(callbackFields);
  const sent = { ...photo, webhook_events: 'job.failed' };
  const { webhook_events } = canonical(sent, schema, { isText: true, publicUrl });
  assert.equal(webhook_events, ['job.failed']);
  const two = { ...photo, webhook_events: ['job.failed', ''] };
  const { webhook_events: events } = canonical(two, schema, { isText: true, publicUrl });
  assert.equal(events, ['job.failed'], 'a part that was not filled in is none');
  const [segments] = faults(LipsyncRequest, { model: 'fast', segments: '0-1' }, true);
  assert.equal(segments, ['/segments', 'invalid_type', '"0-1".']);
});

test('a webhook_url is an address; no id of a job or an upload stands for one', () => {
  const schema = UpscaleRequest.extend(callbackFields);
  for (const id of ['job_0A9b', 'upl_7x']) {
    const body = canonical({ ...photo, image_url: id, webhook_url: id }, schema, {
      isText: false,
      publicUrl,
    });
    assert.match(String(body.image_url), new RegExp(`^${publicUrl}/v1/.*${id}`));
    assert.is(body.webhook_url, id);
    assert.not.ok(schema.safeParse(body).success);
  }
});

test('metadata is the same in whatever order it comes', () => {
  const [one, other] = [
    { b: '1', a: '2' },
    { a: '2', b: '1' },
  ].map((metadata) => JSON.stringify(callbackFields.metadata.parse(metadata)));
  assert.is(one, other);
});

test('null stays where it means something, and where a field is required it is refused as missing', () => {
  const segments = [{ start: 0, end: 1, audio: null }];
  assert.equal(read(LipsyncRequest, { segments }).segments, segments);
  const boxes = [null, [1, 2, 3, 4]];
  assert.equal(read(LipsyncRequest, { speaker: { boxes } }).speaker, { boxes });
  assert.equal(faults(UpscaleRequest, { model: null, scale: null }), [
    ['/model', 'required', 'null.'],
    ['/scale', 'required', 'null.'],
  ]);
  assert.equal(faults(LipsyncRequest, { model: 'fast', segments: [null] }), [
    ['/segments/0', 'invalid_type', 'null.'],
  ]);
});

test('numbers come as text, at every depth and in every form of an object', () => {
  assert.equal(read(UpscaleRequest, { scale: '2', output: { quality: '80' } }), {
    scale: 2,
    output: { quality: 80 },
  });
  assert.is(read(UpscaleRequest, { denoise: '2' }).denoise, 2);
  assert.is(read(UpscaleRequest, { denoise: '3' }, true).denoise, 3);
  assert.is(read(UpscaleRequest, { denoise: 'off' }, true).denoise, 'off');
  const speaker = { frame: '3', x: '10.5', y: 7 };
  assert.equal(read(LipsyncRequest, { speaker }).speaker, { frame: 3, x: 10.5, y: 7 });
  const boxes = [['1', '2', 3, 4], null];
  assert.equal(read(LipsyncRequest, { speaker: { boxes } }).speaker, {
    boxes: [[1, 2, 3, 4], null],
  });
});

test('text that is no number, or none that is allowed, is refused as it was sent', () => {
  for (const scale of ['2x', '3', '', ' 2', '0x2', '+2', '2,0', '1e999', 'two', '٢'])
    assert.equal(faults(UpscaleRequest, { ...photo, scale }), [
      ['/scale', 'not_allowed', `${JSON.stringify(scale)}.`],
    ]);
  assert.equal(faults(UpscaleRequest, { ...photo, output: { quality: '80.5' } }), [
    ['/output/quality', 'invalid_type', '"80.5".'],
  ]);
  assert.equal(faults(UpscaleRequest, { ...photo, scale: true })[0]?.[0], '/scale');
});

test('true and false come as text in any case; other words for them are refused', () => {
  for (const [text, value] of [
    ['true', true],
    ['True', true],
    ['FALSE', false],
  ] as const)
    assert.equal(read(UpscaleRequest, { output: { lossless: text } }).output, { lossless: value });
  for (const lossless of ['1', 'yes', 'on', '', 'truely', 1])
    assert.equal(
      faults(UpscaleRequest, { ...photo, output: { lossless } }).map(([pointer]) => pointer),
      ['/output/lossless'],
    );
});

test('names of formats are taken in any case, and jpg is jpeg; models are taken as they are written', () => {
  for (const [sent, format] of [
    ['PNG', 'png'],
    ['jpg', 'jpeg'],
    ['JPG', 'jpeg'],
    ['Mp4', 'mp4'],
  ])
    assert.is(read(UpscaleRequest, { output_format: sent }).output_format, format);
  assert.is(read(LipsyncRequest, { output_format: 'MP4' }).output_format, 'mp4');
  for (const output_format of ['jpgx', '.png', 'tiff'])
    assert.equal(faults(UpscaleRequest, { ...photo, output_format }), [
      ['/output_format', 'not_allowed', `"${output_format}".`],
    ]);
  assert.equal(faults(UpscaleRequest, { model: 'Photo', scale: 2 })[0]?.[0], '/model');
});

test('the id of a job or an upload is its address; what only looks like one is refused', () => {
  const { image_url } = read(UpscaleRequest, { image_url: 'job_01ab' });
  assert.is(image_url, `${publicUrl}/v1/jobs/job_01ab/result`);
  const { audio_url } = read(LipsyncRequest, { audio_url: 'upl_9' });
  assert.is(audio_url, `${publicUrl}/v1/uploads/upl_9`);
  for (const video_url of ['job_', 'job_a/../b', 'job_a?b', 'Job_a', 'myjob_a', '/v1/jobs/job_a'])
    assert.equal(faults(UpscaleRequest, { ...photo, video_url }), [
      ['/video_url', 'invalid_format', `"${video_url}".`],
    ]);
});

test('text parts become the JSON values that their fields expect', () => {
  const sent = { model: 'photo', scale: '4', output: '{"quality":"80"}', output_format: 'null' };
  assert.equal(read(UpscaleRequest, sent, true), {
    model: 'photo',
    scale: 4,
    output: { quality: 80 },
  });
  const background = '{"mode":"mix"}';
  assert.equal(read(LipsyncRequest, { options: { background } }, true).options, {
    background: { mode: 'mix' },
  });
});

test('a fault inside the JSON of a text part says what stands there', () => {
  const sent = {
    model: 'fast',
    options: '{"expressiveness":2,"background":{"volume":"9"}}',
    speaker: '{"frame":-1,"x":1,"y":null}',
    segments: '[]',
  };
  assert.equal(faults(LipsyncRequest, sent, true), [
    ['/speaker/frame', 'out_of_range', '-1.'],
    ['/speaker/y', 'required', 'nothing.'],
    ['/segments', 'out_of_range', '0.'],
    ['/options/expressiveness', 'out_of_range', '2.'],
    ['/options/background/volume', 'out_of_range', '9.'],
  ]);
});

test('objects as text are for text parts only', () => {
  const sent = { ...photo, output: '{"quality":80}' };
  assert.equal(faults(UpscaleRequest, sent)[0]?.slice(0, 2), ['/output', 'invalid_type']);
});

test('text that is not JSON, unknown fields and repeated parts are left to the schema to refuse', () => {
  const sent = { scale: 'four', output: '{"quality":', extra: '1', model: ['photo', 'detail'] };
  assert.equal(read(UpscaleRequest, sent, true), sent);
});

test('fields in brackets are put together', () => {
  const sent = {
    scale: '2',
    'output[quality]': '80',
    'output[lossless]': 'true',
    'options[background][volume]': '0.2',
  };
  assert.equal(fromBrackets(sent), {
    fields: {
      scale: '2',
      output: { quality: '80', lossless: 'true' },
      options: { background: { volume: '0.2' } },
    },
    faults: [],
  });
});

test('a field that comes whole and in brackets is refused, whichever is first', () => {
  const both = [
    ['/output', { output: '{}', 'output[quality]': '80' }],
    ['/output', { 'output[quality]': '80', output: '{}' }],
    ['/options/background', { 'options[background]': '{}', 'options[background][volume]': '1' }],
    ['/options/background', { 'options[background][volume]': '1', 'options[background]': '{}' }],
  ] as const;
  for (const [pointer, fields] of both) {
    const { faults } = fromBrackets(fields);
    assert.equal(
      faults.map((fault) => [fault.pointer, fault.code]),
      [[pointer, 'conflict']],
    );
  }
});

test('a name with brackets of any other kind stays as it is', () => {
  for (const name of ['output[', 'output]', 'output[]', '[quality]', 'output[a]b', 'output[[a]]'])
    assert.equal(fromBrackets({ [name]: '1' }).fields, { [name]: '1' });
  const { fields } = fromBrackets({ '__proto__[a]': '1', 'a[__proto__]': '2' });
  assert.equal(Object.keys(fields), ['__proto__', 'a']);
  assert.is(Object.hasOwn(Object.prototype, 'a'), false);
});

test.run();
