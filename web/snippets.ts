/** Programs that send a request as multipart/form-data. Pure. */

export type Call = {
  readonly url: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The part's name and the path of the file. */
  readonly files: readonly (readonly [part: string, path: string])[];
};

export const curl = ({ url, fields, files }: Call): string =>
  [
    `curl --fail-with-body ${quoted(url)}`,
    '-H "Authorization: Bearer $ENHANCE_API_KEY"',
    ...fields.map(([name, value]) => `--form-string ${quoted(`${name}=${value}`)}`),
    // curl reads "…" in a form as one name, with \ before " and \.
    ...files.map(([part, path]) => `-F ${quoted(`${part}=@"${path.replace(/["\\]/g, '\\$&')}"`)}`),
  ].join(' \\\n  ');

/** For a shell: in single quotes nothing has a meaning but the quote. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

// Both ask for the job and not for its result: Node ends a `fetch` that has no answer for 5 minutes, and the service itself one
// that waits for long.
export const typescript = ({ url, fields, files }: Call): string =>
  [
    "import { openAsBlob } from 'node:fs';",
    "import { setTimeout as sleep } from 'node:timers/promises';",
    '',
    'const form = new FormData();',
    ...fields.map(([name, value]) => `form.append(${literal(name)}, ${literal(value)});`),
    ...files.map(
      ([part, path]) =>
        `form.append(${literal(part)}, await openAsBlob(${literal(path)}), ${literal(path)});`,
    ),
    'const headers = {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template of the program that is written
    '  authorization: `Bearer ${process.env.ENHANCE_API_KEY}`,',
    "  prefer: 'respond-async',",
    '};',
    `let answer = await fetch(${literal(url)}, { method: 'POST', headers, body: form });`,
    'let job = await answer.json();',
    "while (answer.ok && ['queued', 'processing'].includes(job.status)) {",
    '  await sleep(1000);',
    '  answer = await fetch(job.urls.get, { headers });',
    '  job = await answer.json();',
    '}',
    // A job that was cancelled has no error.
    'if (!job.result) throw new Error(job.error?.detail ?? job.detail ?? job.status);',
    'console.log(job.result.output_url);',
  ].join('\n');

export const python = ({ url, fields, files }: Call): string =>
  [
    'import os',
    'import time',
    'import requests',
    '',
    'headers = {',
    `    "Authorization": f"Bearer {os.environ['ENHANCE_API_KEY']}",`,
    '    "Prefer": "respond-async",',
    '}',
    'answer = requests.post(',
    `    ${literal(url)},`,
    '    headers=headers,',
    `    data={${fields.map(([name, value]) => `${literal(name)}: ${literal(value)}`).join(', ')}},`,
    `    files={${files.map(([part, path]) => `${literal(part)}: open(${literal(path)}, "rb")`).join(', ')}},`,
    ')',
    'job = answer.json()',
    'while answer.ok and job["status"] in ("queued", "processing"):',
    '    time.sleep(1)',
    '    answer = requests.get(job["urls"]["get"], headers=headers)',
    '    job = answer.json()',
    'if not job.get("result"):',
    '    raise SystemExit((job.get("error") or job).get("detail", job["status"]))',
    'print(job["result"]["output_url"])',
  ].join('\n');

/** JSON's strings are strings of JavaScript and of Python. */
const literal = (text: string): string => JSON.stringify(text);
