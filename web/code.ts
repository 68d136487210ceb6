/** The request of the form as a program: curl, TypeScript, Python. Made to be run as it is, with the key in ENHANCE_KEY. */

import type { Operation } from './catalogue.ts';
import { partFor } from './catalogue.ts';
import { announce, button, make } from './dom.ts';
import type { Body } from './operation-form.ts';
import { type Call, curl, python, typescript } from './snippets.ts';
import type { Chosen } from './source.ts';

type Request = {
  readonly operation: Operation;
  readonly body: Body | null;
  readonly files: readonly (Chosen | null)[];
};

export const codeButton = (request: () => Request | undefined) => {
  const element = make('div', { class: 'code', hidden: true });
  const toggle = button(
    'Copy as code',
    () => {
      element.hidden = !element.hidden;
      toggle.setAttribute('aria-expanded', String(!element.hidden));
      if (!element.hidden) element.replaceChildren(...shown(request()));
    },
    { class: 'quiet', 'aria-expanded': 'false' },
  );
  return { element, button: toggle };
};

const languages = { curl, TypeScript: typescript, Python: python };

const shown = (request: Request | undefined): HTMLElement[] => {
  if (!request?.body)
    return [make('p', { class: 'hint' }, 'Add the files first; the code is that of your request.')];
  const call = callOf(request, request.body);
  return Object.entries(languages).map(([name, write]) => snippet(name, write(call)));
};

const snippet = (name: string, text: string): HTMLElement => {
  const pre = make('pre', { tabindex: 0, 'aria-label': name }, text);
  const copy = button(
    'Copy',
    async () => {
      await navigator.clipboard.writeText(text);
      announce(`${name} is copied.`);
      copy.textContent = 'Copied';
    },
    { 'aria-label': `Copy ${name}` },
  );
  // Browsers have a clipboard only on https pages and on this machine itself.
  return make(
    'div',
    {},
    make('p', { class: 'row' }, make('strong', {}, name), navigator.clipboard ? copy : null),
    pre,
  );
};

const callOf = ({ operation, files }: Request, body: Body): Call => ({
  url: new URL(operation.path.slice(1), document.baseURI).href,
  fields: Object.entries(body)
    .filter(([name]) => !name.endsWith('_url'))
    .map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  files: files.flatMap((file, at) => {
    const group = operation.sources[at] ?? [];
    return file?.kind ? [[partFor(group, file.kind), file.name] as const] : [];
  }),
});
