/** The admin tab, in the browser and over the service of the playground's tests. */
import { rmSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { openRegistry } from '../../src/models/registry.ts';
import { added } from '../../src/models/state.ts';
import { operations } from '../../src/operations/all.ts';
import { slotForms } from '../../src/operations/catalogue-entries.ts';
import { holdBack, isAccessible, type realBrowser } from '../real/browser.ts';
import type { RealService } from '../real/service.ts';
import { shippedPhoto } from '../real/shipped-photo.ts';
import { until } from '../real/until.ts';

type Used = {
  readonly service: RealService;
  readonly browser: Awaited<ReturnType<typeof realBrowser>>;
};

const text = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().click();
/** In the question that was just asked. */
const agree = (page: Page, verb: string) =>
  page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
const fill = (page: Page, label: string, value: string) =>
  page.locator('#admin').getByLabel(label, { exact: true }).fill(value);
const open = async (page: Page, key: string): Promise<void> => {
  await fill(page, 'Admin key', key);
  await press(page, 'Open');
};
const go = (page: Page, section: string) =>
  page.getByRole('link', { name: section, exact: true }).click();

export const adminTests = (test: Test, { service, browser }: Used): void => {
  test('the admin tab tells callers and wrong keys from the operator, and is loaded for who opens it', async () => {
    const caller = await service.caller(10);
    const page = await browser.open();
    const scripts: string[] = [];
    page.on('request', (request) => void scripts.push(new URL(request.url()).pathname));
    await page.goto(service.url);
    await page.getByLabel('API key', { exact: true }).fill(caller.key);
    await press(page, 'Use this key');
    await text(page, '10 credits');
    const isAdminCode = (path: string) => path.startsWith('/assets/admin-');
    assert.is(scripts.some(isAdminCode), false);
    assert.is(await page.locator('#tabs').isVisible(), false);
    await page.getByRole('link', { name: 'For the operator' }).click();
    await text(page, 'How is an admin key made?');
    assert.is(scripts.some(isAdminCode), true);
    await open(page, 'mes_live_x_y');
    await text(page, 'The key is not known here, or was revoked.');
    await open(page, caller.key);
    await text(page, 'The key has the scopes create and read. This tab needs a key with the scope');
    await isAccessible(page);
    await open(page, service.adminKey ?? '');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.getByRole('link', { name: 'Playground' }).click();
    await text(page, 'What would you like to do?');
    await page.context().close();
  });

  test('under npm start the tab is there, and says that the development key is not enough', async () => {
    const { key, account } = await service.caller(10);
    const path = service.config.http.developmentKeyPath ?? '';
    writeFileSync(path, key);
    const page = await browser.open();
    await page.goto(service.url);
    // Who presses the button is asked, and not given the development key back.
    for (const other of [await service.caller(20), await service.caller(30)]) {
      await press(page, 'API key');
      await page.getByLabel('API key', { exact: true }).fill(other.key);
      await press(page, 'Use this key');
      await text(page, `${(await other.balance()).balance} credits`);
    }
    // Nor is a mistyped key replaced by it without a word.
    await press(page, 'API key');
    await page.getByLabel('API key', { exact: true }).fill('mes_live_x_y');
    await press(page, 'Use this key');
    await text(page, 'The key is not known here, or was revoked.');
    await press(page, 'Not now');
    await text(page, '10 credits');
    await page.getByRole('link', { name: 'Admin', exact: true }).click();
    await text(page, 'How is an admin key made?');
    rmSync(path);
    await service.keys.create({ account, scopes: ['admin'] }).then(({ key }) => open(page, key));
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.context().close();
  });

  test('keys are made, shown once and revoked; credits are granted and told in the ledger', async () => {
    const operator = await service.keys.create({ account: 'operators', scopes: ['admin'] });
    const late = await service.keys.create({ account: 'shop', name: 'late', expiresInSeconds: 1 });
    const expiredBy = Date.now() + 1_000;
    const page = await browser.open({ viewport: { width: 360, height: 740 }, isMobile: true });
    await page.goto(service.url);
    await page.getByLabel('API key', { exact: true }).fill(operator.key);
    // The playground is not for this key, so the other tab opens.
    await press(page, 'Use this key');
    await page.getByText('New key', { exact: true }).click();
    await fill(page, 'Account of the key', 'shop');
    await fill(page, 'Name', '<img src=x onerror=alert(1)>');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const secret = (await page.locator('.secret').textContent()) ?? '';
    const client = { headers: { authorization: `Bearer ${secret}` } };
    const own = async () => (await fetch(`${service.url}/v1/key`, client)).status;
    assert.is(await own(), 200);
    await isAccessible(page);
    await fill(page, 'Account', 'shop');
    await until('the late key has expired', () => Date.now() > expiredBy);
    await press(page, 'Show its keys');
    await page.getByRole('button', { name: `Revoke ${operator.id}` }).waitFor({ state: 'hidden' });
    const rows = page.locator('#admin li');
    assert.is(await rows.count(), 2);
    assert.match((await rows.filter({ hasText: 'late' }).textContent()) ?? '', / · expired /);
    assert.is(await page.getByRole('button', { name: `Revoke ${late.id}` }).count(), 0);
    await rows.filter({ hasText: '<img' }).getByRole('button', { name: 'Revoke' }).click();
    await isAccessible(page);
    await agree(page, 'Revoke');
    await text(page, 'is revoked.');
    assert.is(await own(), 401);

    await go(page, 'Credits');
    await page.getByRole('button', { name: 'Grant credits to shop' }).click();
    await page.getByRole('spinbutton', { name: 'Credits' }).fill('1200');
    await fill(page, 'Note', 'invoice 7');
    await press(page, 'Grant the credits');
    await text(page, 'shop has 1,200 credits now.');
    assert.is((await service.ledger.balance('shop')).balance, 1200);
    await fill(page, 'Account to show', 'shop');
    await press(page, 'Show its credits');
    await page
      .getByRole('button', { name: /^Ledger of (?!shop$)/ })
      .first()
      .waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Ledger of shop' }).click();
    await text(page, /\+1,200 credits · invoice 7/);
    await isAccessible(page);
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 360);
    await service.keys.revoke(operator.id);
    await go(page, 'Keys');
    await text(page, 'The key is not known here, or was revoked.');
    await page.context().close();
  });

  test('a release is tried, promoted and taken back; the queue and Bull Board are a click away', async () => {
    const registry = openRegistry(service.stores, operations.flatMap(slotForms));
    const release = { models: { photo: 'photo' } };
    await registry.change('photo', (state) => added(state, 'r2', release), null);
    const page = await browser.open({ colorScheme: 'dark' });
    await page.goto(`${service.url}/#admin/models`);
    await open(page, service.adminKey ?? '');
    await press(page, 'Try photo@r2');
    await page.getByLabel('Percent of new jobs').fill('20');
    await isAccessible(page);
    await agree(page, 'Start the trial');
    await text(page, `New jobs get ${shippedPhoto.name}; 20 % of them get photo@r2.`);
    await press(page, 'Promote photo@r2');
    await agree(page, 'Cancel');
    assert.is((await registry.read('photo')).stable, shippedPhoto.release);
    await press(page, 'Promote photo@r2');
    await agree(page, 'Promote');
    await text(page, 'New jobs get photo@r2.');
    await press(page, new RegExp(`^Roll back to ${shippedPhoto.name}`));
    await agree(page, `Roll back to ${shippedPhoto.name}`);
    await text(page, `New jobs get ${shippedPhoto.name}.`);
    await text(page, 'away from photo@r2');
    assert.is((await registry.read('photo')).stable, shippedPhoto.release);
    const answer = await holdBack(page, '**/v1/admin/models/check');
    await press(page, 'Check photo@r2');
    await page.getByRole('status').getByText('Checking photo@r2 …').waitFor();
    // The list is made anew meanwhile.
    await go(page, 'Queue');
    await go(page, 'Models');
    const checked = page.locator('[aria-busy=true]', { hasText: 'Checking photo@r2 …' });
    await checked.waitFor();
    assert.is(await checked.getByRole('button', { name: 'Check photo@r2' }).isDisabled(), true);
    await isAccessible(page);
    answer();
    await page.locator('[data-code=release_refused]').waitFor();
    assert.is(await page.getByRole('button', { name: 'Check photo@r2' }).isDisabled(), false);
    await press(page, 'Unload photo@r2');
    await page.getByLabel('Delete its files too').check();
    await agree(page, 'Unload');
    await text(page, 'photo@r2 is unloaded.');
    assert.is((await registry.read('photo')).releases.r2, undefined);
    await isAccessible(page);

    await go(page, 'Queue');
    // Of both queues.
    await page
      .getByText(/ · 1 worker$/)
      .nth(1)
      .waitFor();
    await isAccessible(page);
    await page.getByRole('link', { name: 'Open Bull Board' }).click();
    await page.waitForURL('**/board');
    await text(page, 'webhooks');
    await page.context().close();
  });
};
