import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import axios, { type AxiosResponse } from 'axios';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { h264, makeClip, pattern } from '../real/clip.ts';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';
import { realService } from '../real/service.ts';
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

const host = createServer((request, response) => {
  const answers: Record<string, () => unknown> = {
    '/slow.png': () =>
      response.writeHead(200, { 'content-length': good.length }).write(good.subarray(0, 10)),
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
  };
  (answers[request.url ?? ''] ?? (() => response.writeHead(404).end('no')))();
}).listen(port, '127.0.0.1');

const byUrl = (url: string) => caller.http.post('/v1/upscale', { ...photo, image_url: url });
for (const [path, status, code] of [
  ['/slow.png', 422, 'url_fetch_failed'],
  ['/less', 422, 'url_fetch_failed'],
  ['/endless', 413, 'file_too_large'],
] as const) {
  test(`a URL that answers as ${path} does is refused`, async () => {
    refused(await byUrl(`http://127.0.0.1:${port}${path}`), status, code);
  });
}

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
