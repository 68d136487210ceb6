/** The page for a person whose browser opened an address and was refused, as when the result is gone or there is no such page. */
import type { Next } from 'koa';
import { Problem } from '../../contract/failure.ts';
import type { Context } from '../context.ts';
import type { Parts } from '../parts.ts';
import { escapeHtml, htmlPage, htmlPolicy } from './html.ts';

/** Only for a browser that goes to the address itself, which it says; all others get problem+json, whatever they accept. */
export const refusalPages =
  ({ config }: Pick<Parts, 'config'>) =>
  async (ctx: Context, next: Next): Promise<void> => {
    await next();
    if (ctx.type !== 'application/problem+json' || ctx.get('sec-fetch-mode') !== 'navigate') return;
    ctx.body = pageOf(Problem.parse(ctx.body), config.http.publicUrl);
    ctx.type = 'text/html; charset=utf-8';
    ctx.set('Content-Security-Policy', htmlPolicy);
  };

const pageOf = ({ title, detail, type, request_id }: Problem, publicUrl: string): string =>
  htmlPage(
    title,
    `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(detail)}</p>
<p><a href="${escapeHtml(publicUrl)}${escapeHtml(type)}">What this means</a>, <a href="${escapeHtml(publicUrl)}/">the playground</a></p>
<p><small>Request <code>${escapeHtml(request_id)}</code></small></p>`,
  );
