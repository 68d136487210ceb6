/**
 * Takes the pictures of the playground in docs/playground: the service as it is, the sample (NASA, public domain) and a
 * drawn picture, a sound that ffmpeg makes. Ends with 1 when the page prints an error.
 * usage: node --import tsx bench/playground.ts [FOLDER [NAME …]]   (without names all of them)
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { realBrowser } from '../tests/real/browser.ts';
import { tempDir } from '../tests/real/run.ts';
import { realService } from '../tests/real/service.ts';
import { sounds } from '../tests/real/sounds.ts';
import { lipsyncNames, realTriton } from '../tests/real/triton.ts';

const [folder = 'docs/playground', ...named] = process.argv.slice(2);
const dir = tempDir('pictures');
mkdirSync(folder, { recursive: true });
const voice = await sounds.babble(join(dir, 'voice.wav'), 1.5);
const hills = join(dir, 'hills.png');
await sharp(
  Buffer.from(
    '<svg width="320" height="200"><rect width="320" height="200" fill="#9cf"/><circle cx="80" cy="190" r="90" fill="#4a6"/><circle cx="220" cy="230" r="130" fill="#285"/></svg>',
  ),
)
  .png()
  .toFile(hills);
const service = await realService(
  { PROVENANCE: 'on' },
  realTriton(['photo', 'animation', 'detail', ...lipsyncNames('fast', 'balanced', 'studio')]),
);
const browser = await realBrowser(new URL(service.url).origin);

const desktop = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 360, height: 780 }, isMobile: true };
const dark = { colorScheme: 'dark' } as const;

const opened = async (options: BrowserContextOptions, credits = 1_000): Promise<Page> => {
  const { key } = await service.caller(credits);
  const page = await browser.open(options);
  await page.goto(service.url);
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByText('What would you like to do?').waitFor();
  return page;
};
const sample = (page: Page) => page.getByRole('button', { name: 'Try the sample' }).click();
const start = (page: Page) => page.getByRole('button', { name: /^Start for/ }).click();
const download = (page: Page) => page.getByRole('link', { name: /^Download/ }).waitFor();
const take = async (page: Page, name: string): Promise<void> => {
  await page.mouse.move(0, 0);
  await page.evaluate('scrollTo(0, 0)');
  // The pictures are there only when they are decoded.
  await page.evaluate('Promise.all([...document.images].map((one) => one.decode()))');
  const path = join(folder, `${name}.jpg`);
  await page.screenshot({ path, fullPage: true, type: 'jpeg', quality: 80 });
  await page.context().close();
};

const pictureJob = async (page: Page): Promise<void> => {
  await sample(page);
  await start(page);
  await download(page);
};
const lipsyncForm = async (page: Page, picture: (page: Page) => Promise<void>): Promise<void> => {
  await page.getByRole('radio', { name: 'Lip sync' }).check();
  await picture(page);
  await page.locator('input[type=file]').nth(1).setInputFiles(voice);
};
const lipsyncJob = async (page: Page): Promise<void> => {
  await lipsyncForm(page, sample);
  await start(page);
  await download(page);
  await page.getByRole('slider', { name: 'Time' }).fill('0.6');
  await page.getByText('Content credentials: signed').click();
};

const shots: Readonly<Record<string, () => Promise<Page>>> = {
  picture: async () => {
    const page = await opened(desktop);
    await pictureJob(page);
    return page;
  },
  'picture-dark': async () => {
    const page = await opened({ ...desktop, ...dark });
    await pictureJob(page);
    await page.getByRole('button', { name: 'Copy as code' }).click();
    return page;
  },
  'lip-sync': async () => {
    const page = await opened(desktop);
    await lipsyncJob(page);
    return page;
  },
  phone: async () => {
    const page = await opened({ ...phone, ...dark });
    await lipsyncJob(page);
    return page;
  },
  error: async () => {
    const page = await opened(desktop);
    await lipsyncForm(page, (form) => form.locator('input[type=file]').nth(0).setInputFiles(hills));
    await start(page);
    await page.locator('[data-code=no_face_detected]').waitFor();
    return page;
  },
  'no-credits': async () => {
    const page = await opened(desktop, 0);
    await sample(page);
    await page.getByText('Not enough credits').waitFor();
    await start(page);
    await page.locator('[data-code=insufficient_credits]').waitFor();
    return page;
  },
};
for (const [name, shot] of Object.entries(shots))
  if (named.length === 0 || named.includes(name)) await take(await shot(), name);

await browser.close();
await service.close();
if (browser.faults.length > 0) throw new Error(browser.faults.join('\n'));
