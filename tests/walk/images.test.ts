import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bmpOf } from '../media/bmp.ts';
import { meanDifference } from '../real/likeness.ts';
import { withMedia } from '../real/media.ts';
import { freePorts } from '../real/ports.ts';
import { tempDir } from '../real/run.ts';
import { ended, realService } from '../real/service.ts';
import { realTriton } from '../real/triton.ts';

const test = suite('images over HTTP');
const dir = tempDir('images');

/** A picture with edges and gradients, drawn and so known. */
const draw = (width: number, height: number) =>
  sharp(
    Buffer.from(`<svg width="${width}" height="${height}">
      <defs><linearGradient id="g"><stop stop-color="#c33"/><stop offset="1" stop-color="#36c"/></linearGradient></defs>
      <rect width="100%" height="100%" fill="url(#g)"/><circle cx="40%" cy="50%" r="25%" fill="#fc6"/></svg>`),
  ).removeAlpha();

const file = async (name: string, picture: Sharp): Promise<string> => {
  const path = join(dir, name);
  await picture.toFile(path);
  return path;
};

const [port = 0] = await freePorts(1);
const host = createServer((request, response) => {
  response.end(readFileSync(join(dir, `${request.url?.slice(1)}`)));
}).listen(port, '127.0.0.1');
const service = await realService(
  { FETCH_ALLOW_HOSTS: `127.0.0.1:${port}` },
  realTriton(['photo', 'animation', 'detail']),
);
const caller = await service.caller(1000);

const png = await file('a.png', draw(47, 31).png());

/** A slope over a tenth of the range, for which 8 bits have 26 steps. */
const slope = Uint16Array.from({ length: 96 * 40 * 3 }, (_, i) =>
  Math.round(65_535 * (0.3 + (0.1 * (Math.floor(i / 3) % 96)) / 95)),
);
const deepPng = await file(
  'deep.png',
  sharp(slope, { raw: { width: 96, height: 40, channels: 3 } })
    .toColourspace('rgb16')
    .png(),
);

test('a PNG of 16 bits a sample comes back with 16, without bands where it is smooth', async () => {
  const answer = await caller.upscale(deepPng, { model: 'photo', scale: 2 });
  assert.equal([answer.status, answer.data.warnings], [200, []], JSON.stringify(answer.data));
  const bytes = await caller.download(answer.data.output_url);
  assert.is((await sharp(bytes).metadata()).depth, 'ushort');
  const { data } = await sharp(bytes)
    .toColourspace('rgb16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true });
  const samples = new Uint16Array(new Uint8Array(data).buffer);
  const row = Array.from({ length: 160 }, (_, x) => samples[(40 * 192 + 16 + x) * 3 + 1] ?? 0);
  assert.ok(new Set(row).size > 140, `${new Set(row).size} values in 160 pixels`);
  const off = row.map((value, x) => Math.abs(value / 65_535 - (0.3 + (0.1 * (7.75 + x / 2)) / 95)));
  assert.ok(Math.max(...off) < 0.004, `off by ${Math.max(...off)}`);
});

test('in a format of 8 bits it comes back with 8', async () => {
  const asked = { model: 'photo', scale: 2, output_format: 'webp' };
  const { data } = await caller.upscale(deepPng, asked);
  const { depth } = await sharp(await caller.download(data.output_url)).metadata();
  assert.equal([depth, data.warnings], ['uchar', []]);
});

test('TIFF, BMP and GIF are enlarged like any other image', async () => {
  const bmp = join(dir, 'a.bmp');
  const pixels = await draw(45, 31).raw().toBuffer();
  writeFileSync(bmp, bmpOf({ width: 45, height: 31, channels: 3, pixels }));
  const paths = [
    await file('b.png', draw(45, 31).png()),
    await file('a.tiff', draw(45, 31).tiff({ compression: 'lzw' })),
    bmp,
    await file('a.gif', draw(45, 31).gif()),
  ];
  const [fromPng, fromTiff, fromBmp] = await Promise.all(
    paths.map(async (path) => {
      const { status, data } = await caller.upscale(path, { model: 'photo', scale: 2 });
      assert.equal([status, data.output_size], [200, '90x62'], JSON.stringify(data));
      return sharp(await caller.download(data.output_url))
        .removeAlpha()
        .raw()
        .toBuffer();
    }),
  );
  assert.equal([fromTiff, fromBmp], [fromPng, fromPng]);
});

test('an image comes back at twice its size, with every promised field, for its price', async () => {
  const answer = await caller.upscale(png, { model: 'photo', scale: 2 });
  assert.is(answer.status, 200, JSON.stringify(answer.data));
  const result = answer.data;
  assert.is(result.status, 'success');
  assert.is(result.input_size, '47x31');
  assert.is(result.output_size, '94x62');
  assert.is(result.credits_used, 1);
  assert.is(result.cached, false);
  assert.is(result.content_type, 'image/png');
  const bytes = await caller.download(result.output_url);
  assert.is(bytes.length, result.bytes);
  const { width, height, format } = await sharp(bytes).metadata();
  assert.equal({ width, height, format }, { width: 94, height: 62, format: 'png' });
  // Scaled down again it is the picture that was sent.
  const back = await sharp(bytes).resize(47, 31).removeAlpha().raw().toBuffer();
  const sent = await sharp(png).removeAlpha().raw().toBuffer();
  const off = meanDifference(sent, back);
  assert.ok(off < 4, `mean difference ${off}`);
});

test('the same content again is free and at once, whatever the file is called', async () => {
  const before = await caller.balance();
  const copy = `${png}.copy`;
  copyFileSync(png, copy);
  const again = await caller.upscale(copy, { model: 'photo', scale: 2, output_format: 'png' });
  assert.equal([again.status, again.data.cached, again.data.credits_used], [200, true, 0]);
  assert.equal((await caller.balance()).available, before.available);
});

for (const scale of [2, 4, 8]) {
  for (const model of ['photo', 'animation', 'detail']) {
    test(`${model} x${scale} keeps odd sizes exact`, async () => {
      const path = await file(`odd-${model}-${scale}.png`, draw(13, 7).png());
      const answer = await caller.upscale(path, { model, scale });
      assert.is(answer.data.output_size, `${13 * scale}x${7 * scale}`, JSON.stringify(answer.data));
      const { width, height } = await sharp(
        await caller.download(answer.data.output_url),
      ).metadata();
      assert.equal([width, height], [13 * scale, 7 * scale]);
    });
  }
}

for (const format of ['png', 'jpeg', 'webp', 'avif'] as const) {
  test(`${format} goes in and out`, async () => {
    const path = await file(`in.${format}`, draw(24, 16).toFormat(format));
    const answer = await caller.upscale(path, { model: 'photo', scale: 2, output_format: format });
    assert.is(answer.status, 200, JSON.stringify(answer.data));
    assert.is(answer.data.content_type, `image/${format}`);
    const { width, height } = await sharp(await caller.download(answer.data.output_url)).metadata();
    assert.equal([width, height], [48, 32]);
  });
}

test('alpha is upscaled, and colour under it leaves no fringe', async () => {
  const disc = sharp(
    Buffer.from('<svg width="40" height="40"><circle cx="20" cy="20" r="14" fill="#f00"/></svg>'),
  );
  const answer = await caller.upscale(await file('disc.png', disc.png()), {
    model: 'photo',
    scale: 4,
  });
  const { data, info } = await sharp(await caller.download(answer.data.output_url))
    .raw()
    .toBuffer({ resolveWithObject: true });
  assert.is(info.channels, 4);
  const at = (x: number, y: number) => [
    ...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4),
  ];
  assert.is(at(0, 0)[3], 0);
  assert.is(at(80, 80)[3], 255);
  for (let x = 0; x < info.width; x += 1) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = at(x, 80);
    if (alpha > 8)
      assert.ok(red > 215 && green < 40 && blue < 40, `${[red, green, blue, alpha]} at ${x}`);
  }
});

test('the file is written as `output` asks: its quality, its metadata, what is behind transparency', async () => {
  const exif = { IFD0: { Artist: 'the test' } };
  const clear = { width: 16, height: 8, channels: 4, background: '#0000' } as const;
  const path = await file('clear.png', sharp({ create: clear }).withExif(exif).png());
  const asked = async (source: string, output: object) => {
    const fields = { model: 'photo', scale: 2, output_format: 'jpeg' };
    const { data } = await caller.upscale(source, { ...fields, output: JSON.stringify(output) });
    return caller.download(data.output_url);
  };
  const [coarse, fine] = [await asked(png, { quality: 5 }), await asked(png, { quality: 95 })];
  assert.ok(coarse.length < fine.length / 2, `${coarse.length} and ${fine.length} bytes`);
  const kept = await asked(path, { metadata: 'keep', background: '#ff0000', quality: 100 });
  assert.ok((await sharp(kept).metadata()).exif?.includes('the test'));
  const [red = 0, green = 0, blue = 0] = await sharp(kept).raw().toBuffer();
  assert.ok(red > 250 && green < 5 && blue < 5, `${[red, green, blue]}`);
});

test('EXIF orientation is applied once', async () => {
  const path = await file('turned.jpg', draw(40, 20).jpeg().withMetadata({ orientation: 6 }));
  const answer = await caller.upscale(path, { model: 'photo', scale: 2, output_format: 'jpeg' });
  assert.is(answer.data.input_size, '20x40');
  const { width, height, orientation } = await sharp(
    await caller.download(answer.data.output_url),
  ).metadata();
  assert.equal([width, height], [40, 80]);
  assert.ok(orientation === undefined || orientation === 1);
});

test('a URL, an upload and a JSON body all lead to the same cached result', async () => {
  const body = { model: 'photo', scale: 2, image_url: `http://127.0.0.1:${port}/a.png` };
  const byUrl = await caller.http.post('/v1/upscale', body);
  assert.is(byUrl.status, 200, JSON.stringify(byUrl.data));
  assert.is(byUrl.data.cached, true);
  const form = new FormData();
  form.append('file', new Blob([readFileSync(png)]), 'whatever.bin');
  const upload = await caller.http.post('/v1/uploads', form);
  assert.is(upload.data.kind, 'image', JSON.stringify(upload.data));
  // The cache knows the upload by what was recorded when it came: its file is needed for new work only.
  rmSync(join(service.config.files.dir, 'uploads', upload.data.id));
  const uploaded = { ...body, image_url: upload.data.url };
  const byUpload = await caller.http.post('/v1/upscale', uploaded);
  assert.is(byUpload.data.cached, true, JSON.stringify(byUpload.data));
  const { status, data } = await caller.http.post('/v1/upscale', { ...uploaded, scale: 8 });
  assert.equal([status, data.errors?.[0]?.pointer], [422, '/image_url'], JSON.stringify(data));
});

test('the estimate says what the job then costs', async () => {
  const path = await file('priced.png', draw(600, 500).png());
  const { data } = await caller.http.post('/v1/upscale/estimate', {
    model: 'photo',
    scale: 2,
    image_url: `http://127.0.0.1:${port}/priced.png`,
  });
  const before = (await caller.balance()).available;
  const answer = await caller.upscale(path, { model: 'photo', scale: 2 });
  assert.is(answer.data.credits_used, data.credits);
  assert.is((await caller.balance()).available, before - data.credits);
  const again = await caller.http.post('/v1/upscale/estimate', {
    model: 'photo',
    scale: 2,
    image_url: `http://127.0.0.1:${port}/priced.png`,
  });
  assert.equal([data.cached, again.data.cached], [undefined, true]);
});

test('two identical requests at once do the work once and pay once', async () => {
  const path = await file('twins.png', draw(90, 80).png());
  const before = (await caller.balance()).available;
  const answers = await Promise.all(
    [1, 2].map(() => caller.upscale(path, { model: 'photo', scale: 4 })),
  );
  const [one, two] = answers.map(({ data }) => data);
  assert.is(one.sha256, two.sha256);
  assert.equal([one.credits_used, two.credits_used].sort(), [0, 1]);
  assert.is((await caller.balance()).available, before - 1);
});

test('an asynchronous caller gets 202 with a job that it can follow to its result', async () => {
  const path = await file('later.png', draw(64, 64).png());
  const answer = await caller.upscale(
    path,
    { model: 'photo', scale: 2 },
    { prefer: 'respond-async' },
  );
  assert.is(answer.status, 202);
  assert.is(answer.headers.location, `/v1/jobs/${answer.data.id}`);
  const job = await caller.until(answer.data.id, ended);
  assert.is(job.status, 'succeeded');
  assert.is(job.cost.charged, job.result?.credits_used);
  assert.ok(job.started_at && job.finished_at && job.expires_at);
  assert.is(job.progress?.percent, 100);
});

test('a large picture is worked on in bands', async () => {
  const path = await file('large.png', draw(450, 640).png());
  const answer = await caller.upscale(
    path,
    { model: 'animation', scale: 4 },
    { prefer: 'respond-async' },
  );
  const job = await caller.until(answer.data.id, ended);
  assert.is(job.status, 'succeeded', JSON.stringify(job.error));
  assert.ok((job.progress?.frames_total ?? 0) > 1, JSON.stringify(job.progress));
  assert.is(job.result?.output_size, '1800x2560');
});

for (const file of ['img_woman_smile_teeth_221.png', 'img_man_bw_moustache_375x500.jpg']) {
  withMedia(test, `${file} comes back twice as large and as it was`, file, async (path) => {
    const { width = 0, height = 0 } = await sharp(path).metadata();
    const { status, data } = await caller.upscale(path, { model: 'photo', scale: 2 });
    assert.is(status, 200, JSON.stringify(data));
    assert.is(data.output_size, `${2 * width}x${2 * height}`);
    const large = await caller.download(data.output_url);
    const back = await sharp(large)
      .resize(width, height)
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer();
    const sent = await sharp(path).removeAlpha().toColourspace('srgb').raw().toBuffer();
    const off = meanDifference(sent, back);
    assert.ok(off < 3, `mean difference ${off}`);
  });
}

test('every account is clean after all this', async () => {
  const { clean, differences } = await service.audit(caller.account);
  assert.ok(clean, differences.join('\n'));
});

test.after(async () => {
  host.close();
  await service.close();
});

test.run();
