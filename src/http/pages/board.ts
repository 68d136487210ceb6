/**
 * Bull Board at /board: what is in Bull's queues. Read-only, as what a ticket starts is decided in Redis (decision 26), and
 * as a browser sends the session or the password by itself, whatever page asks it to.
 */
import { createBullBoard } from '@bull-board/api';
import { BullAdapter } from '@bull-board/api/bullAdapter';
import { KoaAdapter } from '@bull-board/koa';
import { z } from 'zod';
import { Failure } from '../../errors.ts';
import type { Context } from '../context.ts';
import type { Parts } from '../parts.ts';
import { type Http, openRoute, type Route } from '../route.ts';
import { hasBoardSession } from './board-session.ts';

const path = '/board';
const headers = {
  // Its style sheets and icons are its own; it sets styles on its elements.
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-cache',
};

type Board = ReturnType<KoaAdapter['registerPlugin']>;

const openBoard = ({ bullQueues, config }: Pick<Parts, 'bullQueues' | 'config'>): Board => {
  const serverAdapter = new KoaAdapter().setBasePath(`${config.http.publicPath}${path}`);
  createBullBoard({
    queues: bullQueues.queues().map((queue) => new BullAdapter(queue, { readOnlyMode: true })),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'enhance: queues', hideRedisDetails: true } },
  });
  return serverAdapter.registerPlugin({ mount: path });
};

/**
 * A visitor who comes from the admin tab has a session. The browser asks everybody else for a name, which does not matter, and
 * a password: a key with the scope `admin`, or ADMIN_KEY.
 */
const admit = async ({ ctx, authenticate }: Http, parts: Parts): Promise<void> => {
  if (await hasBoardSession(ctx, parts)) return;
  const [, encoded = ''] = /^Basic (\S+)$/i.exec(ctx.get('authorization')) ?? [];
  const password = Buffer.from(encoded, 'base64')
    .toString()
    .replace(/^[^:]*:/, '');
  if (password !== '') ctx.req.headers.authorization = `Bearer ${password}`;
  try {
    await authenticate('admin');
  } catch (error) {
    if (error instanceof Failure && error.status === 401)
      throw new Failure(error.code, { ...error.facts, challenge: 'Basic realm="admin key"' });
    throw error;
  }
};

/** Its page names a font of another host, which the policy would refuse with an error in the console. */
const ownFonts = (ctx: Context): void => {
  if (typeof ctx.body === 'string')
    ctx.body = ctx.body.replace(/<link href="https:\/\/fonts[^>]*>/, '');
};

/** Opened when it is asked for first: few ever ask. */
export const boardRoutes = (): readonly Route[] => {
  let board: Board | undefined;
  return [path, `${path}/*rest`].map((pattern) =>
    openRoute({
      method: 'get',
      path: pattern,
      summary: 'The queues, for the admin scope',
      params: z.looseObject({}),
      query: z.looseObject({}),
      answer: { status: 200, type: 'text/html' },
      fails: ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'insufficient_scope'],
      handle: async (http, parts) => {
        const { ctx } = http;
        await admit(http, parts);
        board ??= openBoard(parts);
        ctx.set(headers);
        await board(ctx, async () => {});
        ownFonts(ctx);
        return ctx.body;
      },
    }),
  );
};
