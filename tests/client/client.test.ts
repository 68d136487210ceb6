/** The client against the real API; a job's work is told by the test. */
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../client/client.ts';
import type { Job } from '../../client/contract.ts';
import { EnhanceError, NoAnswerError } from '../../client/errors.ts';
import { follow } from '../../client/follow.ts';
import { waitMs } from '../../client/http.ts';
import { Failure } from '../../src/errors.ts';
import { realApi } from '../http/api.ts';
import { scriptedWorker } from '../http/scripted-worker.ts';
import { makeClip, tone } from '../real/clip.ts';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';

const test = suite('client');
const api = await realApi({ RATE_CREATE_PER_MINUTE: '10000', RATE_READ_PER_MINUTE: '10000' });
const { key, http } = await api.caller();
const bytes = randomBytes(10_000);
const worker = await scriptedWorker(api.parts, (target) => writeFile(target, bytes));
const client = createClient({ url: api.url, key });
test.before.each(() => worker.does());

let last = 0;
const picture = async (side = 4): Promise<File> => {
  last += 1;
  const background = { r: last % 256, g: last >> 8, b: 9 };
  const png = await sharp({ create: { width: side, height: side, channels: 3, background } })
    .png()
    .toBuffer();
  return new File([Uint8Array.from(png)], 'a.png');
};
const errorFrom = async (promise: Promise<unknown>): Promise<EnhanceError> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof EnhanceError) return error;
    throw error;
  }
  throw new Error('it succeeded');
};

test('a file goes in, its job is told as it goes on, and the result comes out', async () => {
  const seen: string[] = [];
  const result = await client.upscale(
    { model: 'photo', scale: 2, image: await picture() },
    { onUpdate: ({ status }) => seen.push(status) },
  );
  assert.equal([result.input_size, result.output_size, result.cached], ['4x4', '8x8', false]);
  assert.is(seen[0], 'queued');
  assert.is(seen.at(-1), 'succeeded');
  assert.equal(Buffer.from(await (await client.download(result)).arrayBuffer()), bytes);
});

test('a portrait is given as an image, as the form in the document has it', async () => {
  const voice = join(tempDir('client'), 'voice.wav');
  await makeClip(voice, tone(1), ['-ac', '1', '-ar', '8000']);
  const audio = await openAsBlob(voice);
  const { output_size } = await client.estimate('lipsync', {
    model: 'fast',
    image: await picture(64),
    audio,
  });
  assert.is(output_size, '64x64');
});

test('an upload serves its price and its job', async () => {
  const { id, url: image_url } = await client.upload(await picture());
  const request = { model: 'photo', scale: 2, image_url } as const;
  const { credits, output_size } = await client.estimate('upscale', request);
  assert.equal([credits, output_size], [1, '8x8']);
  const job = await client.start('upscale', request);
  assert.is((await client.listUploads({ limit: 1 })).data[0]?.id, id);
  assert.is((await client.deleteUpload(id)).url, image_url);
  assert.is((await client.result(await client.wait(job))).credits_used, 1);
  assert.is((await client.result(job)).credits_used, 1, 'of a job that was read before its end');
  const { code } = await errorFrom(client.estimate('upscale', request));
  assert.is(code, 'upload_not_found');
});

test('jobs, credits and the ledger can be looked at', async () => {
  const job = await client.wait(
    await client.start('upscale', { model: 'photo', scale: 2, image: await picture() }),
  );
  assert.is((await client.jobs.list({ limit: 1 })).data[0]?.id, job.id);
  assert.is((await client.jobs.get(job.id)).status, 'succeeded');
  assert.is((await client.ledger({ limit: 1 })).data[0]?.job, job.id);
  const { balance, available } = await client.credits();
  assert.ok(balance > 0 && available <= balance);
  assert.equal(
    (await client.models()).map(({ id }) => id),
    [
      ...['photo', 'animation', 'photo_realtime', 'animation_realtime', 'detail'],
      ...['fast', 'balanced', 'studio'],
    ],
  );
  assert.is((await client.jobs.erase(job.id)).result, null);
  assert.is((await errorFrom(client.result(await client.jobs.get(job.id)))).code, 'result_expired');
});

test('a refusal is thrown with its code and all its faults', async () => {
  const image = await picture();
  // @ts-expect-error: what TypeScript refuses is what a caller in JavaScript may send
  const error = await errorFrom(client.upscale({ model: 'foto', scale: 3, image }));
  assert.equal([error.status, error.code, error.retryable], [422, 'validation_failed', false]);
  assert.equal(
    error.problem.errors?.map(({ pointer }) => pointer),
    ['/model', '/scale'],
  );
  assert.match(error.message, /\n {2}\/scale: Expected/);
  assert.ok(error.requestId.length > 0);
});

test('a failed job is thrown as its error', async () => {
  worker.does(async () => {
    throw new Failure('media_unreadable', { reason: 'the second half is missing' });
  });
  const request = { model: 'photo', scale: 2, image: await picture() } as const;
  const error = await errorFrom(client.upscale(request));
  assert.is(error.code, 'media_unreadable');
  assert.match(error.message, /the second half is missing/);
});

test('aborting cancels the job', async () => {
  const go = worker.held();
  const stop = new AbortController();
  const reason = new Error('no longer wanted');
  let id = '';
  const running = client.upscale(
    { model: 'photo', scale: 2, image: await picture() },
    {
      signal: stop.signal,
      onUpdate: (job) => {
        id = job.id;
        if (job.status === 'processing') stop.abort(reason);
      },
    },
  );
  assert.is(await running.catch((error: unknown) => error), reason);
  go();
  const job = await client.wait(await client.jobs.get(id));
  assert.equal([job.status, job.cost.charged], ['canceled', 0]);
  assert.is((await errorFrom(client.result(job))).code, 'job_canceled');
});

/** `fetch` with something else in the place of some answers. */
const fetchBut =
  (instead: (url: string, ask: () => Promise<Response>) => Promise<Response>): typeof fetch =>
  (url, init) =>
    instead(String(url), () => fetch(url, init));

test('a request whose answer was lost is sent again and makes one job', async () => {
  let lost = 0;
  const lossy = fetchBut(async (url, ask) => {
    const answer = await ask();
    if (!url.endsWith('/v1/upscale') || lost > 0) return answer;
    lost += 1;
    throw new TypeError('the connection was lost');
  });
  const before = (await http.get('/v1/jobs?limit=100')).data.data.length;
  const image = await picture();
  await createClient({ url: api.url, key, fetch: lossy }).upscale({
    model: 'photo',
    scale: 2,
    image,
  });
  assert.is(lost, 1);
  assert.is((await http.get('/v1/jobs?limit=100')).data.data.length, before + 1);
});

test('a service that is not there is named, after as many tries as were asked for', async () => {
  const [port] = await freePorts(1);
  let tries = 0;
  const counted = fetchBut(async (_, ask) => {
    tries += 1;
    return ask();
  });
  const nobody = createClient({ url: `http://127.0.0.1:${port}`, key, fetch: counted, retries: 1 });
  const error = await nobody.credits().catch((thrown: unknown) => thrown);
  assert.instance(error, NoAnswerError);
  assert.match(
    String(error),
    /The service at http:\/\/127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)/,
  );
  assert.is(tries, 2);
  // Node and browsers connect to no port of another protocol, such as 6000 of X11.
  const blocked = createClient({ url: 'http://127.0.0.1:6000', key, retries: 0 });
  const why = await blocked.credits().catch((thrown: unknown) => thrown);
  assert.match(String(why), /127\.0\.0\.1:6000 does not answer \(bad port\)/);
  for (const url of ['127.0.0.1:8080', 'localhost:8080', ''])
    assert.throws(
      () => createClient({ url, key }),
      /Expected an http or https URL such as .*; got/,
    );
});

test('each pause before a repetition is twice the last, at most 10 s, or what the service asks for', () => {
  const pauses = [0, 1, 2, 3, 4, 5, 2000].map((tries) => waitMs(null, tries));
  assert.equal(pauses, [500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  const asked = (retryAfter: string) => waitMs({ retryAfter }, 7);
  assert.equal([asked('3'), asked('3600'), asked('tomorrow')], [3000, 60_000, 10_000]);
});

test('a job is followed while the service is away, by a client that else repeats nothing', async () => {
  const job = await client.start('upscale', { model: 'photo', scale: 2, image: await picture() });
  let away = 1;
  const lossy = fetchBut(async (url, ask) => {
    if (url.includes('/events')) throw new TypeError('blocked');
    away -= 1;
    if (away >= 0) throw new TypeError('away');
    return ask();
  });
  const follower = createClient({ url: api.url, key, fetch: lossy, retries: 0 });
  const told: unknown[] = [];
  const options = {
    retries: Number.POSITIVE_INFINITY,
    onRetry: (error: unknown) => told.push(error),
  };
  assert.is((await follower.wait(job, options)).status, 'succeeded');
  assert.is(told.length, 1);
  assert.instance(told[0], NoAnswerError);
});

test('a fetch of the caller may add the key', async () => {
  const adding = ((url, init) =>
    fetch(url, { ...init, headers: { authorization: `Bearer ${key}` } })) satisfies typeof fetch;
  assert.ok((await createClient({ url: api.url, fetch: adding }).credits()).balance > 0);
});

test('what is no problem of this service is told as it came', async () => {
  const page = createClient({
    url: api.url,
    key,
    retries: 0,
    fetch: async () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
  });
  assert.match(
    String(await page.credits().catch((thrown: unknown) => thrown)),
    /HTTP 502: <h1>Bad gateway/,
  );
});

const quick = { firstWithinMs: 200, silentMs: 200, pollMs: 10, hiddenPollMs: 10 };
/** The ways to lose an event stream, and how the job is known all the same. */
const streams: Readonly<Record<string, (ask: () => Promise<Response>) => Promise<Response>>> = {
  'is refused': async () => new Response('no', { status: 403 }),
  'cannot be reached': async () => {
    throw new TypeError('blocked');
  },
  'ends after its first event': async (ask) => {
    const reader = (await ask()).body?.getReader();
    const first = await reader?.read();
    await reader?.cancel();
    return new Response(first?.value);
  },
  'is held back by a proxy': async () => new Response(new ReadableStream()),
  'holds no events': async () => new Response('<p>Welcome</p>'),
};
for (const [what, stream] of Object.entries(streams)) {
  test(`a job is followed to its end though its event stream ${what}`, async () => {
    const go = worker.held();
    const request = { model: 'photo', scale: 2, image: await picture() } as const;
    const job: Job = await client.start('upscale', request);
    let asked = 0;
    const lossy = fetchBut((url, ask) => (url.includes('/events') ? stream(ask) : ask()));
    let end: Job = job;
    const means = {
      fetch: lossy,
      get: async () => {
        asked += 1;
        if (asked === 3) go();
        return client.jobs.get(job.id);
      },
    };
    for await (end of follow(job, means, quick));
    assert.is(end.status, 'succeeded');
    assert.ok(asked >= 3);
  });
}

/** What a page of a browser tells of itself. */
const pageThat = (visibilityState: string) => Object.assign(new EventTarget(), { visibilityState });

test('a page that is hidden ends its event stream, and reads on when it is shown', async () => {
  const go = worker.held();
  const job = await client.start('upscale', { model: 'photo', scale: 2, image: await picture() });
  const page = pageThat('visible');
  const show = (state: string) => {
    page.visibilityState = state;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  const asked: string[] = [];
  const followed = fetchBut((url, ask) => {
    asked.push(url);
    return ask();
  });
  const means = { fetch: followed, get: () => client.jobs.get(job.id), page };
  const timing = { firstWithinMs: 60_000, silentMs: 60_000, pollMs: 10, hiddenPollMs: 600_000 };
  const wait = async (): Promise<Job> => {
    let last: Job = job;
    for await (last of follow(job, means, timing));
    return last;
  };
  const end = wait();
  await api.untilWaiting(1);
  show('hidden');
  await api.untilWaiting(0);
  show('visible');
  await api.untilWaiting(1);
  assert.equal(asked, [job.urls.events, job.urls.events]);
  go();
  assert.is((await end).status, 'succeeded');
});

test('a page that stays hidden asks for its job until the end, and opens no event stream', async () => {
  const go = worker.held();
  const job = await client.start('upscale', { model: 'photo', scale: 2, image: await picture() });
  const means = {
    fetch: () => Promise.reject(new Error('an event stream was asked for')),
    get: async () => {
      go();
      return client.jobs.get(job.id);
    },
    page: pageThat('hidden'),
  };
  const seen: Job[] = [];
  for await (const one of follow(job, means, quick)) seen.push(one);
  assert.is(seen.at(-1)?.status, 'succeeded');
});

test('a job whose event stream ends at once is asked for no more often than any other', async () => {
  const job = await client.start('upscale', { model: 'photo', scale: 2, image: await picture() });
  const queued = { ...job, status: 'queued' } as const;
  const stop = new AbortController();
  const asked: string[] = [];
  const events = follow(
    queued,
    {
      fetch: async () => new Response(`data: ${JSON.stringify(queued)}\n\n`),
      get: async () => {
        asked.push('at once');
        return queued;
      },
      signal: stop.signal,
    },
    { ...quick, pollMs: 600_000 },
  );
  await events.next();
  await events.next();
  const next = events.next();
  await Promise.race([next, sleep(300)]);
  const reason = new Error('no longer wanted');
  stop.abort(reason);
  assert.is(await next.catch((error: unknown) => error), reason);
  assert.equal(asked, []);
});

test.after(async () => {
  await worker.close();
  await api.close();
});
test.run();
