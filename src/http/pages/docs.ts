/** The document as a page: Redoc, from its package and nothing else. */
import { createHash } from 'node:crypto';
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

/**
 * Redoc has light colours only, so in dark mode the page is inverted, hues kept; its panel of samples, which is dark anyway,
 * is inverted back.
 */
const style = `
body { margin: 0; }
@media (prefers-color-scheme: dark) {
  html { background: #fff; }
  html, .redoc-wrap > :last-child, [id^="operation/"] > div + div { filter: invert(0.9) hue-rotate(180deg); }
}
`;

export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Media enhancement API</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<noscript>This page needs JavaScript; the document itself is <a href="openapi.json">openapi.json</a>.</noscript>
<redoc spec-url="openapi.json"></redoc>
<script src="docs/redoc.js"></script>
</body>
</html>
`;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

/** The style sheet of the scroll bars in Redoc 2.5.4, which is written as text; all others are made empty and filled by rules. */
const scrollBars = 'QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc=';
const styles = [hashOf(style), hashOf(''), scrollBars].map((hash) => `'sha256-${hash}'`);

export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src ${styles.join(' ')}`,
  "img-src 'self' data:",
  'worker-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
