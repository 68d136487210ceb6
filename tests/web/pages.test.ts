/** How the playground is served, and who gets the development key. */
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forwarding, mayHaveKey } from '../../src/http/pages/development-key.ts';
import { pageHeaders } from '../../src/http/pages/policy.ts';
import { root } from '../../src/stack/home.mjs';
import { realApi } from '../http/api.ts';
import { testConfig } from '../real/config.ts';
import { tempDir } from '../real/run.ts';

const test = suite('pages');
const keyFile = join(tempDir('key'), 'dev-key');
const api = await realApi({ DEVELOPMENT_KEY_PATH: keyFile });
const url = api.parts.config.http.publicUrl;

/** As a browser asks, but with any header; `fetch` would not send Host. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const asked = request(`${url}${path}`, { method, headers }, async (answer) => {
        const parts: Buffer[] = [];
        for await (const part of answer) parts.push(Buffer.from(part));
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(parts),
        });
      });
      asked.on('error', reject).end();
    },
  );

test('the page comes with a policy that lets it load nothing but its own', async () => {
  const { status, headers, body } = await get('/?utm_source=mail');
  assert.is(status, 200);
  assert.match(String(headers['content-type']), /^text\/html/);
  const policy = String(headers['content-security-policy']);
  for (const part of [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:"],
    ...["media-src 'self' blob:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"],
    "frame-ancestors 'none'",
  ])
    assert.ok(policy.split('; ').includes(part), `${part} in ${policy}`);
  assert.not.match(body.toString(), /<script(?![^>]*src=)|style=|onclick=|https?:/);
});

test('its files have the hash in their names, come compressed, and are not sent twice', async () => {
  const html = (await get('/')).body.toString();
  const names = [...new Set(html.match(/assets\/[\w.-]+/g))];
  assert.is(names.length, 6);
  const sizes = await Promise.all(
    names.map(async (name) => {
      assert.match(name, /-[0-9A-Z]{8}\.(js|css|svg|jpg|mp3)$/);
      const { status, headers, body } = await get(`/${name}`, { 'accept-encoding': 'gzip, br' });
      assert.is(status, 200, name);
      assert.is(headers['cache-control'], 'public, immutable, max-age=31536000');
      assert.is(headers['content-encoding'], /\.(jpg|mp3)$/.test(name) ? undefined : 'br');
      const again = await get(`/${name}`, { 'if-none-match': String(headers.etag) });
      assert.equal([again.status, again.body.length], [304, 0]);
      return body.length;
    }),
  );
  const script = names.find((name) => name.endsWith('.js'));
  const [plain, zipped] = [
    await get(`/${script}`),
    await get(`/${script}`, { 'accept-encoding': 'gzip' }),
  ];
  assert.equal(gunzipSync(zipped.body), plain.body);
  const imported = [...plain.body.toString().matchAll(/from\s*"\.\/([\w.-]+)"/g)];
  assert.ok(imported.length > 0);
  for (const [, name] of imported)
    assert.ok(html.includes(`rel="modulepreload" href="assets/${name}"`), name);
  const total = sizes.reduce((sum, size) => sum + size, html.length);
  assert.ok(total < 150_000, `${total} bytes`);
  assert.is((await get('/', {}, 'HEAD')).status, 200);
  assert.is((await get('/assets/main.js')).status, 404);
});

test('the API description does not have the page', async () => {
  const { paths } = JSON.parse((await get('/openapi.json')).body.toString());
  assert.equal(
    Object.keys(paths).filter(
      (path) => !/^\/(v1\/|healthz|readyz|metrics|openapi|problems\/)/.test(path),
    ),
    [],
  );
});

test('results that a bucket gives out itself may be shown', () => {
  const s3 = {
    STORAGE: 's3',
    S3_BUCKET: 'media',
    S3_PRESIGN: 'true',
    S3_ENDPOINT: 'http://inside:9000',
    S3_PUBLIC_ENDPOINT: 'https://files.example:9443/x',
  };
  const sources = (settings: NodeJS.Dict<string>) =>
    /img-src ([^;]*)/.exec(
      pageHeaders(testConfig(settings), 'localhost')['Content-Security-Policy'] ?? '',
    )?.[1];
  assert.is(sources(s3), "'self' blob: https://media.files.example:9443");
  assert.is(
    sources({ ...s3, S3_FORCE_PATH_STYLE: 'true' }),
    "'self' blob: https://files.example:9443",
  );
  assert.is(sources({ ...s3, S3_PRESIGN: 'false' }), "'self' blob:");
  const amazon = { ...s3, S3_ENDPOINT: '', S3_PUBLIC_ENDPOINT: '', S3_REGION: 'eu-west-1' };
  assert.is(sources(amazon), "'self' blob: https://media.s3.eu-west-1.amazonaws.com");
});

const host = new URL(url).host;
const keyFor = async (headers: Record<string, string>) =>
  JSON.parse((await get('/playground/key', headers)).body.toString()).key;

test('a page on this machine gets the development key once there is one', async () => {
  assert.is(await keyFor({ host }), null);
  writeFileSync(keyFile, 'mes_live_x\n');
  assert.is(await keyFor({ host }), 'mes_live_x');
  assert.is(
    await keyFor({ host, 'sec-fetch-site': 'same-origin', origin: `http://${host}` }),
    'mes_live_x',
  );
  assert.is(await keyFor({ host: `localhost:${api.parts.config.http.port}` }), 'mes_live_x');
});

for (const [what, headers] of Object.entries({
  'under another name, as DNS rebinding does it': { host: 'evil.example' },
  'under a name that begins like an address': { host: '127.0.0.1.evil.example' },
  'of another site': { host, 'sec-fetch-site': 'cross-site' },
  'of another port': { host, 'sec-fetch-site': 'same-site' },
  'of another origin': { host, origin: 'http://evil.example' },
  'from a proxy that closes its connection, as nginx does': { host, connection: 'close' },
  ...Object.fromEntries(
    forwarding.map((name) => [`from a proxy that sends ${name}`, { host, [name]: '192.0.2.1' }]),
  ),
}))
  test(`a page ${what} does not get it`, async () => {
    assert.is(await keyFor(headers), null);
  });

test('the headers by which proxies name their callers are known', () => {
  for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip'])
    assert.ok(forwarding.includes(name), name);
});

test('nobody gets it from another machine, or where a proxy is trusted', () => {
  const asked = {
    remoteAddress: '::ffff:127.0.0.1',
    headers: { host: '[::1]:8080', connection: 'Keep-Alive' },
    trustedProxies: 0,
  };
  assert.is(mayHaveKey(asked), true);
  assert.is(mayHaveKey({ ...asked, remoteAddress: '192.0.2.1' }), false);
  assert.is(mayHaveKey({ ...asked, remoteAddress: undefined }), false);
  assert.is(mayHaveKey({ ...asked, trustedProxies: 1 }), false);
  assert.is(mayHaveKey({ ...asked, headers: { connection: 'keep-alive' } }), false);
  // A newer nginx sends nothing of a connection.
  assert.is(mayHaveKey({ ...asked, headers: { host: '[::1]:8080' } }), false);
});

test('the image of the service has what the page is made of', () => {
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  assert.match(read('src/Dockerfile'), /^COPY web \.\/web$/m);
  assert.match(read('.dockerignore'), /^!web$/m);
});

test('outside npm start there is none', async () => {
  assert.is(testConfig().http.developmentKeyPath, undefined);
});

test.after(api.close);
test.run();
