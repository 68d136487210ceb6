/** Small HTML pages without scripts, and the policy that holds them to that. Pure. */
import { createHash } from 'node:crypto';

/** Text in HTML, be it content or the value of an attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
pre { padding: 1rem; border: 1px solid GrayText; border-radius: 6px; white-space: pre-wrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1.5rem; }
dt { font-weight: 600; }
dd { margin: 0; }
`;

/** `body` is HTML. */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

const styleHash = createHash('sha256').update(style).digest('base64');

export const htmlPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
