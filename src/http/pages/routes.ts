/** The routes of the page at `/`. They are for browsers, so the OpenAPI document does not have them. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Failure } from '../../errors.ts';
import { unlessGone } from '../../storage/unless-gone.ts';
import { openRoute, type Route } from '../route.ts';
import { mayHaveKey } from './development-key.ts';
import { pageHeaders } from './policy.ts';
import { serveAsset } from './serve-asset.ts';

const page = openRoute({
  method: 'get',
  path: '/',
  summary: 'The playground',
  // What links in mails and posts add, such as utm_source, is no fault.
  query: z.looseObject({}),
  answer: { status: 200, type: 'text/html' },
  fails: [],
  handle: async ({ ctx }, { page, config }) => {
    ctx.set({ ...pageHeaders(config, ctx.hostname), 'Cache-Control': 'no-cache' });
    return serveAsset(ctx, page.html);
  },
});

const asset = openRoute({
  method: 'get',
  path: '/assets/:name',
  summary: 'A file of the playground, under a name that holds its hash',
  params: z.strictObject({ name: z.string() }),
  answer: { status: 200 },
  fails: ['not_found'],
  handle: async ({ ctx, params }, { page }) => {
    const found = page.assets.get(params.name);
    if (!found) throw new Failure('not_found', { what: 'file of the page with this name' });
    ctx.set('Cache-Control', 'public, immutable, max-age=31536000');
    return serveAsset(ctx, found);
  },
});

const developmentKey = openRoute({
  method: 'get',
  path: '/playground/key',
  summary: 'The development key of npm start, for the playground on the same machine; else null',
  answer: { status: 200, type: 'application/json' },
  fails: [],
  handle: async ({ ctx }, { config }) => {
    const { developmentKeyPath: path, trustedProxies } = config.http;
    const { headers, socket } = ctx.req;
    const may = mayHaveKey({ headers, trustedProxies, remoteAddress: socket.remoteAddress });
    const key = path && may ? await unlessGone(readFile(path, 'utf8')) : null;
    return { key: key?.trim() || null };
  },
});

export const pageRoutes: readonly Route[] = [page, asset, developmentKey];
