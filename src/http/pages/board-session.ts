/**
 * Lets a browser look at Bull Board for an hour: a signed cookie, as a link sends no Authorization header. It is sent to
 * /board alone, never because of another site's page, and no script can read it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from '../context.ts';
import { operator, type Parts } from '../parts.ts';

type Used = Pick<Parts, 'config' | 'keys'>;

const cookie = 'board-session';
const LIFE_MS = 3_600_000;

/** Sets the cookie; answers when it ends (ms since 1970). */
export const startBoardSession = (ctx: Context, keyId: string, { config }: Used): number => {
  const expiresAtMs = Date.now() + LIFE_MS;
  const signed = `${keyId}.${expiresAtMs}`;
  // Not by how this request came: a proxy may speak plain HTTP with the API.
  ctx.cookies.secure = config.http.publicUrl.startsWith('https:');
  ctx.cookies.set(cookie, `${signed}.${sign(signed, config).toString('base64url')}`, {
    path: `${config.http.publicPath}/board`,
    httpOnly: true,
    sameSite: 'strict',
    maxAge: LIFE_MS,
  });
  return expiresAtMs;
};

/** It ends with the key that it was made with. */
export const hasBoardSession = async (ctx: Context, { config, keys }: Used): Promise<boolean> => {
  const [keyId = '', expires = '', signature = ''] = (ctx.cookies.get(cookie) ?? '').split('.');
  const [came, made] = [Buffer.from(signature, 'base64url'), sign(`${keyId}.${expires}`, config)];
  if (came.length !== made.length || !timingSafeEqual(came, made)) return false;
  if (Number(expires) <= Date.now()) return false;
  if (keyId === operator.keyId) return true;
  return (await keys.working(keyId))?.scopes.includes('admin') ?? false;
};

/** With ADMIN_KEY in it, so that another one ends the sessions of the one before. */
const sign = (text: string, { secrets }: Parts['config']): Buffer =>
  createHmac('sha256', secrets.signing)
    .update(`board\n${text}\n${secrets.adminKey ?? ''}`)
    .digest();
