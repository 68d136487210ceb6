import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AxiosInstance } from 'axios';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeImage } from '../../src/media/image/picture.ts';
import type { ImageInfo } from '../../src/media/info.ts';
import { realApi } from '../http/api.ts';
import { refused } from '../http/told.ts';
import { openRig, pictureOf } from '../jobs/rig.ts';
import { serve } from '../media/server.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';
import { skip } from '../real/skip.ts';
import { smallDisk } from '../real/small-disk.ts';
import { until } from '../real/until.ts';

const test = suite('the disk');
const many = { RATE_CREATE_PER_MINUTE: '10000' };
const closers: (() => Promise<unknown>)[] = [];
const openApi = async (settings: NodeJS.Dict<string>) => {
  const api = await realApi({ ...many, ...settings });
  closers.unshift(api.close);
  return api;
};
test.after(async () => {
  for (const close of closers) await close();
});

/** Pictures that no compression makes small. */
const noise = async (side: number): Promise<Buffer> => {
  const pixels = Buffer.alloc(side * side * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = Math.floor(Math.random() * 256);
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
};
const formOf = (name: string, file: Buffer, fields: Record<string, string> = {}): FormData => {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append(name, new Blob([Uint8Array.from(file)]), 'a.png');
  return form;
};
const upload = (http: AxiosInstance, file: Buffer) =>
  http.post('/v1/uploads', formOf('file', file));
const photo = { model: 'photo', scale: '2' };
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const small = await noise(8);

test('below the reserve of free space whatever takes room is refused, and the rest goes on', async () => {
  const api = await openApi({ DISK_RESERVE_BYTES: String(9e15) });
  const { http } = await api.caller();
  const refusals = [
    await upload(http, small),
    await http.post('/v1/upscale', formOf('image', small, photo)),
    await http.post('/v1/upscale/estimate', formOf('image', small, photo)),
    await http.post('/v1/upscale', { ...photo, scale: 2, image_url: 'http://127.0.0.1:9/a.png' }),
  ];
  for (const answer of refusals) {
    assert.is(refused(answer, 507, 'storage_full').retryable, true);
    assert.ok(Number(answer.headers['retry-after']) > 0);
  }
  assert.is((await http.get('/v1/jobs')).status, 200);
  assert.is((await http.get('/v1/credits')).data.held, 0);
  const ready = await api.client().get('/readyz');
  assert.is(ready.status, 503);
  assert.ok(ready.data.missing.includes('the disk is nearly full'), JSON.stringify(ready.data));
  await api.nothingLeft();
});

test('an account without credits keeps no more uploads than its quota, however many come at once', async () => {
  const api = await openApi({ ACCOUNT_UPLOAD_FILES: '3' });
  const { http } = await api.caller({ credits: 0 });
  const answers = await Promise.all(Array.from({ length: 12 }, () => upload(http, small)));
  const kept = answers.filter(({ status }) => status === 201);
  assert.is(kept.length, 3);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    const { detail } = refused(answer, 429, 'upload_quota_exceeded');
    assert.match(detail, /at most 3 uploads with \d+ bytes in all; it keeps 3/);
    assert.ok(Number(answer.headers['retry-after']) > 86_000);
  }
  assert.is(readdirSync(join(api.parts.config.files.dir, 'uploads')).length, 3);
  assert.is(
    (await upload((await api.caller()).http, small)).status,
    201,
    "another account's quota",
  );
});

test('the bytes of uploads have a quota too, and what expires frees it', async () => {
  const api = await openApi({
    ACCOUNT_UPLOAD_BYTES: String(2 * small.length),
    RESULT_TTL_SECONDS: '5',
  });
  const { http } = await api.caller({ credits: 0 });
  for (const status of [201, 201, 429]) assert.is((await upload(http, small)).status, status);
  await sleep(5100);
  assert.is((await upload(http, small)).status, 201);
});

test('what an account has arriving at one time is bounded, fetched files too', async () => {
  const endless = await serve((_, answer) => {
    const more = () => {
      while (answer.write(Buffer.alloc(65_536)));
      answer.once('drain', more);
    };
    more();
  });
  const api = await openApi({
    ACCOUNT_INCOMING_BYTES: '3000000',
    FETCH_ALLOW_HOSTS: `127.0.0.1:${endless.port}`,
    FETCH_TIMEOUT_SECONDS: '10',
  });
  const { http } = await api.caller({ credits: 0 });
  const fetches = Array.from({ length: 8 }, () =>
    http.post('/v1/upscale', { ...photo, scale: 2, image_url: `${endless.origin}/a` }),
  );
  for (const answer of await Promise.all(fetches)) refused(answer, 429, 'concurrency_limited');
  await api.nothingLeft();
  assert.is((await upload(http, small)).status, 201, 'what was refused counts no more');
  await endless.close();
});

test("the media of an account's waiting jobs is bounded in bytes", async () => {
  const api = await openApi({ ACCOUNT_QUEUED_BYTES: String(Math.round(2.5 * small.length)) });
  const { http, cancelQueued } = await api.caller();
  const order = async () =>
    http.post('/v1/upscale', formOf('image', await noise(8), photo), {
      headers: { prefer: 'respond-async' },
    });
  for (const status of [202, 202]) assert.is((await order()).status, status);
  const held = (await http.get('/v1/credits')).data.held;
  const { detail } = refused(await order(), 429, 'concurrency_limited');
  assert.match(detail, /may hold at most \d+ bytes/);
  assert.is((await http.get('/v1/credits')).data.held, held);
  await cancelQueued();
  assert.is((await order()).status, 202);
  await cancelQueued();
});

test('a repeated request whose caller waits keeps no copy of its file', async () => {
  const api = await openApi({});
  const { http, cancelQueued } = await api.caller();
  const headers = { 'idempotency-key': 'again' };
  const order = (prefer: string) =>
    http.post('/v1/upscale', formOf('image', small, photo), { headers: { ...headers, prefer } });
  assert.is((await order('respond-async')).status, 202);
  const waiting = order('wait=3');
  await api.untilWaiting(1);
  assert.equal(api.leftovers(), []);
  await cancelQueued();
  await waiting;
});

const disk = smallDisk(4);
const onSmallDisk = (name: string, run: (dir: string) => Promise<void>): void => {
  if (disk === null) skip(test, name, 'the right to mount a small disk');
  else test(name, () => run(disk));
};
/** A folder of its own, and what fills the disk around it. */
const full = (dir: string, name: string) => {
  const place = join(dir, name);
  mkdirSync(place);
  const filler = join(dir, 'filler');
  return {
    place,
    fill: (leave: number): void => {
      rmSync(filler, { force: true });
      // Until nothing more goes in, then so much less.
      const bytes = Buffer.alloc(65_536);
      let written = 0;
      try {
        for (;;) {
          writeFileSync(filler, bytes, { flag: 'a' });
          written += bytes.length;
        }
      } catch {
        writeFileSync(filler, Buffer.alloc(Math.max(0, written - leave)));
      }
    },
    empty: () => rmSync(filler, { force: true }),
    end: () => {
      rmSync(place, { recursive: true });
      rmSync(filler, { force: true });
    },
  };
};

onSmallDisk(
  'an upload that was acknowledged is on the disk whole, however full that is',
  async (dir) => {
    const { place, end } = full(dir, 'uploads');
    const api = await openApi({ DATA_DIR: place, DISK_RESERVE_BYTES: '0' });
    const { http } = await api.caller({ credits: 0 });
    const files = await Promise.all(Array.from({ length: 24 }, () => noise(300)));
    const [first, ...others] = files;
    assert.ok(first);
    // One while there is room; those that come at once may each take what another needs, and none be kept.
    const alone = await upload(http, first);
    const answers = [alone, ...(await Promise.all(others.map((file) => upload(http, file))))];
    const kept = answers.filter(({ status }) => status === 201);
    assert.ok(kept.length > 0 && kept.length < files.length, `${kept.length} were kept`);
    for (const { data } of kept) {
      const bytes = readFileSync(join(place, 'uploads', data.id));
      assert.equal([bytes.length, sha256(bytes)], [data.bytes, data.sha256]);
    }
    for (const { status, data } of answers.filter((answer) => answer.status !== 201)) {
      assert.ok(status === 507 || status === 500, JSON.stringify(data));
      assert.match(data.code, /^storage_(full|failed)$/, JSON.stringify(data));
      assert.not.match(JSON.stringify(data), dir);
    }
    await api.nothingLeft();
    end();
  },
);

onSmallDisk('a file that is fetched on to a full disk is told as storage_full', async (dir) => {
  const { place, fill, end } = full(dir, 'fetched');
  const image = await noise(300);
  const media = await serve((_, answer) => answer.end(image));
  const api = await openApi({
    DATA_DIR: place,
    DISK_RESERVE_BYTES: '0',
    FETCH_ALLOW_HOSTS: `127.0.0.1:${media.port}`,
  });
  const { http } = await api.caller();
  fill(65_536);
  const answer = await http.post('/v1/upscale', {
    ...photo,
    scale: 2,
    image_url: `${media.origin}/a.png`,
  });
  assert.not.match(refused(answer, 507, 'storage_full').detail, dir);
  await media.close();
  end();
});

onSmallDisk(
  'a result that finds no room is told as storage_failed, without a path',
  async (dir) => {
    const { place, fill, end } = full(dir, 'result');
    const redis = await realRedis();
    const rig = await openRig(
      { url: redis.url, prefix: freshPrefix(), dir: place },
      { DISK_RESERVE_BYTES: '0' },
    );
    await rig.ledger.grant('acme', 100);
    const info: ImageInfo = {
      kind: 'image',
      format: 'png',
      size: { width: 700, height: 700 },
      profile: null,
      alpha: false,
      gray: false,
      metadata: false,
    };
    const picture = {
      width: 700,
      height: 700,
      channels: 3 as const,
      pixels: Buffer.alloc(700 * 700 * 3),
    };
    for (let at = 0; at < picture.pixels.length; at += 1)
      picture.pixels[at] = Math.floor(Math.random() * 256);
    fill(65_536);
    let attempts = 0;
    await rig.work(async (_, { input, target }) => {
      attempts += 1;
      await encodeImage(picture, {
        source: { path: input('media'), info },
        target,
        format: 'png',
        output: {},
      });
      return pictureOf(700);
    });
    const { job } = await rig.ask('a');
    const done = await rig.ended(job);
    assert.equal([done.status, done.error?.code, attempts], ['failed', 'storage_failed', 3]);
    assert.not.match(JSON.stringify(done.error), dir);
    assert.equal(await rig.credits(), { balance: 100, held: 0 });
    assert.equal(await rig.differences(), []);
    await rig.close();
    end();
  },
);

onSmallDisk('a job waits for room on the disk, and that costs it no attempt', async (dir) => {
  const { place, fill, empty, end } = full(dir, 'waits');
  const redis = await realRedis();
  const rig = await openRig(
    { url: redis.url, prefix: freshPrefix(), dir: place },
    { DISK_RESERVE_BYTES: String(1024 * 1024) },
  );
  await rig.ledger.grant('acme', 100);
  let started = 0;
  fill(500_000);
  await rig.work(async (_, { target }) => {
    started += 1;
    writeFileSync(target, 'enhanced');
    return pictureOf(20);
  });
  const { job } = await rig.ask('a');
  await until('it was put back', async () => (await rig.jobs.get('acme', job.id)).fence > 4);
  assert.is(started, 0);
  empty();
  const done = await rig.ended(job);
  assert.equal([done.status, done.attempts, started], ['succeeded', 1, 1]);
  await rig.close();
  end();
});

test.run();
