import { z } from 'zod';
import { ProblemType } from '../../contract/failure.ts';
import { Failure, isFailureCode } from '../../errors.ts';
import { htmlPolicy } from '../pages/html.ts';
import { explain } from '../pages/problem-notes.ts';
import { problemPage } from '../pages/problem-page.ts';
import { openRoute } from '../route.ts';

const html = 'text/html';
const Params = z.strictObject({ code: z.string().describe('such as `rate_limited`') });

/** Where `type` of a problem leads. */
export const getProblemType = openRoute<
  typeof Params,
  z.ZodObject,
  z.ZodObject,
  ProblemType | string
>({
  method: 'get',
  path: '/problems/:code',
  operationId: 'getProblemType',
  tag: 'Service',
  summary: 'What the code of an error means, and what to do',
  description: 'A page for people; JSON for `Accept: application/json`.',
  params: Params,
  answer: { status: 200, body: ProblemType, type: html, example: explain('rate_limited') },
  fails: ['not_found'],
  handle: async ({ ctx, params: { code } }) => {
    if (!isFailureCode(code)) throw new Failure('not_found', { what: 'error with this code' });
    ctx.vary('Accept');
    ctx.set('Cache-Control', 'public, max-age=3600');
    if (ctx.accepts('html', 'json') === 'json') return explain(code);
    ctx.set('Content-Security-Policy', htmlPolicy);
    ctx.type = html;
    return problemPage(explain(code));
  },
});
