/** Real jobs, and what figures, traces and logs tell of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { serve } from '../media/server.ts';
import { h264, makeClip, pattern } from '../real/clip.ts';
import { freePorts } from '../real/ports.ts';
import { adminSecret, tempDir } from '../real/run.ts';
import { ended, realService } from '../real/service.ts';
import { realTriton } from '../real/triton.ts';
import { until } from '../real/until.ts';
import { openCollector, openForwarder } from './collector.ts';
import { scrape, sumOf } from './figures.ts';
import { metricsOfAlerts, metricsOfDashboard } from './promql.ts';

const test = suite('watching');
const dir = tempDir('watching');
const png = join(dir, 'photo.png');
await sharp({ create: { width: 40, height: 30, channels: 3, background: '#c63' } })
  .png()
  .toFile(png);
const short = await makeClip(join(dir, 'short.mp4'), pattern(0.2), h264);
const long = await makeClip(join(dir, 'long.mp4'), pattern(2, 25, '320x180'), h264);
const host = await serve((request, response) => {
  if (request.url?.startsWith('/gone')) response.writeHead(404).end();
  else response.end(readFileSync(png));
});

/** What callers and operators send or set and nobody may read again. */
const secrets = {
  pepper: 'a-pepper-for-watching',
  signing: 'a-signing-secret-for-watching',
  admin: 'an-admin-key-for-watching',
  metrics: 'a-metrics-token-for-watching',
  collector: 'a-collector-token-for-watching',
  urlUser: 'user-in-a-url',
  urlPassword: 'password-in-a-url',
  urlSignature: 'signature-in-a-url',
  idempotency: 'idempotency-key-of-watching',
  wrongKey: 'mes_live_wrong_key-of-watching',
  cookie: 'cookie-of-watching',
  basic: Buffer.from('basic:of-watching').toString('base64'),
  apiKeyHeader: 'api-key-header-of-watching',
  unknownField: 'field-value-of-watching',
  fileName: 'file-name-of-watching',
  queryToken: 'query-token-of-watching',
};

const [metricsPort = 0] = await freePorts(1);
const [collector, triton] = await Promise.all([openCollector(), realTriton(['photo'])]);
const forwarder = await openForwarder(triton.httpUrl);
const service = await realService(
  {
    LOG_LEVEL: 'debug',
    METRICS_PORT: String(metricsPort),
    METRICS_TOKEN: secrets.metrics,
    ADMIN_KEY: secrets.admin,
    KEY_PEPPER: secrets.pepper,
    SIGNING_SECRET: secrets.signing,
    FETCH_ALLOW_HOSTS: host.origin.slice('http://'.length),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_EXPORTER_OTLP_HEADERS: `x-token=${secrets.collector}`,
    TRITON_HTTP_URL: forwarder.origin,
    TRITON_TRANSPORT: 'http',
  },
  Promise.resolve(triton),
);
const caller = await service.caller(1000);
const workerUrl = `http://127.0.0.1:${metricsPort}`;

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const traceId = traceparent.slice(3, 35);
const signed = `${host.origin.replace('//', `//${secrets.urlUser}:${secrets.urlPassword}@`)}/a.png?X-Amz-Signature=${secrets.urlSignature}`;

/** Jobs of every end, and every place in which a caller can put a secret. */
const walk = async () => {
  const { http } = caller;
  const photo = { model: 'photo', scale: 2, effort: 'best' };
  const headers = {
    traceparent,
    'x-request-id': 'request-of-watching',
    'idempotency-key': secrets.idempotency,
    cookie: `session=${secrets.cookie}`,
    'x-api-key': secrets.apiKeyHeader,
  };
  const first = await caller.upscale(png, photo, headers);
  assert.is(first.status, 200, JSON.stringify(first.data));
  const cached = await caller.upscale(png, { ...photo, webhook_url: `${host.origin}/told` });
  assert.is(cached.data.cached, true);
  await until('its webhook is delivered', async () => {
    const { data } = await http.get('/v1/webhook-deliveries?status=delivered');
    return data.data.length === 1;
  });
  const video = await caller.upscale(short, photo);
  assert.is(video.status, 200, JSON.stringify(video.data));

  const queued = await caller.upscale(long, { ...photo, scale: 4 }, { prefer: 'respond-async' });
  const isInferring = ({ progress }: { readonly progress: { frames_done: number } | null }) =>
    (progress?.frames_done ?? 0) > 0;
  await caller.until(queued.data.id, isInferring);
  await http.post(`/v1/jobs/${queued.data.id}/cancel`);
  await caller.until(queued.data.id, ended);

  const plain = signed.replace(/\/\/.*@/, '//');
  const fetched = await http.post('/v1/upscale', {
    image_url: plain,
    ...photo,
    output_format: 'jpeg',
  });
  assert.is(fetched.status, 200, JSON.stringify(fetched.data));
  const refused = [
    http.post('/v1/upscale', { image_url: signed, ...photo }),
    http.post('/v1/upscale', { image_url: plain.replace('a.png', 'gone.png'), ...photo }),
    http.post('/v1/upscale', { image_url: plain.replace('127.0.0.1', '10.0.0.1'), ...photo }),
    http.post('/v1/upscale', { ...photo, webhook_secret: secrets.unknownField, image_url: 'x' }),
    http.post('/v1/upscale', formWith(secrets.fileName)),
    http.get(`/v1/nothing?token=${secrets.queryToken}`),
    http.get('/v1/jobs', { headers: { authorization: `Bearer ${secrets.wrongKey}` } }),
    http.get('/v1/jobs', { headers: { authorization: `Basic ${secrets.basic}` } }),
    http.get(first.data.output_url.replace(/expires=\d+/, 'expires=1')),
  ];
  for (const answer of await Promise.all(refused))
    assert.ok(answer.status >= 400, `${answer.status} ${answer.config.url}`);
  await caller.download(first.data.output_url);
  await http.get('/v1/admin/keys', { headers: { authorization: `Bearer ${secrets.admin}` } });
  return { first, video, canceled: queued.data.id, link: new URL(first.data.output_url) };
};

const formWith = (name: string): FormData => {
  const form = new FormData();
  form.append('image', new Blob(['not an image']), name);
  form.append('model', 'photo');
  form.append('scale', '2');
  return form;
};

const walked = await walk();
const scrapeBoth = async () => {
  const [api, worker] = await Promise.all([
    scrape(service.url, secrets.metrics),
    scrape(workerUrl, secrets.metrics),
  ]);
  return { api, worker, all: [...api, ...worker] };
};
let figures: Awaited<ReturnType<typeof scrapeBoth>>;
// An answer comes before its attempt has removed its files and is counted.
await until('every attempt has ended', async () => {
  figures = await scrapeBoth();
  return sumOf(figures.worker, 'enhance_running_attempts') === 0;
});

test('orders, attempts, frames and credits are counted as they happened', async () => {
  const { api, worker } = figures;
  const orders = (placed: string) => sumOf(api, 'enhance_orders_total', { placed });
  assert.equal([orders('new'), orders('cached'), orders('joined')], [4, 1, 0]);
  const attempts = (end: string) => sumOf(worker, 'enhance_attempts_total', { end });
  assert.equal([attempts('succeeded'), attempts('canceled')], [3, 1]);
  assert.is(sumOf(worker, 'enhance_attempts_total', { code: 'canceled' }), 1);
  const release = { model: 'photo', release: walked.first.data.release };
  assert.is(sumOf(worker, 'enhance_frames_total', release), 2 + walked.video.data.frames);
  const pixels = 2 * 80 * 60 + walked.video.data.frames * 128 * 96;
  assert.ok(Math.abs(sumOf(worker, 'enhance_megapixels_total', release) - pixels / 1e6) < 1e-9);
  assert.is(sumOf(worker, 'enhance_job_wait_seconds_count'), 4);
  assert.is(sumOf(worker, 'enhance_running_attempts'), 0);
  assert.is(sumOf(worker, 'enhance_worker_slots'), service.config.jobs.concurrency);
  assert.not.ok(api.some(({ name }) => name === 'enhance_worker_slots'));
  assert.equal(
    ['succeeded', 'canceled', 'failed'].map((status) =>
      sumOf(api, 'enhance_jobs_finished_total', { status }),
    ),
    [3, 1, 0],
  );
});

test('the counters of credits agree with the ledger', async () => {
  const { data } = await caller.http.get('/v1/credits/ledger?limit=100');
  const entries: { type: string; balance_change: number; held_change: number }[] = data.data;
  const sum = (of: (entry: (typeof entries)[number]) => number) =>
    entries.reduce((total, entry) => total + of(entry), 0);
  const held = sum(({ held_change }) => Math.max(0, held_change));
  const captured = -sum(({ balance_change }) => Math.min(0, balance_change));
  const credits = (change: string) => sumOf(figures.api, 'enhance_credits_total', { change });
  assert.ok(captured > 0);
  assert.equal(['granted', 'held', 'captured', 'released'].map(credits), [
    1000,
    held,
    captured,
    held - captured,
  ]);
  assert.is(sumOf(figures.api, 'enhance_credits_held'), 0);
});

test('every stage has its time, and calls to Triton their replica', () => {
  const { api, worker } = figures;
  const times = (samples: typeof api, stage: string) =>
    sumOf(samples, 'enhance_stage_seconds_count', { stage, operation: 'upscale', model: 'photo' });
  for (const stage of ['fetching', 'probing']) assert.ok(times(api, stage) > 0, stage);
  for (const stage of ['decoding', 'inference', 'encoding', 'storing'])
    assert.ok(times(worker, stage) > 0, stage);
  const replica = { replica: new URL(forwarder.origin).host, model: 'photo' };
  assert.ok(sumOf(worker, 'enhance_triton_request_duration_seconds_count', replica) >= 7);
  assert.ok(sumOf(worker, 'enhance_triton_errors_total', { ...replica, code: 'stopped' }) > 0);
  assert.is(sumOf(worker, 'enhance_triton_pending_requests'), 0);
  const up = { replica: replica.replica };
  assert.is(sumOf(worker, 'enhance_triton_replica_up', up), 1);
  assert.is(sumOf(worker, 'enhance_triton_ejections_total', up), 0);
});

test('no label holds what grows with callers and jobs', () => {
  const values = figures.all
    .filter(({ name }) => name.startsWith('enhance_'))
    .flatMap(({ labels }) => Object.values(labels));
  for (const word of [caller.account, /job_/, /t-[0-9a-f]{8}/, 'request-of-watching'])
    assert.is(
      values.find((value) => value.match(word)),
      undefined,
      String(word),
    );
});

test('each metric of dashboard and alerts has a figure after these jobs', () => {
  const told = new Set(figures.all.map(({ name }) => name));
  const missing = (names: ReadonlySet<string>) => [...names].filter((name) => !told.has(name));
  assert.equal(missing(metricsOfDashboard()), []);
  assert.equal(missing(metricsOfAlerts()), []);
});

test('who scrapes needs the token, at the worker too', async () => {
  for (const [url, token] of [
    [service.url, undefined],
    [workerUrl, undefined],
    [workerUrl, caller.key],
  ] as const) {
    try {
      await scrape(url, token);
      assert.unreachable('it was told');
    } catch (error) {
      assert.is(
        z.object({ response: z.object({ status: z.number() }) }).parse(error).response.status,
        401,
      );
    }
  }
  assert.ok((await scrape(workerUrl, secrets.admin)).length > 0);
});

test('one trace goes from the request through the job to Triton', async () => {
  const jobId = walked.first.data.id;
  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
  const find = (name: string) => ofTrace().find((span) => span.name === name);
  await until('all spans have come', () => ['POST', 'attempt'].every(find));
  const [post, attempt] = [find('POST'), find('attempt')];
  assert.is(post?.service, 'enhance-api');
  assert.is(post?.parentSpanId, traceparent.slice(36, 52), 'the caller’s span is its parent');
  assert.is(post?.of['http.route'], '/v1/upscale');
  assert.is(attempt?.service, 'enhance-worker');
  assert.is(attempt?.parentSpanId, post?.spanId);
  assert.is(attempt?.of['enhance.job.id'], jobId);
  const below = ofTrace().filter(({ parentSpanId }) => parentSpanId === attempt?.spanId);
  const names = new Set(below.map(({ name }) => name));
  for (const name of ['decoding', 'inference', 'encoding', 'storing', 'infer photo'])
    assert.ok(names.has(name), `${name} is among ${[...names]}`);
  const probing = find('probing');
  assert.is(probing?.parentSpanId, post?.spanId);

  const infer = below.find(({ name }) => name === 'infer photo');
  const sent = forwarder.heard.filter(({ path }) => path === '/v2/models/photo/infer');
  assert.ok(
    sent.some((one) => one.traceparent === `00-${traceId}-${infer?.spanId}-01`),
    'Triton gets the span as the parent of its own',
  );
});

const Line = z.looseObject({
  msg: z.string(),
  request_id: z.string().optional(),
  job_id: z.string().optional(),
  trace_id: z.string().optional(),
  release: z.string().optional(),
});
const linesOf = (name: 'api' | 'worker') =>
  service
    .log(name)
    .split('\n')
    .filter(Boolean)
    .map((line) => Line.parse(JSON.parse(line)));

test('every line of a request or job has its ids, and the first of an attempt its release', () => {
  const id = walked.first.data.id;
  const answered = linesOf('api').find(
    ({ msg, request_id }) => msg === 'answered' && request_id === 'request-of-watching',
  );
  assert.is(answered?.trace_id, traceId);
  const placed = linesOf('api').find(({ msg, job_id }) => msg === 'order placed' && job_id === id);
  assert.equal([placed?.request_id, placed?.trace_id], ['request-of-watching', traceId]);
  const work = linesOf('worker').filter(({ job_id }) => job_id === id);
  assert.equal(
    work.map(({ msg }) => msg),
    ['attempt starts', 'attempt ends'],
  );
  assert.is(work[0]?.release, walked.first.data.release, 'which release a job got');
  for (const line of work)
    assert.equal([line.request_id, line.trace_id], ['request-of-watching', traceId]);
  const stopped = linesOf('worker').find(({ msg }) => msg === 'attempt was stopped');
  assert.is(stopped?.job_id, walked.canceled);
  const withoutIds = linesOf('worker')
    .filter(({ msg }) => /attempt/.test(msg))
    .filter(({ job_id, request_id, trace_id }) => !job_id || !request_id || !trace_id);
  assert.equal(withoutIds, []);
  assert.not.match(service.log('worker'), /"job_id":"[^"]*"[^}]*"job_id"/);
});

test('no log and no span tells a secret', async () => {
  await sleep(0);
  const logs = logsBelow(process.env.TEST_DIR ?? tmpdir());
  assert.ok(
    logs.some(({ path }) => path.endsWith('triton.log')),
    'the log of Triton is among them',
  );
  assert.ok(
    logs.some(({ path }) => path.endsWith('redis.log')),
    'the log of Redis is among them',
  );
  assert.match(service.log('api'), 'request-of-watching');
  const texts = [
    { path: 'api', text: service.log('api') },
    { path: 'worker', text: service.log('worker') },
    // The headers to the collector hold its token, as they have to.
    ...collector.bodies.map((body) => ({
      path: 'spans',
      text: JSON.stringify(JSON.parse(body).body),
    })),
    ...logs,
  ];
  const [signature] = [walked.link.searchParams.get('signature') ?? ''];
  assert.ok(signature.length > 20);
  const redisPassword = new URL(service.config.redis.url).password;
  const all = { ...secrets, key: caller.key, signature, redisPassword, adminSecret };
  const told = Object.entries(all).flatMap(([name, secret]) =>
    texts.filter(({ text }) => text.includes(secret)).map(({ path }) => `${name} in ${path}`),
  );
  assert.equal(told, []);
});

/** Of Triton and Redis: those that the run shares, and those of other tests, which may end and take theirs away meanwhile. */
const logsBelow = (folder: string) =>
  readdirSync(folder).flatMap((name) => {
    const [, part] = /^enhance-(triton|redis)-/.exec(name) ?? [];
    const path = `${name}/${part}.log`;
    try {
      return part ? [{ path, text: readFileSync(join(folder, path), 'utf8') }] : [];
    } catch {
      return [];
    }
  });

test.after(async () => {
  await service.close();
  await Promise.all([collector.close(), forwarder.close(), host.close()]);
});
test.run();
