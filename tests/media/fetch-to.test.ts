import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchTo } from '../../src/media/fetch/fetch-to.ts';
import { tempDir } from '../real/run.ts';
import { failing } from './failing.ts';
import { serve, serveRaw } from './server.ts';

const folder = tempDir('source');
const body = Buffer.alloc(100_000, 'x');
const server = await serve((request, answer) => {
  const url = new URL(request.url ?? '/', 'http://here');
  const to = url.searchParams.get('to') ?? '';
  if (url.pathname === '/file') answer.end(body);
  else if (url.pathname === '/hop') answer.writeHead(302, { location: to }).end();
  else if (url.pathname === '/loop') answer.writeHead(307, { location: '/loop' }).end();
  else if (url.pathname === '/nowhere') answer.writeHead(301).end();
  else if (url.pathname === '/empty') answer.end();
  else if (url.pathname === '/gzip') {
    answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
  } else if (url.pathname === '/endless') {
    const more = () => {
      while (answer.write(body));
      answer.once('drain', more);
    };
    more();
  } else if (url.pathname === '/stalls') answer.write('some');
  else if (url.pathname === '/headers') answer.end(JSON.stringify(request.headers));
  else if (url.pathname !== '/hangs')
    answer.writeHead(Number(url.searchParams.get('status') ?? 404)).end('no');
});
const here = `127.0.0.1:${server.port}`;
const raw = (answer: string) => serveRaw((socket) => socket.end(answer));

const defaults = { timeoutMs: 5000, connectTimeoutMs: 2000, redirects: 3, allowHosts: [here] };
let count = 0;
const fetch = async (url: string, config: Partial<typeof defaults> = {}, maxBytes = 1_000_000) => {
  count += 1;
  const path = join(folder, `${count}`);
  const signal = AbortSignal.timeout(10_000);
  try {
    return await fetchTo({ url, path, config: { ...defaults, ...config }, maxBytes, signal });
  } catch (error) {
    assert.not(existsSync(path), 'a file was left');
    throw error;
  }
};

const test = suite('fetchTo');
test.after(() => server.close());

test('a file arrives whole, with its length and hash', async () => {
  const stored = await fetch(`${server.origin}/file`);
  assert.equal(readFileSync(stored.path), body);
  assert.is(stored.bytes, body.length);
  assert.is(stored.sha256, createHash('sha256').update(body).digest('hex'));
});

test('an empty answer is an empty file', async () => {
  assert.is((await fetch(`${server.origin}/empty`)).bytes, 0);
});

test('a host is allowed by name and port, or by name alone', async () => {
  await fetch(`${server.origin}/file`, { allowHosts: ['127.0.0.1'] });
  await failing(fetch(`${server.origin}/file`, { allowHosts: ['127.0.0.1:1'] }), 'url_not_allowed');
});

test('addresses that are not public are refused however they are written', async () => {
  const hosts = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.0.0.1', '0177.0.0.1', '0.0.0.0', '[::1]', '[::]'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '169.254.169.254', '10.1.2.3', '[fd00::1]'],
  ];
  for (const host of hosts) {
    await failing(
      fetch(`http://${host}:${server.port}/file`, { allowHosts: [] }),
      'url_not_allowed',
    );
  }
});

test('a name that resolves to a private address is refused when it connects', async () => {
  const url = `http://localhost:${server.port}/file`;
  const { message, cause } = await failing(fetch(url, { allowHosts: [] }), 'url_not_allowed');
  assert.match(
    message,
    /its host is unknown or has no public address, and FETCH_ALLOW_HOSTS does not name it/,
  );
  assert.not.match(message, /127\.0\.0\.1|::1/);
  assert.match(String(cause), /localhost resolves to (127\.0\.0\.1|::1)/, 'for the log');
});

test('every hop of a redirect is checked again', async () => {
  const hop = (to: string) => fetch(`${server.origin}/hop?to=${encodeURIComponent(to)}`);
  assert.is((await hop('/file')).bytes, body.length);
  for (const to of [
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1:1/',
    'http://[::1]/',
  ]) {
    await failing(hop(to), 'url_not_allowed');
  }
  await failing(hop(`http://localhost:${server.port}/file`), 'url_not_allowed');
  await failing(hop('file:///etc/passwd'), 'url_not_allowed');
  await failing(hop(`http://user:secret@${here}/file`), 'url_not_allowed');
});

test('redirects have an end, and must lead somewhere', async () => {
  const loop = await failing(fetch(`${server.origin}/loop`), 'url_fetch_failed');
  assert.match(loop.message, /3 times/);
  const nowhere = await failing(fetch(`${server.origin}/nowhere`), 'url_fetch_failed');
  assert.equal([loop.retryable, nowhere.retryable], [false, false]);
});

test('credentials in a URL are refused and not shown', async () => {
  const { message } = await failing(fetch(`http://user:secret@${here}/file`), 'url_not_allowed');
  assert.not.match(message, /secret/);
});

test('other protocols are refused', async () => {
  for (const url of ['ftp://8.8.8.8/x', 'file:///etc/passwd', 'data:text/plain,x']) {
    await failing(fetch(url), 'url_not_allowed');
  }
});

test('an answer that is not 200 is told, and whether it may change', async () => {
  for (const [status, retryable] of [
    [403, false],
    [404, false],
    [408, true],
    [429, true],
    [503, true],
  ]) {
    const told = await failing(fetch(`${server.origin}/no?status=${status}`), 'url_fetch_failed');
    assert.match(told.message, new RegExp(`answered ${status}`));
    assert.is(told.retryable, retryable, `${status}`);
  }
});

test('a declared length over the limit is refused at once', async () => {
  await failing(fetch(`${server.origin}/file`, {}, body.length - 1), 'file_too_large');
  assert.is((await fetch(`${server.origin}/file`, {}, body.length)).bytes, body.length);
});

test('an endless answer is cut at the limit', async () => {
  await failing(fetch(`${server.origin}/endless`), 'file_too_large');
});

test('a compressed answer is refused, not unpacked', async () => {
  const { message, retryable } = await failing(fetch(`${server.origin}/gzip`), 'url_fetch_failed');
  assert.match(message, /gzip/);
  assert.is(retryable, false);
});

test('a server that hangs costs no more than the whole time', async () => {
  for (const path of ['hangs', 'stalls']) {
    const work = fetch(`${server.origin}/${path}`, { timeoutMs: 300 });
    assert.match((await failing(work, 'url_fetch_failed')).message, /within 0\.3 s/);
  }
});

test('fewer or more bytes than declared fail', async () => {
  const short = await raw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nten bytes.');
  await failing(fetch(short.origin, { allowHosts: ['127.0.0.1'] }), 'url_fetch_failed');
  await short.close();
  for (const connection of ['close', 'keep-alive']) {
    const head = `HTTP/1.1 200 OK\r\nConnection: ${connection}\r\nContent-Length: 10\r\n\r\n`;
    const long = await raw(`${head}ten bytes. And then some more.`);
    const { message } = await failing(
      fetch(long.origin, { allowHosts: ['127.0.0.1'] }),
      'url_fetch_failed',
    );
    assert.match(message, /more than the 10 bytes/);
    await long.close();
  }
});

test('a chunked answer that breaks off fails', async () => {
  const broken = await raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
  await failing(fetch(broken.origin, { allowHosts: ['127.0.0.1'] }), 'url_fetch_failed');
  await broken.close();
});

test('what is no HTTP, and what is not there, fail', async () => {
  const nonsense = await raw('hello\r\n\r\n');
  await failing(fetch(nonsense.origin, { allowHosts: ['127.0.0.1'] }), 'url_fetch_failed');
  await nonsense.close();
  await failing(fetch(nonsense.origin, { allowHosts: ['127.0.0.1'] }), 'url_fetch_failed');
  // Told like a name that exists inside; see tests/attack/fetch-tells.test.ts.
  await failing(fetch('http://no-such..host/x'), 'url_not_allowed');
});

test('proxies of the environment are not used', async () => {
  process.env.http_proxy = 'http://127.0.0.1:9';
  try {
    assert.is((await fetch(`${server.origin}/file`)).bytes, body.length);
  } finally {
    delete process.env.http_proxy;
  }
});

test('the request says nothing of the service but its name', async () => {
  const { path } = await fetch(`${server.origin}/headers`);
  const headers = JSON.parse(readFileSync(path, 'utf8'));
  assert.equal(Object.keys(headers).sort(), [
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
  assert.is(headers['accept-encoding'], 'identity');
});

test('an abort ends the fetch with its own reason and leaves no file', async () => {
  const path = join(folder, 'aborted');
  const reason = new Error('enough');
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 100);
  try {
    const url = `${server.origin}/stalls`;
    const { signal } = controller;
    await fetchTo({ url, path, config: defaults, maxBytes: 1000, signal });
    assert.unreachable();
  } catch (error) {
    assert.is(error, reason);
  }
  assert.not(existsSync(path));
});

test.run();
