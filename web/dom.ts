/** Makes elements. Text is always set as text: what comes from files and metadata is never read as HTML. */

type Value = string | number | boolean | null | undefined | ((event: Event) => unknown);
type Child = Node | string | null | undefined | false;

/** An element with attributes; a function is a listener of the event of its name, such as `click`. */
export const make = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Value>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, String(value));
  }
  element.append(...children.filter(isThere));
  return element;
};

const isThere = (child: Child): child is Node | string =>
  child !== null && child !== undefined && child !== false;

/** The element of the HTML that has this id. */
export const byId = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the HTML has no element #${id}`);
  return found;
};

/** A `<button type="button">`. */
export const button = (
  text: string,
  click: (event: Event) => unknown,
  attributes: Readonly<Record<string, Value>> = {},
): HTMLButtonElement => make('button', { type: 'button', click, ...attributes }, text);

/** Tells screen readers something that is seen elsewhere on the page. */
export const announce = (text: string): void => {
  byId('announce').textContent = text;
};

let made = 0;
/** An id that no other element has, for labels. */
export const freshId = (name: string): string => {
  made += 1;
  return `${name}-${made}`;
};
