import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDir } from '../real/run.ts';
import { realApi } from './api.ts';
import { pointers, refused } from './told.ts';

const test = suite('request bodies');
const megabyte = 1024 * 1024;
const api = await realApi({
  IMAGE_MAX_BYTES: String(megabyte),
  VIDEO_MAX_BYTES: String(2 * megabyte),
  RATE_CREATE_PER_MINUTE: '1000',
});
const { http, key } = await api.caller();
const png = await sharp({ create: { width: 5, height: 3, channels: 3, background: 'red' } })
  .png()
  .toBuffer();

type Part = string | Blob;
const formOf = (parts: readonly (readonly [string, Part])[]): FormData => {
  const form = new FormData();
  for (const [name, part] of parts) {
    if (typeof part === 'string') form.append(name, part);
    else form.append(name, part, 'file.png');
  }
  return form;
};
const image = new Blob([png]);
const estimate = (body: unknown, headers: Record<string, string> = {}) =>
  http.post('/v1/upscale/estimate', body, { headers });

/** A request head, then whatever `body` writes; answers what comes back until the connection ends. */
const send = async (head: readonly string[], body: string) => {
  const socket = connect(api.port, '127.0.0.1');
  await once(socket, 'connect');
  const lines = ['POST /v1/upscale/estimate HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`];
  socket.write([...lines, ...head, '', body].join('\r\n'));
  socket.setTimeout(8000, () => socket.destroy(new Error('no answer in time')));
  return socket;
};
const multipart = 'Content-Type: multipart/form-data; boundary=b';
const filePart = 'Content-Disposition: form-data; name="image"; filename="a.png"';

test.after.each(api.nothingLeft);

test('broken JSON is answered with invalid_json', async () => {
  const json = { 'content-type': 'application/json' };
  refused(await estimate('{"model":', json), 400, 'invalid_json');
  refused(await estimate('"photo"', json), 400, 'invalid_json');
  refused(await estimate('{"__proto__":{"a":1}}', json), 400, 'invalid_json');
});

test('JSON that is not an object is a fault', async () => {
  refused(await estimate([1]), 422, 'validation_failed');
});

test('a request without a body lacks its required fields', async () => {
  const problem = refused(await estimate(undefined), 422, 'validation_failed');
  assert.equal(pointers(problem).sort(), ['', '/model', '/scale']);
});

test('a large JSON body is refused, compressed or not', async () => {
  const large = JSON.stringify({ model: 'x'.repeat(1_200_000) });
  const json = { 'content-type': 'application/json' };
  refused(await estimate(large, json), 413, 'file_too_large');
  const gzip = { ...json, 'content-encoding': 'gzip' };
  refused(await estimate(gzipSync(large), gzip), 413, 'file_too_large');
});

test('an unknown content type or encoding is refused', async () => {
  const plain = await estimate('model=photo', { 'content-type': 'text/plain' });
  // A caller's words, though a full disk uses the same.
  const full = await estimate('model=photo', { 'content-type': 'No space left on device' });
  refused(full, 415, 'unsupported_media_type');
  assert.match(refused(plain, 415, 'unsupported_media_type').detail, 'multipart/form-data');
  const form = await estimate('{}', { 'content-type': 'application/x-www-form-urlencoded' });
  const told = refused(form, 415, 'unsupported_media_type').detail;
  assert.match(told, '; got application/x-www-form-urlencoded, which curl sends with -d unless -H');
  const odd = { 'content-type': 'application/json', 'content-encoding': 'compress' };
  refused(await estimate('{}', odd), 415, 'unsupported_media_type');
  const packed = await estimate('x', {
    'content-type': 'multipart/form-data; boundary=b',
    'content-encoding': 'gzip',
  });
  const needed = refused(packed, 415, 'unsupported_media_type').detail;
  assert.match(needed, 'Expected a form that is not compressed; got the Content-Encoding "gzip"');
  const upload = await http.post('/v1/uploads', { file: 'x' });
  refused(upload, 415, 'unsupported_media_type');
});

test('numbers and objects can be sent as text in multipart', async () => {
  const form = formOf([
    ['model', 'photo'],
    ['scale', '4'],
    ['output', '{"quality":80}'],
    ['output_format', 'webp'],
    ['image', image],
  ]);
  const { status, data } = await estimate(form);
  assert.equal([status, data.input_size, data.output_size], [200, '5x3', '20x12']);
});

test('a file part is known by its file name, with and without a content type', async () => {
  const file = png.toString('latin1');
  const bodyOf = (type: string) =>
    Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nphoto\r\n` +
        `--b\r\nContent-Disposition: form-data; name="scale"\r\nContent-Type: application/json\r\n\r\n2\r\n` +
        `--b\r\n${filePart}\r\n${type}\r\n${file}\r\n--b--\r\n`,
      'latin1',
    );
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  for (const type of ['', 'Content-Type: image/png\r\n']) {
    const { status, data } = await estimate(bodyOf(type), headers);
    assert.is(status, 200, JSON.stringify(data));
  }
});

test('all faults of fields, sources and file parts are reported at once', async () => {
  const form = formOf([
    ['scale', '3'],
    ['colour', 'red'],
    ['image_url', 'https://example.com/a.png'],
    ['video', image],
    ['picture', image],
  ]);
  const problem = refused(await estimate(form), 422, 'validation_failed');
  const model = problem.errors?.find(({ pointer }) => pointer === '/model');
  assert.match(model?.detail ?? '', 'Expected "photo", "animation" or "detail"; got ');
  assert.equal(pointers(problem).sort(), [
    ...['/colour', '/image_url', '/model', '/picture', '/scale', '/video'],
  ]);
});

test('a file in JSON, and fields in the query, are told where they belong', async () => {
  const json = { model: 'photo', scale: 2, image: png.toString('base64') };
  const inJson = refused(await estimate(json), 422, 'validation_failed');
  assert.equal(
    inJson.errors?.map(({ pointer, detail }) => [pointer, detail]),
    [
      [
        '/image',
        'Expected image as a file part of multipart/form-data, or image_url in JSON; got image in JSON.',
      ],
    ],
  );
  const query = '/v1/upscale/estimate?model=photo';
  const inQuery = refused(await http.post(query, json), 422, 'validation_failed');
  const details = inQuery.errors?.map(({ detail }) => detail);
  assert.ok(details?.includes('Expected no query parameter of this name.'));
});

test('two files under one name, and a file where text belongs, are faults', async () => {
  const both = formOf([
    ['model', 'photo'],
    ['scale', '2'],
    ['image', image],
    ['image', image],
  ]);
  const twice = refused(await estimate(both), 422, 'validation_failed');
  assert.ok(pointers(twice).includes('/image'));
  const asFile = formOf([
    ['model', image],
    ['scale', '2'],
    ['image', image],
  ]);
  assert.ok(pointers(refused(await estimate(asFile), 422, 'validation_failed')).includes('/model'));
});

test('more files and more fields than any request has are refused', async () => {
  const files = formOf(Array.from({ length: 9 }, () => ['image', image] as const));
  refused(await estimate(files), 400, 'invalid_multipart');
  const fields = formOf(Array.from({ length: 60 }, (_, at) => [`f${at}`, 'x'] as const));
  refused(await estimate(fields), 400, 'invalid_multipart');
  refused(await estimate(formOf([['model', 'x'.repeat(1_200_000)]])), 413, 'file_too_large');
});

test('broken multipart is answered with invalid_multipart', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const bodies = [
    `--b\r\n${filePart}\r\n\r\nno end`,
    `--b\r\n${filePart}\r\nContent-Transfer-Encoding: quoted\r\n\r\nx\r\n--b--\r\n`,
    'nothing of it',
    '--b\r\nno header at all\r\n--b--\r\n',
  ];
  for (const body of bodies) refused(await estimate(body, headers), 400, 'invalid_multipart');
  const bare = { 'content-type': 'multipart/form-data' };
  refused(await estimate('--b--', bare), 400, 'invalid_multipart');
});

test('a multipart body without parts lacks its fields', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  refused(await estimate('--b--\r\n', headers), 422, 'validation_failed');
});

test('an image beyond its limit is refused once its content shows that it is an image', async () => {
  const padded = new Blob([png, Buffer.alloc(megabyte)]);
  const form = formOf([
    ['model', 'photo'],
    ['scale', '2'],
    ['image', padded],
  ]);
  assert.match(refused(await estimate(form), 413, 'file_too_large').detail, 'An image');
});

test('a body whose Content-Length is beyond the limit is refused before it is read', async () => {
  const socket = await send([multipart, `Content-Length: ${4 * megabyte}`], '');
  assert.match(await text(socket), /^HTTP\/1\.1 413 .*"code":"file_too_large"/s);
});

test('a file that goes on beyond every limit is cut off, and its answer arrives', async () => {
  const file = join(tempDir('large'), 'large');
  await writeFile(file, Buffer.alloc(8 * megabyte, 7));
  assert.is((await stat(file)).size, 8 * megabyte);
  const socket = await send(
    [multipart, 'Transfer-Encoding: chunked'],
    `${(filePart.length + 9).toString(16)}\r\n--b\r\n${filePart}\r\n\r\n\r\n`,
  );
  const answer = text(socket);
  try {
    for await (const chunk of createReadStream(file)) {
      socket.write(`${chunk.length.toString(16)}\r\n`);
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
      if (socket.destroyed) break;
      socket.write('\r\n');
    }
  } catch {
    // The server closes the connection at some point of this; what it said first is what counts.
  }
  assert.match(await answer, /^HTTP\/1\.1 413 .*"code":"file_too_large"/s);
});

test('a caller that disconnects half way leaves no file', async () => {
  for (const sent of ['', 'x'.repeat(200_000)]) {
    const socket = await send(
      [multipart, `Content-Length: ${megabyte}`],
      `--b\r\n${filePart}\r\n\r\n${sent}`,
    );
    await sleep(50);
    socket.destroy();
    await api.nothingLeft();
  }
  assert.is(
    (
      await estimate(
        formOf([
          ['model', 'photo'],
          ['scale', '2'],
          ['image', image],
        ]),
      )
    ).status,
    200,
  );
});

test('many callers that disconnect at any moment leave no file', async () => {
  const hangUp = async (afterMs: number) => {
    const socket = await send(
      [multipart, `Content-Length: ${megabyte}`],
      `--b\r\n${filePart}\r\n\r\n${'x'.repeat(50_000)}`,
    );
    await sleep(afterMs);
    socket.destroy();
  };
  await Promise.all(Array.from({ length: 40 }, (_, at) => hangUp(at)));
  await sleep(100);
});

test.after(api.close);
test.run();
