import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import axios, { type AxiosResponse } from 'axios';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pngChunk } from '../../src/media/image/png-chunk.ts';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';
import { formOf, realService } from '../real/service.ts';
import { until } from '../real/until.ts';

const test = suite('bad input over HTTP');
const dir = tempDir('faults');
const at = (name: string) => join(dir, name);
const put = (name: string, bytes: Uint8Array | string) => {
  writeFileSync(at(name), bytes);
  return at(name);
};

const [port = 0] = await freePorts(1);
const service = await realService({
  FETCH_ALLOW_HOSTS: `127.0.0.1:${port}`,
  FETCH_TIMEOUT_SECONDS: '5',
  VIDEO_MAX_BYTES: '20000000',
  IMAGE_MAX_BYTES: '10000000',
});
const caller = await service.caller(1000);
const photo = { model: 'photo', scale: 2, effort: 'best' };

const good = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#48c' } })
  .composite([
    {
      input: Buffer.from(
        '<svg width="64" height="48"><circle cx="30" cy="20" r="15" fill="#fa4"/></svg>',
      ),
    },
  ])
  .png()
  .toBuffer();
put('good.png', good);

/** What a caller must see: problem+json with this status and code, and a sentence that helps. */
const refused = ({ status, data, headers }: AxiosResponse, wanted: number, code: string) => {
  assert.is(`${status} ${data.code}`, `${wanted} ${code}`, JSON.stringify(data));
  assert.match(String(headers['content-type']), /^application\/problem\+json/);
  assert.is(data.status, wanted);
  assert.is(data.charged, 0);
  assert.is(data.request_id, headers['x-request-id']);
  assert.ok(data.detail.length > 20, data.detail);
};

const filesLeft = () =>
  ['incoming', 'inputs', 'checkpoints', 'attempts'].flatMap((name) => {
    const folder = join(service.config.files.dir, name);
    return existsSync(folder) ? readdirSync(folder) : [];
  });

test.after.each(async () => {
  const { balance, held } = await caller.balance();
  assert.equal({ balance, held }, { balance: 1000, held: 0 });
  await until('no file is left', () => filesLeft().length === 0);
});

const noise = Buffer.from(
  Array.from({ length: 150 * 150 * 3 }, (_, i) => (i * 7919 + (i >> 3) * 104_729) % 256),
);
const textured = sharp(noise, { raw: { width: 150, height: 150, channels: 3 } });
for (const format of ['png', 'jpeg', 'webp', 'avif'] as const) {
  const whole = await textured.clone().toFormat(format).toBuffer();

  test(`a ${format} cut in half is unreadable`, async () => {
    const path = put(`half.${format}`, whole.subarray(0, whole.length / 2));
    refused(await caller.upscale(path, photo), 422, 'media_unreadable');
  });

  // Any bytes are valid pixels of a lossy WebP: its arithmetic coder knows no wrong ones.
  if (format === 'webp') continue;
  test(`a ${format} with a good beginning and nonsense after it is unreadable`, async () => {
    const path = put(
      `torn.${format}`,
      Buffer.concat([whole.subarray(0, 60), Buffer.alloc(whole.length, 0x5a)]),
    );
    refused(await caller.upscale(path, photo), 422, 'media_unreadable');
  });
}

for (const [name, made] of Object.entries({
  'clip.mp4': h264,
  'clip.mov': h264,
  'clip.webm': ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8'],
  'clip.avi': ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'],
})) {
  const whole = readFileSync(await makeClip(at(name), pattern(0.5), made));

  test(`the first 300 bytes of ${name} are no video`, async () => {
    const { status, data } = await caller.upscale(
      put(`cut-${name}`, whole.subarray(0, 300)),
      photo,
    );
    assert.is(status, 422, JSON.stringify(data));
    assert.ok(['media_unreadable', 'no_video_stream'].includes(data.code), data.code);
  });

  test(`${name} with a good beginning and nonsense after it is no video`, async () => {
    const torn = Buffer.concat([whole.subarray(0, 64), Buffer.alloc(5000, 0x5a)]);
    const { status, data } = await caller.upscale(put(`torn-${name}`, torn), photo);
    assert.is(status, 422, JSON.stringify(data));
    assert.ok(['media_unreadable', 'no_video_stream'].includes(data.code), data.code);
  });
}

test('a text file named .png is told for what it is', async () => {
  refused(
    await caller.upscale(put('text.png', 'once upon a time\n'.repeat(40)), photo),
    415,
    'unsupported_media_type',
  );
});

test('an empty file is told for what it is', async () => {
  refused(await caller.upscale(put('empty.png', ''), photo), 415, 'unsupported_media_type');
});

test('a 30,000 x 30,000 PNG is refused from its header', async () => {
  const path = put('bomb.png', pngHeader(30_000, 30_000));
  refused(await caller.upscale(path, photo), 413, 'resolution_too_large');
});

test('a picture whose result would be too large is refused before it is paid', async () => {
  refused(
    await caller.upscale(put('wide.png', pngHeader(3000, 10)), { ...photo, scale: 8 }),
    413,
    'output_too_large',
  );
});

test('an MP4 without video is told so', async () => {
  const path = await makeClip(at('sound.mp4'), tone(0.5), ['-c:a', 'aac']);
  refused(await caller.upscale(path, photo), 422, 'no_video_stream');
});

test('an animated AVIF is refused', async () => {
  const still = (await sharp(good).avif().toBuffer()).toString('latin1');
  const moving = Buffer.from(still.replace('avif', 'avis'), 'latin1');
  refused(await caller.upscale(put('moving.avif', moving), photo), 415, 'unsupported_media_type');
});

const host = createServer((request, response) => {
  const answers: Record<string, () => unknown> = {
    '/good.png': () => response.end(good),
    '/hang': () => undefined,
    '/slow.png': () =>
      response.writeHead(200, { 'content-length': good.length }).write(good.subarray(0, 10)),
    '/home': () => response.writeHead(302, { location: 'http://127.0.0.1:1/x.png' }).end(),
    '/metadata': () => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
    '/loop': () => response.writeHead(302, { location: '/loop' }).end(),
    '/less': () => {
      response.writeHead(200, { 'content-length': good.length + 100 }).write(good);
      setTimeout(() => response.destroy(), 100);
    },
    '/endless': () => {
      const more = () => {
        if (!response.destroyed) response.write(Buffer.alloc(4 << 20), () => setImmediate(more));
      };
      more();
    },
    '/declared': () => response.writeHead(200, { 'content-length': 2 ** 40 }).write('x'),
  };
  (answers[request.url ?? ''] ?? (() => response.writeHead(404).end('no')))();
}).listen(port, '127.0.0.1');

const byUrl = (url: string) => caller.http.post('/v1/upscale', { ...photo, image_url: url });
for (const [path, status, code] of [
  ['/hang', 422, 'url_fetch_failed'],
  ['/slow.png', 422, 'url_fetch_failed'],
  ['/nothing', 422, 'url_fetch_failed'],
  ['/loop', 422, 'url_fetch_failed'],
  ['/less', 422, 'url_fetch_failed'],
  ['/endless', 413, 'file_too_large'],
  ['/declared', 413, 'file_too_large'],
  ['/home', 422, 'url_not_allowed'],
  ['/metadata', 422, 'url_not_allowed'],
] as const) {
  test(`a URL that answers as ${path} does is refused`, async () => {
    refused(await byUrl(`http://127.0.0.1:${port}${path}`), status, code);
  });
}

for (const url of [
  'http://127.0.0.1:1/a.png',
  'http://localhost/a.png',
  'http://2130706433/a.png',
  'http://0x7f.1/a.png',
  'http://[::1]/a.png',
  'http://[::ffff:169.254.169.254]/latest',
  'http://10.0.0.1/a.png',
]) {
  test(`${url} is not fetched`, async () => {
    refused(await byUrl(url), 422, 'url_not_allowed');
  });
}

test('every fault of the fields is told at once', async () => {
  const body = { model: 'sharp', scale: 3, image_url: 'ftp://a.b/c', colour: 'red' };
  const answer = await caller.http.post('/v1/upscale', body);
  refused(answer, 422, 'validation_failed');
  const pointers = answer.data.errors.map(({ pointer }: { pointer: string }) => pointer).sort();
  assert.equal(pointers, ['/colour', '/image_url', '/model', '/scale']);
  const scale = answer.data.errors.find(({ pointer }: { pointer: string }) => pointer === '/scale');
  assert.equal(scale.allowed, [2, 4, 8]);
});

test('two sources are refused, and none', async () => {
  const url = `http://127.0.0.1:${port}/good.png`;
  refused(
    await caller.http.post('/v1/upscale', { ...photo, image_url: url, video_url: url }),
    422,
    'validation_failed',
  );
  refused(await caller.http.post('/v1/upscale', photo), 422, 'validation_failed');
  refused(
    await caller.upscale(at('good.png'), { ...photo, image_url: url }),
    422,
    'validation_failed',
  );
});

test('an image cannot become an mp4', async () => {
  refused(
    await caller.upscale(at('good.png'), { ...photo, output_format: 'mp4' }),
    422,
    'validation_failed',
  );
});

test('a wrong key, no key and no credits are told apart', async () => {
  const with_ = (authorization: string) =>
    caller.http.post('/v1/upscale', formOf([at('good.png')], photo), {
      headers: { authorization },
    });
  refused(await with_(''), 401, 'missing_api_key');
  refused(await with_('Bearer mes_live_nonsense_0'), 401, 'invalid_api_key');
  const poor = await service.caller(0);
  const answer = await poor.upscale(at('good.png'), photo);
  refused(answer, 402, 'insufficient_credits');
  assert.equal([answer.data.required_credits, answer.data.available_credits], [1, 0]);
});

test('broken JSON and broken multipart are told apart', async () => {
  const send = (body: string, type: string) =>
    caller.http.post('/v1/upscale', body, {
      headers: { 'content-type': type },
      transformRequest: [(x) => x],
    });
  refused(await send('{"model": "photo"', 'application/json'), 400, 'invalid_json');
  const torn = '--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n\r\nabc';
  refused(await send(torn, 'multipart/form-data; boundary=x'), 400, 'invalid_multipart');
  refused(
    await send('scale=2', 'application/x-www-form-urlencoded'),
    415,
    'unsupported_media_type',
  );
});

test('a caller that hangs up half way leaves nothing', async () => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const head = [
    'POST /v1/upscale HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${caller.key}`,
    'Content-Type: multipart/form-data; boundary=x',
    'Content-Length: 1000000',
    '',
    '--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n\r\n',
  ];
  socket.write(head.join('\r\n'));
  socket.write(Buffer.alloc(200_000, 1));
  await until('its file is begun', () => filesLeft().length > 0);
  socket.destroy();
});

test('unknown routes and wrong methods are problems too', async () => {
  refused(await caller.http.get('/v1/nothing'), 404, 'not_found');
  const answer = await caller.http.delete('/v1/upscale');
  refused(answer, 405, 'method_not_allowed');
  assert.is(answer.headers.allow, 'POST');
});

test('after all this a good request works', async () => {
  const other = await service.caller(10);
  const { status, data } = await other.upscale(at('good.png'), photo);
  assert.is(status, 200, JSON.stringify(data));
  assert.is((await axios.get(`${service.url}/readyz`)).status, 200);
});

test.after(async () => {
  host.closeAllConnections();
  host.close();
  await service.close();
});

test.run();

/** A PNG that says its size and holds almost no pixels. */
function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', Buffer.from('789c030000000001', 'hex')),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}
