/**
 * A third operation, defined here as a value: nothing under src knows of it. It negates the colours of a picture, and
 * is driven over HTTP as any other, to a result that is charged, cached and signed.
 */
import axios from 'axios';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { listPrice, megapixels, rateOf } from '../../src/accounts/list-price.ts';
import { Job, JobInput, resultShape } from '../../src/contract/job.ts';
import { SourceUrl } from '../../src/contract/media.ts';
import { modelShape } from '../../src/contract/models.ts';
import { Failure } from '../../src/errors.ts';
import { startWorker } from '../../src/jobs/run/worker.ts';
import { createLog } from '../../src/log.ts';
import { ImageInfo } from '../../src/media/info.ts';
import { identify } from '../../src/media/probe/identify.ts';
import { checkPixels } from '../../src/media/probe/limits.ts';
import { openCatalogue } from '../../src/models/catalogue.ts';
import { openRegistry } from '../../src/models/registry.ts';
import { openReleases } from '../../src/models/releases.ts';
import { openTrial } from '../../src/models/trial.ts';
import { catalogueEntries, slotForms } from '../../src/operations/catalogue-entries.ts';
import { createEnhance } from '../../src/operations/enhance.ts';
import { checkBytes, jobInput } from '../../src/operations/media.ts';
import { operation } from '../../src/operations/operation.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { realApi } from '../http/api.ts';
import { realBrowser } from '../real/browser.ts';
import { realRedis } from '../real/redis.ts';

const options = { model: z.enum(['plain']), red: z.boolean().default(true) };
const Options = z.strictObject(options);
const Request = z.strictObject({ ...options, image_url: SourceUrl.optional() });

const invert = operation({
  kind: 'invert',
  title: 'Invert',
  summary: 'Negate the colours of an image',
  models: { plain: { description: '255 less each value', rate: 200 } },
  request: Request,
  sources: [['image']],
  refusals: [],
  failures: [],
  options: Options,
  shownOptions: Options,
  input: JobInput,
  found: ImageInfo,
  details: z.object({ mean: z.number() }),
  result: z.strictObject({ ...resultShape, mean: z.number() }).meta({ id: 'InvertResult' }),
  label: ({ model }) => `inverted-${model}`,
  format: () => 'png',
  identify: async ({ body: { image_url: _, ...options } }, { config, take }) => {
    const source = await take(['image'], config.limits.image.bytes);
    const { mime } = await identify(await source.file(), ['image']);
    checkBytes(source.bytes, 'image', config.limits);
    return { options, inputKind: 'image', files: { media: { ...source, mime } } };
  },
  identity: ({ options: { model, red } }) => [model, red],
  prepare: async ({ options: { model }, files: { media } }, { config, look }) => {
    probes += 1;
    const path = await media.file();
    const info = await look(({ probeImage }) => probeImage(path));
    checkPixels(info.size, config.limits.image.pixels);
    const pixels = info.size.width * info.size.height;
    return {
      input: jobInput(media, info),
      found: info,
      price: listPrice(model, rateOf(config.prices, 'invert', model), [megapixels(pixels)]),
      outputSize: info.size,
      warnings: [],
    };
  },
  run: async ({ input, target, found, report, transport: lent }) => {
    waysToModels.add(lent);
    if (found.size.width === 1)
      throw new Failure('inference_failed', { model: 'speech', reason: 'noise' });
    report({ stage: 'inference', framesDone: 0, framesTotal: 1 });
    await sharp(input('media')).negate({ alpha: false }).png().toFile(target);
    const { channels } = await sharp(target).stats();
    return {
      outputSize: found.size,
      contentType: 'image/png',
      details: { mean: channels[0]?.mean ?? 0 },
    };
  },
  slots: () => ({ image: [], video: [] }),
  release: 'invert-r1',
  engine: () => 'libvips',
  modelEntry: z
    .strictObject({ ...modelShape, operation: z.literal('invert'), price: z.number() })
    .meta({ id: 'InvertModelEntry' }),
  describe: (model, { prices }) => ({ price: rateOf(prices, 'invert', model) }),
});
let probes = 0;
const waysToModels = new Set<unknown>();

const operations = [invert];
const api = await realApi({}, realRedis(), createLog('fatal', 'third'), operations);
const { config, log } = api.parts;
const control = openControl(config.triton);
const registry = openRegistry(api.parts.stores, operations.flatMap(slotForms));
const transport = await openTransport(config.triton);
const stop = new AbortController();
api.models(
  openCatalogue(operations.flatMap(catalogueEntries), {
    control,
    transport,
    registry,
    log,
    signal: stop.signal,
  }),
);
const releases = openReleases(control, registry);
const trial = openTrial({ registry, control, log, bounds: { ...config.models.trial, watchMs: 1 } });
const enhance = createEnhance({ operations, releases, trial, transport, config, signer: null });
const worker = await startWorker({ ...api.parts, enhance });

const drawn = (width: number) =>
  sharp({ create: { width, height: 48, channels: 3, background: '#204060' } })
    .png()
    .toBuffer();
const picture = await drawn(64);
const form = (media = picture) => {
  const body = new FormData();
  body.append('model', 'plain');
  body.append('image', new Blob([new Uint8Array(media)]), 'picture.png');
  return body;
};

const test = suite('third operation');

test('an operation that only this test defines makes a charged, signed result', async () => {
  const { http, account } = await api.caller({ credits: 10 });
  const answer = await http.post('/v1/invert', form());
  assert.is(answer.status, 200, JSON.stringify(answer.data));
  assert.not(waysToModels.has(transport), 'it is not quick, so it gives way at slow models');
  const result = answer.data;
  assert.is(result.credits_used, 1, '64x48 at 200 credits a megapixel is 0.6144, rounded up');
  assert.equal([result.model_used, result.model_version], ['plain', 'invert-r1']);
  assert.equal([result.input_size, result.output_size], ['64x48', '64x48']);
  assert.is(result.mean, 255 - 0x20);
  assert.equal(result.warnings, []);
  assert.is((await api.parts.ledger.balance(account)).balance, 9);

  const file = await axios.get(result.output_url, { responseType: 'arraybuffer' });
  assert.match(file.headers['content-disposition'], /inverted-plain-job_\w+\.png/);
  const { dominant } = await sharp(file.data).stats();
  assert.ok(Math.abs(dominant.r - 0xdf) < 16 && Math.abs(dominant.b - 0x9f) < 16);
  const forged = result.output_url.replace(/signature=.{4}/, 'signature=AAAA');
  assert.is((await axios.get(forged, { validateStatus: () => true })).status, 404);

  const job = Job.parse((await http.get(`/v1/jobs/${result.id}`)).data);
  assert.equal([job.kind, job.status, job.cost.charged], ['invert', 'succeeded', 1]);
  assert.equal(job.options, { model: 'plain', red: true });
});

test('a failure of a network names the model that the caller knows', async () => {
  const { http } = await api.caller({ credits: 10 });
  const { status, data } = await http.post('/v1/invert', form(await drawn(1)));
  assert.equal(
    [status, data.code, data.detail.includes('"plain"'), data.charged],
    [502, 'inference_failed', true, 0],
    data.detail,
  );
});

test('the same request again comes from the cache, free of charge, and is not probed', async () => {
  const { http, account } = await api.caller({ credits: 10 });
  const first = await http.post('/v1/invert', form());
  const before = probes;
  const second = await http.post('/v1/invert', form());
  assert.equal([second.data.cached, second.data.credits_used], [true, 0]);
  assert.is(second.data.sha256, first.data.sha256);
  assert.is(second.data.input_size, '64x48');
  assert.is(probes, before);
  assert.is((await api.parts.ledger.balance(account)).balance, 9);
  const listed = await http.get('/v1/jobs?kind=invert');
  assert.is(listed.data.data.length, 2);
});

test('its estimate, its models and its part of the document follow from the value', async () => {
  const { http } = await api.caller();
  const estimate = await http.post('/v1/invert/estimate', form());
  assert.equal([estimate.data.credits, estimate.data.model], [1, 'plain']);
  assert.is(estimate.data.lines[0].text, 'plain: 0.003072 MP × 200');

  const listed = (await http.get('/v1/models')).data;
  const [{ request, ...entry }] = listed.operations;
  assert.equal(entry, {
    kind: 'invert',
    title: 'Invert',
    summary: 'Negate the colours of an image',
    path: '/v1/invert',
    sources: [['image']],
  });
  assert.equal(request.properties.red, { default: true, type: 'boolean' });
  const [model] = listed.data;
  assert.equal(
    [model.id, model.operation, model.ready, model.version, model.engine, model.price],
    ['plain', 'invert', true, 'invert-r1', 'libvips', 200],
  );
  const { paths, components } = (await http.get('/openapi.json')).data;
  assert.ok(paths['/v1/invert'].post && paths['/v1/invert/estimate'].post);
  assert.ok(components.schemas.InvertResult && components.schemas.InvertJob);
  assert.not(paths['/v1/upscale']);
});

test('the playground has a form for it', async () => {
  const { key, http } = await api.caller({ credits: 10 });
  const browser = await realBrowser(new URL(api.url).origin);
  try {
    const page = await browser.open();
    await page.goto(api.url);
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByText('Negate the colours of an image.').waitFor();
    await page.getByText('More options').click();
    await page.getByRole('checkbox', { name: 'Red' }).uncheck();
    const file = { name: 'picture.png', mimeType: 'image/png', buffer: picture };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Start for 1 credit' }).click();
    await page.getByRole('link', { name: /^Download/ }).waitFor();
    const [job] = (await http.get('/v1/jobs')).data.data;
    assert.equal([job.kind, job.options], ['invert', { model: 'plain', red: false }]);
    assert.equal(browser.faults, []);
  } finally {
    await browser.close();
  }
});

test('what its schema does not know is refused with a pointer, and nothing is charged', async () => {
  const { http, account } = await api.caller({ credits: 10 });
  const body = form();
  body.append('blue', 'true');
  const refused = await http.post('/v1/invert', body);
  assert.is(refused.status, 422);
  assert.is(refused.data.errors[0].pointer, '/blue');
  assert.is((await api.parts.ledger.balance(account)).balance, 10);
  await api.nothingLeft();
});

test.after(async () => {
  stop.abort();
  await worker.close();
  await transport.close();
  await api.close();
});

test.run();
