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

export const typescript = ({ url, fields, files }: Call): string =>
  [
    "import { openAsBlob } from 'node:fs';",
    '',
    'const form = new FormData();',
    ...fields.map(([name, value]) => `form.append(${literal(name)}, ${literal(value)});`),
    ...files.map(
      ([part, path]) =>
        `form.append(${literal(part)}, await openAsBlob(${literal(path)}), ${literal(path)});`,
    ),
    `const answer = await fetch(${literal(url)}, {`,
    "  method: 'POST',",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template of the program that is written
    '  headers: { authorization: `Bearer ${process.env.ENHANCE_API_KEY}` },',
    '  body: form,',
    '});',
    'const result = await answer.json();',
    'if (!answer.ok) throw new Error(result.detail);',
    'console.log(result.output_url);',
  ].join('\n');

export const python = ({ url, fields, files }: Call): string =>
  [
    'import os',
    'import requests',
    '',
    'answer = requests.post(',
    `    ${literal(url)},`,
    `    headers={"Authorization": f"Bearer {os.environ['ENHANCE_API_KEY']}"},`,
    `    data={${fields.map(([name, value]) => `${literal(name)}: ${literal(value)}`).join(', ')}},`,
    `    files={${files.map(([part, path]) => `${literal(part)}: open(${literal(path)}, "rb")`).join(', ')}},`,
    ')',
    'result = answer.json()',
    'if not answer.ok:',
    '    raise SystemExit(result["detail"])',
    'print(result["output_url"])',
  ].join('\n');

/** JSON's strings are strings of JavaScript and of Python. */
const literal = (text: string): string => JSON.stringify(text);
