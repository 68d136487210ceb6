import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Problem } from '../../src/contract/failure.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { apiProcess, said } from './api-process.ts';

const test = suite('JSON bodies that mean harm');
const api = await apiProcess({}, realRedis());
await api.healthMs();

const upscale = '/v1/upscale/estimate';
const lipsync = '/v1/lipsync/estimate';
const json = ['Content-Type: application/json'];
const post = (body: string | Buffer, path = upscale, more: readonly string[] = []) =>
  api.post(body, [...json, ...more], path);
const problem = (answer: string): Problem =>
  Problem.parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)));

test.after.each(() => {
  assert.is(api.ended(), undefined, 'the API process has ended');
});

test('fields named as what every object has are unknown fields', async () => {
  const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'prototype', 'length'];
  const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, 'x'])));
  const { errors = [] } = problem(await post(body));
  const unknown = errors.filter(({ code }) => code === 'unknown_field');
  assert.equal(
    unknown.map(({ pointer }) => pointer).sort(),
    names.map((name) => `/${name}`).sort(),
  );
});

test('__proto__ is refused, plain and compressed, at any depth', async () => {
  for (const body of ['{"__proto__":{"a":1}}', '{"output":{"__proto__":{"a":1}}}']) {
    assert.is(said(await post(body)), '400 invalid_json');
    const gzip = await post(gzipSync(body), upscale, ['Content-Encoding: gzip']);
    assert.is(said(gzip), '400 invalid_json');
  }
});

test('of any number of faults at most 100 are told, with their number, at once', async () => {
  const fields = Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`f${at}`, 1]));
  const boxes = { speaker: { boxes: Array(36_000).fill([0, 0, 0, '']) } };
  const many: readonly (readonly [unknown, string, number])[] = [
    [fields, upscale, 80_003],
    [boxes, lipsync, 36_003],
  ];
  for (const [body, path, count] of many) {
    const [answer, slowest] = await Promise.all([
      post(JSON.stringify(body), path),
      sleep(10).then(api.healthMs),
    ]);
    assert.is(said(answer), '422 validation_failed');
    const { detail, errors = [] } = problem(answer);
    assert.match(detail, `${count} faults`);
    assert.is(errors.length, 100);
    assert.ok(slowest < 4000, `health took ${slowest} ms`);
  }
});

test('lists longer than any request has are one fault', async () => {
  const lists: readonly (readonly [string, string, string])[] = [
    [`{"segments":[${'0,'.repeat(500_000)}0]}`, lipsync, '/segments'],
    [`{"speaker":{"boxes":[${'0,'.repeat(500_000)}0]}}`, lipsync, '/speaker/boxes'],
    [`{"speaker":{"boxes":[${'[],'.repeat(300_000)}[]]}}`, lipsync, '/speaker/boxes'],
  ];
  for (const [body, path, pointer] of lists) {
    const began = performance.now();
    const { errors = [] } = problem(await post(body, path));
    assert.ok(
      errors.some((fault) => fault.pointer === pointer),
      JSON.stringify(errors),
    );
    assert.ok(errors.length < 10);
    assert.ok(performance.now() - began < 10_000);
  }
});

test('100,000 levels of nesting are a fault like any other', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  for (const value of [deep, objects]) {
    for (const field of ['model', 'output', 'anything', 'image_url']) {
      assert.is(said(await post(`{"${field}":${value}}`)), '422 validation_failed', field);
    }
    assert.is(said(await post(`{"speaker":${value}}`, lipsync)), '422 validation_failed');
    assert.match(said(await post(value)), /^422 validation_failed$/);
    const gzip = await post(gzipSync(`{"model":${value}}`), upscale, ['Content-Encoding: gzip']);
    assert.match(said(gzip), /^4(00 invalid_json|22 validation_failed)$/);
  }
  const form = `--b\r\nContent-Disposition: form-data; name="output"\r\n\r\n${deep}\r\n--b--\r\n`;
  const type = ['Content-Type: multipart/form-data; boundary=b'];
  assert.is(said(await api.post(form, type, upscale)), '422 validation_failed');
});

test('a name or value of a megabyte is not echoed', async () => {
  const long = 'n'.repeat(1_000_000);
  const bodies = [
    `{"${long}":1}`,
    `{"model":"${long}"}`,
    `{"model":"photo","scale":2,"image_url":"ftp://${long}"}`,
    `{"model":"photo","scale":2,"image_url":"http://127.0.0.1/${long}"}`,
    `{"output":{"${long}":1}}`,
    `{"${'~/'.repeat(400_000)}":1}`,
    `{"model":${long}}`,
  ];
  for (const body of bodies) {
    const answer = await post(body);
    assert.match(said(answer), /^4\d\d \w+$/);
    assert.ok(answer.length < 4000, `${answer.length} bytes: ${answer.slice(0, 600)}`);
  }
});

test('a body beyond the limit is refused, announced, chunked or compressed', async () => {
  const large = JSON.stringify({ model: 'x'.repeat(1_100_000) });
  assert.is(said(await post(large)), '413 file_too_large');
  const chunk = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
  const head = api.head([...json, 'Transfer-Encoding: chunked', 'Connection: close'], upscale);
  assert.is(said(await api.raw(head + chunk)), '413 file_too_large');
  assert.is(
    said(await post(gzipSync(large), upscale, ['Content-Encoding: gzip'])),
    '413 file_too_large',
  );
});

test('a bomb of gzip costs next to nothing', async () => {
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, ' '), { level: 9 });
  const twice = gzipSync(bomb, { level: 9 });
  const before = api.residentMb();
  for (const [body, encoding] of [
    [bomb, 'gzip'],
    [twice, 'gzip'],
    [bomb, 'deflate'],
  ] as const) {
    const began = performance.now();
    const answer = await post(body, upscale, [`Content-Encoding: ${encoding}`]);
    assert.match(said(answer), /^4(13 file_too_large|00 invalid_json)$/);
    assert.ok(performance.now() - began < 10_000);
  }
  assert.ok(api.residentMb() - before < 100, `${before} MB, then ${api.residentMb()} MB`);
});

test('compressed bodies that are cut, spoiled or of an unknown kind are refused', async () => {
  const whole = gzipSync(JSON.stringify({ model: 'x'.repeat(2000) }));
  const large = gzipSync(`{"model":"${'abcdefgh'.repeat(400_000)}"}`);
  const spoiled = Buffer.concat([large.subarray(0, large.length - 500), Buffer.alloc(500, 255)]);
  const gzip = ['Content-Encoding: gzip'];
  assert.is(said(await post(whole.subarray(0, 30), upscale, gzip)), '400 invalid_json');
  assert.is(said(await post('{}', upscale, gzip)), '400 invalid_json');
  assert.match(said(await post(spoiled, upscale, gzip)), /^4(13 file_too_large|00 invalid_json)$/);
  for (const encoding of ['br', 'compress', 'gzip, gzip', '__proto__', 'x'.repeat(8000)]) {
    const answer = await post('{}', upscale, [`Content-Encoding: ${encoding}`]);
    assert.is(said(answer), '415 unsupported_media_type', encoding);
    assert.ok(answer.length < 2000);
  }
});

test('callers that hang up in compressed bodies leave nothing that waits', async () => {
  const before = api.descriptors();
  const hangUp = async () => {
    const socket = await api.dial();
    const head = api.head([...json, 'Content-Encoding: gzip', 'Content-Length: 5000'], upscale);
    socket.write(Buffer.concat([Buffer.from(head), gzipSync('{"model":"photo"}').subarray(0, 20)]));
    await sleep(20);
    socket.destroy();
  };
  await Promise.all(Array.from({ length: 50 }, hangUp));
  await until('their connections are gone', () => api.descriptors() <= before + 2);
  await until('all 50 requests have ended', () => answered() >= 50);
});

const answered = (): number => api.log().match(/"status":499/g)?.length ?? 0;

test.after(api.close);
test.run();
