/** The document as a page. It is for browsers, so the document does not tell of it. */
import { z } from 'zod';
import { docsPage, docsPolicy, readRedoc } from '../pages/docs.ts';
import { openRoute } from '../route.ts';

export const getDocs = openRoute({
  method: 'get',
  path: '/docs',
  summary: 'This contract as a page',
  // What links in mails and posts add, such as utm_source, is no fault.
  query: z.looseObject({}),
  answer: { status: 200, type: 'text/html' },
  fails: [],
  handle: async ({ ctx }) => {
    ctx.set('Content-Security-Policy', docsPolicy);
    ctx.type = 'text/html';
    return docsPage;
  },
});

export const docsScriptRoute = () => {
  let script: Promise<string> | undefined;
  return openRoute({
    method: 'get',
    path: '/docs/redoc.js',
    summary: 'What draws the page',
    answer: { status: 200, type: 'text/javascript' },
    fails: [],
    handle: async ({ ctx }) => {
      script ??= readRedoc();
      ctx.set('Cache-Control', 'public, max-age=86400');
      ctx.type = 'text/javascript';
      return script;
    },
  });
};
