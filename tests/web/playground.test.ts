/** The playground in Chromium, over the whole service. */
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Segment } from '../../src/operations/lip-sync/request.ts';
import { places } from '../../src/stack/home.mjs';
import { holdBack, isAccessible, realBrowser } from '../real/browser.ts';
import { makeClip } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';
import { type Caller, realService } from '../real/service.ts';
import { sounds } from '../real/sounds.ts';
import { talkingHead } from '../real/talking.ts';
import { lipsyncNames, realTriton } from '../real/triton.ts';
import { until } from '../real/until.ts';
import { adminTests } from './admin.ts';

const test = suite('playground');
const dir = tempDir('playground');
const at = (name: string) => join(dir, name);
const service = await realService(
  { IMAGE_MAX_BYTES: '200000', DEVELOPMENT_KEY_PATH: at('dev-key'), PROVENANCE: 'on' },
  realTriton(['photo', 'animation', 'photo_realtime', ...lipsyncNames('fast')]),
);
const browser = await realBrowser(new URL(service.url).origin);

/** A picture with edges: the number makes its content, and so its job, another than all others'. */
let drawn = 0;
const picture = async (name = `picture-${drawn}.png`): Promise<string> => {
  drawn += 1;
  const svg = `<svg width="64" height="48"><rect width="100%" height="100%" fill="#36c"/><circle cx="${10 + drawn}" cy="20" r="15" fill="#fa4"/></svg>`;
  await sharp(Buffer.from(svg)).png().toFile(at(name));
  return at(name);
};
const clip = await talkingHead(at('clip.mp4'), 1, '240x240');
const voice = await sounds.babble(at('voice.wav'), 0.6);

/** The page of a caller who has entered the key. */
const opened = async (
  caller: Caller,
  options: Parameters<typeof browser.open>[0] = {},
): Promise<Page> => {
  const page = await browser.open(options);
  await page.goto(service.url);
  await page.getByLabel('API key', { exact: true }).fill(caller.key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByText('What would you like to do?').waitFor();
  return page;
};
const choose = (page: Page, path: string, place = 0) =>
  page.locator('input[type=file]').nth(place).setInputFiles(path);
/** Has the page get files as the browser hands them over: by a `drop` on an element, or a `paste`. */
const handOver = (page: Page, paths: readonly string[], type: string, event: string) =>
  page.evaluate(`{
    const files = new DataTransfer();
    for (const [name, base64] of ${JSON.stringify(paths.map((path) => [basename(path), readFileSync(path).toString('base64')]))}) {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      files.items.add(new File([bytes], name, { type: '${type}' }));
    }
    ${event}
  }`);
const DROP =
  "document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));";
const drop = (page: Page, path: string, type: string) => handOver(page, [path], type, DROP);
const paste = (page: Page, path: string, type: string) =>
  handOver(
    page,
    [path],
    type,
    "document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: files, bubbles: true }));",
  );
const uploadsOf = (page: Page): readonly string[] => {
  const uploads: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/uploads')) uploads.push(request.url());
  });
  return uploads;
};
const startButton = (page: Page) => page.getByRole('button', { name: /^Start for/ });
const start = async (page: Page) => {
  await startButton(page).click();
};
/** Page.waitForFunction would need `eval`, which the policy of the page forbids. */
const holds = (page: Page, expression: string) =>
  until(expression, async () => Boolean(await page.evaluate(expression)));
const result = (page: Page) => page.getByRole('link', { name: /^Download/ });
const chargedTo = async (caller: Caller) => 100 - (await caller.balance()).balance;
const jobsOf = async (caller: Caller) => (await caller.http.get('/v1/jobs')).data.data;
/** The result, which the browser stores under this name. */
const downloaded = async (page: Page, name: string): Promise<Buffer> => {
  const [download] = await Promise.all([page.waitForEvent('download'), result(page).click()]);
  assert.is(download.suggestedFilename(), name);
  return readFileSync(await download.path());
};

test('a picture: price, start, progress, comparison, download', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  await isAccessible(page);
  const streams: string[] = [];
  page.on(
    'request',
    (request) => void (request.url().includes('/events') && streams.push(request.url())),
  );
  const mine = await picture();
  await choose(page, mine);
  await startButton(page).waitFor();
  assert.is(await startButton(page).textContent(), 'Start for 1 credit');
  assert.match((await page.locator('.price').textContent()) ?? '', /64 × 48 becomes 128 × 96/);
  assert.is(await chargedTo(caller), 0);
  await isAccessible(page);
  await startButton(page).focus();
  await page.keyboard.press('Enter');
  await result(page).waitFor();
  await page.getByText('Content credentials: none').waitFor();
  assert.is(streams.length, 1);
  const sizes = await page.evaluate(
    "Promise.all([...document.querySelectorAll('.pair img')].map(async (one) => { await one.decode(); return one.naturalWidth }))",
  );
  assert.equal(sizes, [128, 64]);
  const divider = page.getByRole('slider', { name: 'Original | result' });
  await divider.focus();
  await page.keyboard.press('Home');
  assert.is(
    await page.evaluate("document.querySelector('.pair').style.getPropertyValue('--cut')"),
    '0%',
  );
  // The row of the job tells its time, such as 21:41:15.
  await page.getByRole('button', { name: '1:1', exact: true }).click();
  assert.is(
    await page.evaluate("document.querySelector('.pair .after').clientWidth * devicePixelRatio"),
    128,
  );
  const name = `${basename(mine, '.png')}-photo-2x.png`;
  const { width, height } = await sharp(await downloaded(page, name)).metadata();
  assert.equal([width, height], [128, 96]);
  await isAccessible(page);
  await page.getByText('99 credits', { exact: true }).waitFor();
  await page.getByText('; you have 99 credits').waitFor();
  assert.is(await chargedTo(caller), 1);
  // The same again is in the cache.
  await page.getByRole('button', { name: 'Start for free' }).waitFor();
  assert.is(await page.getByRole('status').textContent(), 'The result is ready.');
  const rates = page.locator('.model .rate');
  assert.is(
    await rates.first().textContent(),
    '0.5 credits per megapixel, and per second of a video (realtime: 0.05)',
  );
  await page.context().close();
});

test('a sample that comes late does not replace the file that was chosen meanwhile', async () => {
  const page = await opened(await service.caller(10));
  let send = () => {};
  const held = new Promise<void>((resolve) => {
    send = resolve;
  });
  await page.route('**/sample*.jpg', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Try the sample' }).click();
  const mine = await picture();
  await choose(page, mine);
  await startButton(page).waitFor();
  const answered = page.waitForResponse('**/sample*.jpg');
  send();
  await (await answered).finished();
  await page.locator('button:not([aria-busy])', { hasText: 'Try the sample' }).waitFor();
  await page.getByText(basename(mine)).first().waitFor();
  assert.is(await page.getByText('sample.jpg').count(), 0);
  await page.context().close();
});

test('a clip and a recording: price, start, synchronised players, download', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller, { colorScheme: 'dark' });
  await page.getByRole('radio', { name: 'Lip sync' }).check();
  // Each file goes where its kind belongs, and what has no place is named.
  const another = await picture();
  await handOver(page, [voice, clip, another], '', DROP);
  await page.getByText(`not taken: “${basename(another)}”.`).waitFor();
  for (const name of [clip, voice].map((path) => basename(path)))
    await page.getByRole('button', { name: `Remove ${name}` }).click();
  await drop(page, clip, 'video/mp4');
  await page.getByRole('slider', { name: 'Picture at' }).fill('0.5');
  await page.getByLabel('clip.mp4', { exact: true }).click({ position: { x: 210, y: 105 } });
  await paste(page, voice, 'audio/wav');
  await startButton(page).waitFor();
  await isAccessible(page);
  // The form's words, not the API's: `cut_off`.
  assert.is(await page.getByText(/: cut off ends with the shorter, loop and bounce/).count(), 1);
  // A field that is written as JSON shows by an example what belongs there, and says what is wrong in it.
  await page.getByText('More options').click();
  const isShown = (label: string) => page.getByLabel(label).isVisible();
  assert.equal([await isShown('Sync mode'), await isShown('Output format')], [true, false]); // mp4 is no choice
  const segments = page.getByLabel('Segments (JSON)');
  const [, example = ''] =
    /^such as (.*)$/.exec((await segments.getAttribute('placeholder')) ?? '') ?? [];
  assert.ok(Segment.safeParse(JSON.parse(example)[0]).success, example);
  await segments.fill('[{"start":0');
  await segments.blur();
  await page
    .locator('.price')
    .getByText(/^Segments: expected JSON; (?!SyntaxError)/)
    .waitFor();
  await segments.fill('');
  await segments.blur();
  await startButton(page).waitFor();
  await start(page);
  await result(page).waitFor({ timeout: 180_000 });
  // Both show their first picture, on an iPhone too, which shows none unless the address names a time.
  await holds(
    page,
    "[...document.querySelectorAll('figure video')].filter((one) => one.src.endsWith('#t=0.001') && Math.abs(one.currentTime - 0.001) < 1e-6).length === 2",
  );
  await page.getByRole('slider', { name: 'Time' }).fill('0.4');
  // Both have sought there, and both play on from there.
  await holds(
    page,
    "[...document.querySelectorAll('figure video')].filter((one) => one.readyState >= 2 && Math.abs(one.currentTime - 0.4) < 0.05).length === 2",
  );
  // Beside an upright picture there are no black bars, which would pass for a part of the result.
  await holds(
    page,
    "[...document.querySelectorAll('figure video')].every((one) => getComputedStyle(one).backgroundColor === 'rgba(0, 0, 0, 0)')",
  );
  await page.getByRole('button', { name: 'Play' }).click();
  await holds(
    page,
    "[...document.querySelectorAll('figure video')].every((one) => one.currentTime > 0.45)",
  );
  await isAccessible(page);
  await page.setViewportSize({ width: 390, height: 500 });
  await page.getByRole('button', { name: '1:1', exact: true }).click();
  // Every pixel of 240, and both show the same place.
  await page.evaluate("document.querySelector('figure .view').scrollTo(0, 7)");
  await holds(
    page,
    "[...document.querySelectorAll('figure .view')].every((one) => one.scrollTop === 7 && one.firstChild.clientWidth === 240)",
  );
  await isAccessible(page);
  const bytes = await downloaded(page, 'clip-fast.mp4');
  const [job] = await jobsOf(caller);
  assert.is(bytes.length, job.result.bytes);
  assert.is(await chargedTo(caller), job.cost.charged);
  assert.equal(job.options.speaker, { frame: Math.floor(0.5 * job.input.fps), x: 210, y: 105 });
  await page.getByText('Content credentials: signed').click();
  await page.getByText('clip or portrait (edited); its own credentials: none').waitFor();
  await page.getByText(job.result.provenance.signer).waitFor();
  await page.context().close();
});

test('an animated image becomes a video, beside which it moves as it is', async () => {
  const page = await opened(await service.caller(100));
  const raw = { width: 64, height: 96, channels: 3, pageHeight: 48 } as const;
  const two = Buffer.alloc(64 * 96 * 3, 40).fill(200, 0, 64 * 48 * 3);
  await sharp(two, { raw })
    .gif({ delay: [300, 300] })
    .toFile(at('two.gif'));
  await choose(page, at('two.gif'));
  await startButton(page).waitFor();
  assert.is(await page.getByAltText('Preview of two.gif').count(), 1);
  await start(page);
  await result(page).waitFor();
  await holds(page, "document.querySelector('figure img')?.naturalWidth === 64");
  assert.is(await page.locator('figure video').count(), 1);
  await page.context().close();
});

test('a portrait whose face is clicked, and a recording from the microphone', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  await page.getByRole('radio', { name: 'Lip sync' }).check();
  await page.getByRole('button', { name: 'Try the sample' }).click();
  await page.getByText('sample.mp3', { exact: true }).waitFor();
  const face = page.getByRole('img', { name: /^Preview/ });
  await face.click({ position: { x: 130, y: 100 } });
  await page.setViewportSize({ width: 280, height: 800 });
  const [shrunk, mark] = [await face.boundingBox(), await page.locator('.mark').boundingBox()];
  assert.ok(shrunk && mark && shrunk.width < 250);
  // Of the 260 px that it was drawn at; a pixel is what the browser rounds.
  assert.ok(Math.abs(mark.x + mark.width / 2 - shrunk.x - (130 / 260) * shrunk.width) < 1.5);
  assert.ok(Math.abs(mark.y + mark.height / 2 - shrunk.y - (100 / 260) * shrunk.height) < 1.5);
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await page.getByText(/^Recording: [1-9]\d* s\. Speak now\.$/).waitFor();
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await page.getByText('recording.wav', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Use the sample voice' }).click();
  await page.getByText('sample.mp3', { exact: true }).waitFor();
  const [estimate] = await Promise.all([
    page.waitForRequest((request) => request.url().endsWith('/v1/lipsync/estimate')),
    startButton(page).waitFor(),
  ]);
  const { speaker } = estimate.postDataJSON();
  assert.is(speaker.frame, 0);
  // The preview is drawn at most 260 px high, the picture has 288.
  assert.ok(
    Math.abs(speaker.x - (130 * 288) / 260) < 3 && Math.abs(speaker.y - (100 * 288) / 260) < 3,
    JSON.stringify(speaker),
  );
  await page.context().close();
});

test('a job goes on being shown over a reload, and over a time in which the API is away', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  await service.worker.stop();
  await choose(page, await picture());
  await start(page);
  await page.locator('#outcome').getByText('Waiting to start').waitFor();
  await isAccessible(page);
  await page.reload();
  await page.locator('#outcome').getByText('Waiting to start').waitFor();
  await service.killApi();
  await page.getByText('The connection is lost.').waitFor();
  await service.startApi();
  await page.getByText('The connection is lost.').waitFor({ state: 'hidden' });
  await service.worker.start();
  await result(page).waitFor();
  assert.is(await page.getByRole('img', { name: /^Original, at/ }).count(), 1);
  await page.context().close();
});

test('a result whose time is over is told as expired', async () => {
  const page = await opened(await service.caller(100));
  await choose(page, await picture());
  await startButton(page).click();
  await result(page).waitFor();
  await page.clock.setFixedTime(Date.now() + 2 * 86_400_000);
  await page.route('**/result?*', (route) => route.fulfill({ status: 410 }));
  await page.reload();
  await page.locator('#outcome').getByText('This result has expired').waitFor();
  assert.is(await result(page).count(), 0);
  const row = page.locator('#jobs li');
  await row.getByText(/^expired · 128 × 96/).waitFor();
  assert.is(await row.getByRole('button', { name: /^Delete/ }).count(), 0);
  await page.getByRole('button', { name: 'Run again' }).first().waitFor();
  await page.context().close();
});

test('a job is cancelled, and costs nothing', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  await service.worker.stop();
  await choose(page, await picture());
  await start(page);
  await page.getByText('; you have 99 credits').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('The job was cancelled. Nothing was charged.').waitFor();
  await page.getByText('; you have 100 credits').waitFor();
  await service.worker.start();
  await caller.lipsync(await picture(), voice, { model: 'fast' });
  await page.reload();
  await page.locator('#history').getByText('failed: no face detected').waitFor();
  assert.is(await chargedTo(caller), 0);
  await page.context().close();
});

test('a double click, and answers that are lost on their way, make one job', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  await choose(page, await picture());
  let [asked, lost] = [0, 4]; // one more than the page tries by itself
  await page.route('**/v1/upscale', async (route) => {
    asked += 1;
    if (asked > lost) return route.continue();
    if (asked === 1) await route.fetch();
    return route.abort();
  });
  await startButton(page).dblclick();
  await page.getByText('does not answer (Failed to fetch). Check the network').waitFor();
  assert.is(asked, 4);
  lost = 5;
  await start(page);
  await result(page).waitFor();
  assert.is(asked, 6);
  assert.is((await jobsOf(caller)).length, 1);
  assert.is(await chargedTo(caller), 1);
  await page.context().close();
});

test('a reload in mid-upload and a lost network lose nothing that was entered', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  await page.route('**/v1/uploads', () => {}, { times: 1 }); // no answer ever comes
  await choose(page, await picture('held.png'));
  await page.getByRole('radio', { name: '4×' }).check();
  await page.getByText('Uploading').waitFor();
  await isAccessible(page);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Cancel the upload' }).click();
  await page.getByText('Add a picture or a video to see the price.').waitFor();
  await page.getByRole('button', { name: 'Try the sample' }).click();
  await page.locator('.source').getByText('does not answer (Failed to fetch)').waitFor();
  await choose(page, at('held.png'));
  await page.locator('.sent').getByText('No connection').waitFor();
  await page.context().setOffline(false);
  await page.reload();
  await page.locator('bdi', { hasText: 'held.png' }).waitFor();
  await startButton(page).waitFor();
  assert.match((await page.locator('.price').textContent()) ?? '', /becomes 256 × 192/);
  assert.equal([await jobsOf(caller), await chargedTo(caller)], [[], 0]);
  await page.context().close();
});

test('a reload, or a link, shows the operation that was chosen; a text that is no value is told beside its field', async () => {
  const page = await opened(await service.caller(100));
  await page.getByRole('radio', { name: 'Lip sync' }).check();
  await page.reload();
  await page.getByText('Add a picture or a video and a recording to see the price.').waitFor();
  await page.goto(`${service.url}/?operation=upscale`);
  await page.getByText('More options').click();
  const quality = page.getByLabel('Quality');
  await quality.fill('101');
  await quality.press('Tab');
  await page.getByRole('alert').getByText('Quality: expected a number, 1 to 100.').waitFor();
  assert.is(await quality.getAttribute('aria-invalid'), 'true');
  await isAccessible(page);
  await quality.fill('90');
  await quality.press('Tab');
  await page.getByRole('alert').waitFor({ state: 'hidden' });
  assert.is(await quality.getAttribute('aria-invalid'), 'false');
  await page.context().close();
});

test('files that do not fit are told so: the large one before it is sent, the false one after', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  const uploads = uploadsOf(page);
  writeFileSync(at('long.mp4'), '');
  truncateSync(at('long.mp4'), 600_000_000);
  await choose(page, at('long.mp4'));
  await page
    .getByText('“long.mp4” has 600 MB; at most 524 MB are allowed. Nothing was sent.')
    .waitFor();
  writeFileSync(at('large.png'), Buffer.alloc(200_001, 1));
  await choose(page, at('large.png'));
  await page
    .getByText('“large.png” has 200 kB; at most 200 kB are allowed. Nothing was sent.')
    .waitFor();
  await choose(page, voice);
  await page.getByText('“voice.wav” is a sound.').waitFor();
  assert.equal(uploads, []);
  writeFileSync(at('false.png'), 'once upon a time');
  await choose(page, at('false.png'));
  const lists = (text: RegExp) => page.getByRole('alert').filter({ hasText: text }).waitFor();
  // The service names all that an upload may be; the page what may be the picture.
  await lists(
    /^This file cannot be used.*PNG.*MP4, MOV, AVI, WebM, MKV, MPEG, WMV, FLV, OGV, DV, MXF, animated GIF, PNG or WebP\); “false\.png” is text\.$/,
  );
  await isAccessible(page);
  // Sent again it would be refused again.
  await page.getByText('Choose another file to see the price.').waitFor();
  assert.is(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  copyFileSync(voice, at('unnamed'));
  await choose(page, at('unnamed'));
  await lists(/“unnamed” is something else/);
  assert.is(await startButton(page).count(), 0);
  await page.context().close();
});

test('a file that turns out to be broken, or too long, is told beside itself, and another one takes its place', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller, { viewport: { width: 1280, height: 900 } });
  writeFileSync(at('half.mp4'), readFileSync(clip).subarray(0, 20_000));
  await choose(page, at('half.mp4'));
  const told = page
    .locator('.source')
    .getByRole('alert')
    .filter({ hasText: 'the file is cut off' });
  await told.waitFor();
  assert.is(await told.isVisible(), true);
  const { y = 0, height = 0 } = (await told.boundingBox()) ?? {};
  assert.ok(y > 0 && y + height < 900, 'it is seen without scrolling');
  await page.locator('.price').getByText('Choose another file to see the price.').waitFor();
  assert.is(await page.getByRole('button', { name: 'Ask again' }).count(), 0);
  await isAccessible(page);
  await choose(page, await picture());
  await startButton(page).waitFor();
  assert.is(await page.getByRole('alert').count(), 0);
  await choose(page, voice);
  await page.getByText(/“voice\.wav” is a sound\. “picture-\d+\.png” stays\./).waitFor();
  await startButton(page).waitFor();

  await page.getByRole('radio', { name: 'Lip sync' }).check();
  const long = ['-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '301'];
  await choose(page, await makeClip(at('long.flac'), long), 1);
  await page.locator('.source').nth(-1).getByText('The sound may last at most 300 s').waitFor();
  await choose(page, voice, 1);
  await startButton(page).waitFor();
  assert.is(await page.getByRole('alert').count(), 0);
  await page.context().close();
});

test('a picture stays chosen when another operation is, and is sent once', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  const uploads = uploadsOf(page);
  await choose(page, await picture('kept.png'));
  await startButton(page).waitFor();
  await page.getByRole('radio', { name: 'Lip sync' }).check();
  await page.getByRole('img', { name: 'Preview of kept.png' }).waitFor();
  await page.getByText('Add a recording to see the price.').waitFor();
  await choose(page, voice, 1);
  await startButton(page).waitFor();
  assert.is(uploads.length, 2, 'the picture and the sound');
  await page.reload();
  await page.getByRole('img', { name: 'Preview of kept.png' }).waitFor();
  await page.getByText('voice.wav', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove kept.png' }).click();
  await choose(page, await picture('second.png'));
  await startButton(page).waitFor();
  const sent = uploads.length;
  await page.getByRole('radio', { name: 'Upscale' }).check();
  await page.getByRole('img', { name: 'Preview of second.png' }).waitFor();
  await startButton(page).waitFor();
  const deleted = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
  await page.getByRole('button', { name: 'Remove second.png' }).click();
  const answer = await deleted;
  assert.match(answer.url(), /\/v1\/uploads\/upl_\w+$/);
  assert.is(answer.status(), 200);
  await page.getByRole('radio', { name: 'Lip sync' }).check();
  await page.getByText('Add a picture or a video to see the price.').waitFor();
  await page.getByText('voice.wav', { exact: true }).waitFor();
  assert.is(uploads.length, sent, 'nothing is sent again for another operation');
  await page.context().close();
});

test('a file on its way goes on when another operation is chosen, and can be cancelled there', async () => {
  const page = await opened(await service.caller(100));
  const uploads = uploadsOf(page);
  const release = await holdBack(page, '**/v1/uploads');
  const underWay = page.getByRole('progressbar', { name: 'Upload of under-way.png' });
  await choose(page, await picture('under-way.png'));
  await underWay.waitFor();
  await page.getByRole('radio', { name: 'Lip sync' }).check();
  await page.getByText('Add a recording to see the price.').waitFor();
  await underWay.waitFor();
  await page.getByRole('radio', { name: 'Upscale' }).check();
  release();
  await startButton(page).waitFor();
  assert.is(uploads.length, 1, 'sent once');

  await page.getByRole('button', { name: 'Remove under-way.png' }).click();
  await page.unroute('**/v1/uploads');
  await holdBack(page, '**/v1/uploads');
  await choose(page, await picture('unwanted.png'));
  await page.getByRole('radio', { name: 'Lip sync' }).check();
  const stopped = page.waitForEvent('requestfailed');
  await page.getByRole('button', { name: 'Cancel the upload' }).click();
  assert.match((await stopped).url(), '/v1/uploads');
  await page.getByText('Add a picture or a video and a recording to see the price.').waitFor();
  // What is held back may still be on its way to the service.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
});

test('without credits the price says so, and the start is refused', async () => {
  const caller = await service.caller(0);
  const page = await opened(caller);
  await choose(page, await picture());
  await page
    .getByText('This costs 1 credit; the account has 0 credits. Ask the operator')
    .waitFor();
  await isAccessible(page);
  await start(page);
  await page.locator('[data-code=insufficient_credits]').waitFor();
  assert.is(await page.locator('.notice.bad').count(), 1, 'said once');
  assert.match(
    (await page.locator('[data-code=insufficient_credits]').textContent()) ?? '',
    /Ask the operator.*Charged: 0/s,
  );
  await isAccessible(page);
  assert.equal(await jobsOf(caller), []);
  await page.context().close();
});

test('a key that was revoked or has expired is asked for again, and nothing that was entered is lost', async () => {
  const caller = await service.caller(100);
  const other = await service.caller(100);
  const page = await opened(caller);
  await choose(page, await picture());
  await startButton(page).waitFor();
  const [own] = await service.keys.list(caller.account);
  await service.keys.revoke(own?.id ?? '');
  await page.getByRole('radio', { name: '4×' }).check();
  await page.getByText('The key is not known here, or was revoked.').waitFor();
  await isAccessible(page);
  await page.getByLabel('API key', { exact: true }).fill(other.key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  // The other account has no upload of the first one's, so the file is sent again.
  await startButton(page).waitFor();
  assert.match((await page.locator('.price').textContent()) ?? '', /becomes 256 × 192/);
  await page.getByText('100 credits', { exact: true }).waitFor();
  const [second] = await service.keys.list(other.account);
  await service.keys.rotate(second?.id ?? '', 0);
  await page.getByRole('radio', { name: '8×' }).check();
  await page.getByText('The key has expired. Enter another one; nothing is lost.').waitFor();
  await page.context().close();
});

test('names with HTML and of other directions are text, and break nothing at 360 px', async () => {
  const caller = await service.caller(1_000_000);
  const page = await opened(caller, {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  const name = `<img src=x onerror=alert(1)>\u202Egnp ${'long'.repeat(30)}.png`;
  await choose(page, await picture(name));
  await startButton(page).waitFor();
  await start(page);
  await result(page).waitFor();
  await holds(
    page,
    "(({ top }) => top > -1 && top < innerHeight / 2)(document.querySelector('#outcome').parentElement.getBoundingClientRect())",
  );
  await page.getByRole('button', { name: /^Open/ }).waitFor();
  assert.is(await page.locator('bdi', { hasText: '<img src=x onerror=alert(1)>' }).count(), 2);
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 360);
  const metadata = { '<b>order</b>': '<img src=y onerror=alert(2)>' };
  const told = { model: 'photo', scale: 2, metadata: JSON.stringify(metadata) };
  assert.is((await caller.upscale(at(name), told)).data.cached, true);
  await page.reload();
  await page.getByRole('button', { name: /^Open/ }).first().click();
  await page.getByText(/^Photo, 128/).click();
  await page.getByText('<b>order</b>', { exact: true }).waitFor();
  await page.getByText('<img src=y onerror=alert(2)>', { exact: true }).waitFor();
  const low = await page.evaluate(
    "[...document.querySelectorAll('button, a.button, select')].filter((one) => one.offsetParent && one.offsetHeight < 44).map((one) => one.textContent)",
  );
  assert.equal(low, []);
  await isAccessible(page);
  await page.context().close();
});

test('two models are compared; the history runs a job again, sends its result on, and deletes it', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  const answer = await holdBack(page, '**/v1/upscale/estimate');
  const asking = page.waitForRequest('**/v1/upscale/estimate');
  await choose(page, await picture('first.png'));
  await asking;
  await page.getByRole('radio', { name: 'Lip sync' }).check();
  answer();
  // The start is that of the form that is shown, whose price is not known.
  await page.getByText('Price: 1 credit.').waitFor();
  assert.is(await startButton(page).count(), 0);
  await page.getByRole('radio', { name: 'Upscale' }).check();
  await start(page);
  await result(page).waitFor();
  await page.getByRole('radio', { name: /^Animation/ }).check();
  await start(page);
  await page.getByRole('button', { name: 'Compare with Photo' }).click();
  await page.getByRole('slider', { name: 'Photo | result' }).waitFor();
  const pair =
    "Promise.all([...document.querySelectorAll('.pair img')].map(async (one) => { await one.decode(); return one.naturalWidth }))";
  assert.equal(await page.evaluate(pair), [128, 128]);
  await page.getByRole('button', { name: 'Remove first.png' }).click();
  await page
    .locator('#jobs')
    .getByRole('button', { name: /^Run again/ })
    .first()
    .click();
  await startButton(page).waitFor();
  const uploads = uploadsOf(page);
  const [asked] = await Promise.all([
    page.waitForRequest((request) => request.url().endsWith('/v1/lipsync/estimate')),
    page
      .getByRole('button', { name: 'Use in Lip sync' })
      .click()
      .then(() => choose(page, voice, 1)),
  ]);
  await page.getByRole('img', { name: 'Preview of animation-result.png' }).waitFor();
  const [before] = await jobsOf(caller);
  assert.is(asked.postDataJSON().image_url, before.result.output_url);
  assert.is(uploads.length, 1, 'the sound alone');
  assert.ok(Number(await page.evaluate("document.querySelector('.preview img').naturalWidth")));
  const remove = page
    .locator('#jobs')
    .getByRole('button', {
      name: /^Delete Upscale · \w+ · 2× · [-\w]+\.png [\d/]+, [\d:]+\s[AP]M$/,
    })
    .first();
  await remove.click();
  await page.getByRole('button', { name: 'Really delete?' }).click();
  await page.locator('#jobs').getByText('deleted').waitFor();
  const [job] = await jobsOf(caller);
  assert.is(job.result, null);
  await page.context().close();
});

const run = promisify(execFile);
test('the request as curl, TypeScript and Python does what the form does', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  await choose(page, await picture("it's.png"));
  await startButton(page).waitFor();
  await page.getByRole('button', { name: 'Copy as code' }).click();
  const code = async (name: string) =>
    (await page.getByLabel(name, { exact: true }).textContent()) ?? '';
  const options = { cwd: dir, env: { ...process.env, ENHANCE_API_KEY: caller.key } };
  // Node ends a request without an answer after 5 minutes, and a wait for the result ends after WAIT_LIMIT_SECONDS.
  for (const name of ['TypeScript', 'Python']) assert.match(await code(name), 'respond-async');
  const outputs = [
    (await run('bash', ['-c', await code('curl')], options)).stdout,
    (await run(process.execPath, ['--input-type=module', '-e', await code('TypeScript')], options))
      .stdout,
    (await run(places.python, ['-c', await code('Python')], options)).stdout,
  ];
  for (const output of outputs) assert.match(output, `${service.url}/v1/jobs/job_`);
  assert.is(await page.locator('#jobs li').count(), 0);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"); // as after a look at another tab
  await page.locator('#jobs li').first().waitFor();
  await page.locator('#credits', { hasText: '99 credits' }).waitFor();
  await page.context().close();
});

test('what is shown stays: a job that ends meanwhile, late answers and files that nobody sees any more', async () => {
  const caller = await service.caller(100);
  const page = await opened(caller);
  await choose(page, await picture('first.png'));
  await start(page);
  await result(page).waitFor();
  await service.worker.stop();
  await choose(page, await picture('second.png'));
  await page.getByRole('radio', { name: '4×' }).check();
  await start(page);
  await page.locator('#outcome').getByText('Waiting to start').waitFor();
  const row = (name: string) => page.locator('#jobs li', { hasText: name });
  await row('second.png').waitFor();
  assert.not.match((await row('second.png').textContent()) ?? '', /credit/, 'not charged yet');
  // The answer to the cancel comes when another job is shown already.
  const release = await holdBack(page, '**/cancel');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await row('first.png').getByRole('button', { name: /^Open/ }).click();
  await result(page).waitFor();
  const [answered] = await Promise.all([
    page.waitForResponse((one) => one.url().endsWith('/cancel')),
    release(),
  ]);
  await answered.finished();
  await row('second.png').getByText('cancelled').waitFor();
  assert.is(await result(page).isVisible(), true);
  await page.goBack();
  await page.locator('#outcome').getByText('The job was cancelled').waitFor();
  await page.goForward();
  await result(page).waitFor();
  // The row of a job that is not shown finds its end by itself: it asks every half second here, not every five, and is refused
  // at first, more often than the client repeats.
  const headers = { prefer: 'respond-async' };
  const third = await caller.upscale(await picture(), { model: 'animation', scale: 2 }, headers);
  await page.addInitScript(
    '{ const later = setTimeout; self.setTimeout = (work, ms, ...given) => later(work, ms / 10, ...given); }',
  );
  let refused = 0;
  await page.route(`**/v1/jobs/${third.data.id}`, async (route) => {
    refused += 1;
    const problem = { status: 429, code: 'rate_limited', retryable: true, detail: 'Too many.' };
    if (refused > 4) await route.continue();
    else await route.fulfill({ status: 429, json: problem, headers: { 'retry-after': '0' } });
  });
  await page.reload();
  await result(page).waitFor();
  const last = page.locator('#jobs li', { hasText: 'animation' });
  await last.getByText('waiting').waitFor();
  await caller.http.post(`/v1/jobs/${third.data.id}/cancel`);
  await last.getByText('cancelled').waitFor();
  await service.worker.start();
  await page.context().close();
});

test('on plain HTTP from another machine the page works, and says what browsers keep from it there', async () => {
  const caller = await service.caller(100);
  const page = await browser.open();
  await page.addInitScript(
    "self.urls = new Set(); for (const [name, note] of [['createObjectURL', 'add'], ['revokeObjectURL', 'delete']]) { const real = URL[name]; URL[name] = (given) => { const url = real.call(URL, given); urls[note](url ?? given); return url; }; }",
  );
  await page.goto(browser.lan);
  assert.is(await page.evaluate('isSecureContext'), false);
  const field = page.getByLabel('API key', { exact: true });
  await field.fill('mes_live_…');
  await page.getByRole('button', { name: 'Use this key' }).click();
  assert.is(await field.isVisible(), true, 'no header can hold it');
  await field.fill(caller.key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await sharp({ create: { width: 40, height: 30, channels: 3, background: '#c36' } })
    .tiff()
    .toFile(at('print.tiff'));
  await choose(page, at('print.tiff'));
  await page.getByText('This browser cannot show the file.').waitFor();
  await startButton(page).waitFor();
  await page.getByRole('button', { name: 'Copy as code' }).click();
  await page.getByText('Select the text to copy it').waitFor();
  assert.is(await page.getByRole('button', { name: 'Copy curl' }).count(), 0);
  await page.getByRole('radio', { name: '4×' }).check();
  await page.getByLabel('curl', { exact: true }).getByText("'scale=4'").waitFor();
  await startButton(page).waitFor();
  await start(page);
  await result(page).waitFor();
  await page.getByText('This browser cannot show the original.').waitFor();
  assert.is(await page.locator('.pair img').count(), 1);
  await isAccessible(page);
  await page.getByRole('button', { name: 'Remove print.tiff' }).click();
  await page.locator('#jobs').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Really delete?' }).click();
  await page.locator('#outcome').getByText('The media of this job was deleted.').waitFor();
  assert.is(await page.evaluate('urls.size'), 0, 'files that the browser still holds');
  await page.getByRole('radio', { name: 'Lip sync' }).check();
  await page.getByText('There is no recording here').waitFor();
  assert.is(await page.locator('option', { hasText: 'cut off' }).count(), 1);
  await page.context().close();
});

adminTests(test, { service, browser });

test('no page printed an error, or asked another server', () => {
  assert.equal(browser.faults, []);
});

test.after(async () => {
  await browser.close();
  await service.close();
});
test.run();
