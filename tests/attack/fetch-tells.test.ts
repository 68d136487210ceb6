import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realApi } from '../http/api.ts';
import { refused } from '../http/told.ts';
import { serve, serveRaw } from '../media/server.ts';

const test = suite('what a fetch tells of the inside');
const elsewhere = await serve((_, answer) => answer.end('inside'));
const raw = await serveRaw((socket) => socket.end('no HTTP at 10.1.2.3\r\n\r\n'));
let to = '';
const hops = await serve((_, answer) => answer.writeHead(302, { location: to }).end());
const own = (port: number) => `127.0.0.1:${port}`;
const api = await realApi({
  FETCH_ALLOW_HOSTS: [own(hops.port), own(raw.port), own(1)].join(','),
  RATE_CREATE_PER_MINUTE: '1000',
});
const { http } = await api.caller();
const ask = async (url: string) => {
  const started = performance.now();
  const answer = await http.post('/v1/upscale', { model: 'photo', scale: 2, image_url: url });
  return { answer, ms: performance.now() - started };
};
/** What is told besides the URL that was asked for. */
const toldOf = (detail: string, url: string): string => detail.replaceAll(url, 'URL');

test('a name that leads inside and one that does not exist are told in the same words and time', async () => {
  const inside = await ask(`http://localhost:${elsewhere.port}/a`);
  const nowhere = await ask(`http://no..where:${elsewhere.port}/a`);
  const details = [
    toldOf(
      refused(inside.answer, 422, 'url_not_allowed').detail,
      `http://localhost:${elsewhere.port}/a`,
    ),
    toldOf(
      refused(nowhere.answer, 422, 'url_not_allowed').detail,
      `http://no..where:${elsewhere.port}/a`,
    ),
  ];
  assert.is(details[0], details[1]);
  assert.not.match(details[0] ?? '', /127\.0\.0\.1|::1/);
  for (const { ms } of [inside, nowhere]) assert.ok(ms >= 490, `${ms} ms`);
});

test('a redirect to the inside tells neither where it led nor what is there', async () => {
  const from = `${hops.origin}/a`;
  const details = [];
  for (const target of [
    `http://localhost:${elsewhere.port}/private`,
    'http://no..where/private',
    'http://169.254.169.254/private',
    'file:///private',
    'http://user:private@127.0.0.1/',
  ]) {
    to = target;
    details.push(toldOf(refused((await ask(from)).answer, 422, 'url_not_allowed').detail, from));
  }
  assert.is(new Set(details).size, 1, details.join('\n'));
  assert.not.match(details[0] ?? '', /private|localhost|169/);
});

test('a redirect to an open host that fails is told by the URL that was asked for', async () => {
  to = `http://${own(1)}/private`;
  const { detail } = refused((await ask(`${hops.origin}/a`)).answer, 422, 'url_fetch_failed');
  assert.not.match(detail, /private|127\.0\.0\.1:1\b|ECONN/);
});

test('a failed handshake, a protocol error and a refused connection are told in our own words', async () => {
  const url = `https://${own(raw.port)}/a`;
  const unsafe = refused((await ask(url)).answer, 422, 'url_fetch_failed').detail;
  assert.is(
    toldOf(unsafe, url),
    'URL could not be fetched: no secure (TLS) connection to the server was possible.',
  );
  const nonsense = refused((await ask(`${raw.origin}/a`)).answer, 422, 'url_fetch_failed').detail;
  assert.is(
    toldOf(nonsense, `${raw.origin}/a`),
    'URL could not be fetched: the server does not speak HTTP.',
  );
  const closed = `http://${own(1)}/a`;
  const gone = refused((await ask(closed)).answer, 422, 'url_fetch_failed').detail;
  assert.is(toldOf(gone, closed), 'URL could not be fetched: the server could not be reached.');
});

test.after(async () => {
  await Promise.all([api.close(), elsewhere.close(), raw.close(), hops.close()]);
});

test.run();
