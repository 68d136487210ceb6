/** The pages for people: the document at /docs in a real browser, and what each error means. */
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProblemType } from '../../src/contract/failure.ts';
import { failures } from '../../src/errors.ts';
import { realApi } from './api.ts';
import { refused } from './told.ts';

const test = suite('pages of the document and of errors');
const api = await realApi();
const http = api.client();
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium-headless-shell',
  // The tests run as root in a container, where Chromium's own sandbox cannot be made.
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
const within = { timeout: 60_000 };
/** As curl asks, which takes anything. */
const anything = { headers: { accept: '*/*' } };

/** Opens a page; answers what the browser complained of, and whom it asked. */
const open = async (path: string) => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => hosts.add(new URL(request.url()).origin));
  await page.goto(`${api.url}${path}`, within);
  return { page, complaints, hosts };
};

test('/docs shows operations, can be searched, and asks nobody else', async () => {
  const { page, complaints, hosts } = await open('/docs?utm_source=mail');
  await page.getByRole('heading', { name: 'Enlarge an image or a video' }).first().waitFor(within);
  // The fields of a body, beside the choice of its source.
  await page.getByText('how many times as wide').first().waitFor(within);
  // The index is made by a worker.
  await page.getByPlaceholder('Search...').fill('cancel');
  const found = page.locator('[data-role="search:results"]');
  await found.getByText('Cancel a job').waitFor(within);
  assert.equal(complaints, []);
  assert.equal(
    [...hosts].filter((one) => one !== 'null'),
    [api.url],
  );
  await page.close();
});

test('/docs is dark where its reader wants it so, with its samples', async () => {
  for (const colorScheme of ['dark', 'light'] as const) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, colorScheme });
    await page.goto(`${api.url}/docs`, within);
    await page.getByText('how many times as wide').first().waitFor(within);
    const { data, info } = await sharp(await page.screenshot())
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    // Beside the index, the text and the samples.
    const lightness = [5, 930, 1390].map((x) => data[x + 890 * info.width] ?? 0);
    const isDark = lightness.map((value) => value < 100);
    assert.equal(isDark, colorScheme === 'dark' ? [true, true, true] : [false, false, true]);
    await page.close();
  }
});

test('who opens a wrong address in a browser reads why, and programs get JSON', async () => {
  const { page, hosts } = await open('/nothing');
  await page.getByRole('heading', { name: 'Not found' }).waitFor(within);
  await page.getByText('There is no resource /nothing.').waitFor(within);
  assert.equal([...hosts], [api.url]);
  await page.getByRole('link', { name: 'What this means' }).click();
  await page.getByRole('heading', { name: 'What to do' }).waitFor(within);
  await page.close();
  for (const accept of ['*/*', 'text/html']) {
    const { headers, data } = await http.get('/nothing', { headers: { accept } });
    assert.match(String(headers['content-type']), 'application/problem+json');
    assert.is(data.code, 'not_found');
  }
});

test('the policy of /docs lets in nothing from elsewhere and no script or style in line', async () => {
  const { headers } = await http.get('/docs');
  const policy = String(headers['content-security-policy']);
  assert.not.match(policy, /unsafe|https?:|\*/);
  assert.match(policy, "default-src 'none'");
});

test('every code has a page with what it means, what to do, and an example of itself', async () => {
  const { components } = (await http.get('/openapi.json')).data;
  const described = new RegExp(components.schemas.Problem.properties.type.pattern);
  for (const [code, { status, retryable }] of Object.entries(failures)) {
    const options = { headers: { accept: 'application/json' } };
    const told = ProblemType.parse((await http.get(`/problems/${code}`, options)).data);
    assert.equal([told.code, told.status, told.retryable], [code, status, retryable]);
    assert.is(told.example.type, `/problems/${code}`);
    assert.match(told.example.type, described);
    // A fact that the example forgets would be told as "undefined".
    assert.not.match(told.example.detail, /undefined|NaN|null/, code);
    const page = (await http.get(told.example.type, anything)).data;
    assert.match(page, '<!doctype html>');
    assert.match(page, `<code>${code}</code>`);
  }
});

test('the page of an error has no script, and a policy that forbids all of them', async () => {
  const { page, complaints } = await open('/problems/validation_failed');
  await page.getByRole('heading', { name: 'What to do' }).waitFor(within);
  assert.is(await page.evaluate('getComputedStyle(document.body).maxWidth'), '704px');
  assert.equal(complaints, []);
  await page.close();
  const { headers, data } = await http.get('/problems/validation_failed', anything);
  assert.not.match(data, '<script');
  assert.match(
    String(headers['content-security-policy']),
    /^default-src 'none'; style-src 'sha256-/,
  );
  assert.match(String(headers.vary), 'Accept');
});

test('the example of a fault is what the API says of it', async () => {
  const { http: caller } = await api.caller();
  const url = 'https://media.example.com/a.png';
  const answer = await caller.post('/v1/upscale', { model: 'photo', scale: 3, image_url: url });
  const { data } = await http.get('/problems/validation_failed', {
    headers: { accept: 'application/json' },
  });
  assert.equal(answer.data.errors, data.example.errors);
  assert.is(answer.data.detail, data.example.detail);
});

test('an unknown code is a 404', async () => {
  refused(await http.get('/problems/nothing'), 404, 'not_found');
  refused(await http.get('/problems/toString'), 404, 'not_found');
});

test.after(async () => {
  await browser.close();
  await api.close();
});
test.run();
