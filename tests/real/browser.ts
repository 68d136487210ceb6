/** Chromium without windows, as Debian packs it, with pages that note what they must not do. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import * as assert from 'uvu/assert';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * `origin`: the only server that a page may ask. `lan` is the same one as another machine of the network sees it: plain HTTP
 * under a name, where browsers give a page neither clipboard nor microphone.
 */
export const realBrowser = async (origin: string) => {
  const lan = `http://lan.test:${new URL(origin).port}`;
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: [
      // The tests run as root in a container, where Chromium's own sandbox cannot be made.
      ...['--no-sandbox', '--disable-dev-shm-usage', '--mute-audio'],
      // Its GPU emulated in software takes a tenth more processor time than drawing without one.
      ...['--disable-gpu', '--disable-software-rasterizer'],
      '--host-resolver-rules=MAP lan.test 127.0.0.1',
      ...['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    ],
  });
  const faults: string[] = [];
  return {
    faults,
    lan,
    open: async (options: BrowserContextOptions = {}): Promise<Page> => {
      const context = await browser.newContext({ acceptDownloads: true, ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      // As on a page that is neither https nor of this machine itself.
      await page.addInitScript('delete Crypto.prototype.randomUUID');
      page.on('pageerror', (error) => faults.push(`error: ${error}`));
      page.on('dialog', (dialog) => faults.push(`dialog: ${dialog.message()}`));
      page.on('console', (message) => {
        // Chromium's own note of a call that was refused, or found no API, and of a test that took the network away; the
        // page then explains it.
        const isRefusal =
          message.text().startsWith('Failed to load resource') &&
          (/^https?:\/\/[^/]+\/v1\//.test(message.location().url) ||
            message.text().endsWith('net::ERR_INTERNET_DISCONNECTED'));
        if (['error', 'warning'].includes(message.type()) && !isRefusal)
          faults.push(`console: ${message.text()}`);
      });
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (/^https?:$/.test(url.protocol) && ![origin, lan].includes(url.origin))
          faults.push(`request to ${url.origin}`);
      });
      return page;
    },
    close: () => browser.close(),
  };
};

/** Keeps the answers to requests of these addresses from the page until the returned function is called. */
export const holdBack = async (page: Page, addresses: string): Promise<() => void> => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(addresses, async (route) => {
    const response = await route.fetch();
    await released;
    await route.fulfill({ response });
  });
  return () => release();
};

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** Nothing that axe-core knows of is wrong with the page as it is now. Only violations leave the page: the rest is 600 kB of JSON. */
export const isAccessible = async (page: Page): Promise<void> => {
  const violations: readonly Violation[] = await page.evaluate(
    `${axe}\naxe.run({ resultTypes: ['violations'] }).then((found) => found.violations)`,
  );
  const told = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  assert.equal(told, []);
};
