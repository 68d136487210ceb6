/** The request of the form as a program: curl, TypeScript, Python. Made to be run as it is, with the key in ENHANCE_API_KEY. */

import type { Operation } from './catalogue.ts';
import { partFor, urlFieldFor } from './catalogue.ts';
import type { Chosen } from './chosen.ts';
import { announce, button, make } from './dom.ts';
import type { Body } from './options.ts';
import { type Call, curl, python, typescript } from './snippets.ts';
import { messageOf, NO_CLIPBOARD } from './words.ts';

type Request = {
  readonly operation: Operation;
  readonly files: readonly (Chosen | null)[];
};
type Entered = Request & { readonly body: Body | null };

export const codeButton = (request: () => Entered | undefined) => {
  const element = make('div', { class: 'code', hidden: true });
  const toggle = button(
    'Copy as code',
    () => {
      element.hidden = !element.hidden;
      toggle.setAttribute('aria-expanded', String(!element.hidden));
      update();
    },
    { class: 'quiet', 'aria-expanded': 'false' },
  );
  /** Writes the code of the request as it is now. */
  const update = (): void => {
    if (!element.hidden) element.replaceChildren(...shown(request));
  };
  return { element, button: toggle, update };
};

const languages = { curl, TypeScript: typescript, Python: python };

const shown = (request: () => Entered | undefined): HTMLElement[] => {
  try {
    const entered = request();
    if (!entered?.body) return [hint('Add the files first: the code shows your request.')];
    const call = callOf(entered, entered.body);
    const snippets = Object.entries(languages).map(([name, write]) => snippet(name, write(call)));
    return [...snippets, ...(navigator.clipboard ? [] : [hint(NO_CLIPBOARD)])];
  } catch (error) {
    return [hint(messageOf(error))]; // a field that is not complete
  }
};

const hint = (text: string): HTMLElement => make('p', { class: 'hint' }, text);

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
  return make(
    'div',
    {},
    make('p', { class: 'row' }, make('strong', {}, name), navigator.clipboard ? copy : null),
    pre,
  );
};

const callOf = ({ operation, files }: Request, body: Body): Call => ({
  url: new URL(operation.path.slice(1), document.baseURI).href,
  fields: [
    ...Object.entries(body)
      .filter(([name]) => !name.endsWith('_url'))
      .map(([name, value]) => [name, textOf(value)] as const),
    ...sourcesOf({ operation, files }).flatMap(({ group, kind, content }) =>
      typeof content === 'string' ? [[urlFieldFor(operation, group, kind), content] as const] : [],
    ),
  ],
  files: sourcesOf({ operation, files }).flatMap(({ group, kind, content, name }) =>
    typeof content === 'string' ? [] : [[partFor(group, kind), name] as const],
  ),
});

const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** The files, each with the group of sources that it stands for. */
const sourcesOf = ({ operation, files }: Request) =>
  files.flatMap((file, at) =>
    file?.kind ? [{ ...file, kind: file.kind, group: operation.sources[at] ?? [] }] : [],
  );
