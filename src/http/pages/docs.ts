/** The document as a page: Redoc, from its package and nothing else. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const bundle = 'redoc/bundles/redoc.standalone.js';
/** A picture that Redoc would load from its maker's server; without it there is none. */
const foreignLogo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

export const readRedoc = async (): Promise<string> => {
  const script = await readFile(createRequire(import.meta.url).resolve(bundle), 'utf8');
  if (!script.includes(foreignLogo)) throw new Error(`expected ${foreignLogo} in ${bundle}`);
  return script.replaceAll(foreignLogo, 'data:,');
};

export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Media enhancement API</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript; the document itself is <a href="openapi.json">openapi.json</a>.</noscript>
<redoc spec-url="openapi.json"></redoc>
<script src="docs/redoc.js"></script>
</body>
</html>
`;

export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'worker-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
