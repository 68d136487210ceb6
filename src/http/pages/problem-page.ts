/** The page of a failure's code. Pure. */
import { STATUS_CODES } from 'node:http';
import type { ProblemType } from '../../contract/failure.ts';
import { escapeHtml, htmlPage } from './html.ts';

export const problemPage = (told: ProblemType): string => {
  const { code, title, status, retryable, means, advice, example } = told;
  return htmlPage(
    `${title} (${code})`,
    `<h1>${escapeHtml(title)}</h1>
<p>${marked(means)}</p>
<dl>
<dt>Code</dt><dd><code>${escapeHtml(code)}</code></dd>
<dt>Status</dt><dd>${status} ${STATUS_CODES[status] ?? ''}</dd>
<dt>Send it again?</dt><dd>${retryable ? 'Yes: the same request may succeed later.' : 'No: the same request fails again.'}</dd>
</dl>
<h2>What to do</h2>
<p>${marked(advice)}</p>
<h2>Example</h2>
<pre><code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre>
<p><a href="../docs">API description</a></p>`,
  );
};

/** Text whose \`code\` is set apart. */
const marked = (text: string): string =>
  escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
