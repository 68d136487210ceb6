/** What the sections of the admin tab have in common. */
import { freshId, make } from '../dom.ts';
import { problemBox } from '../problem-box.ts';

export type Section = {
  readonly title: string;
  readonly element: HTMLElement;
  /** Shows how things are now. Errors are shown too, not thrown. */
  load(): Promise<void>;
  /** Called when it is shown no more. */
  leave?(): void;
};

/** A card with a heading. */
export const card = (title: string, ...children: readonly (Node | null)[]): HTMLElement => {
  const id = freshId('card');
  const heading = make('h2', { id, tabindex: -1 }, title);
  return make('section', { class: 'card', 'aria-labelledby': id }, heading, ...children);
};

/** A place for what a card has to say: that something was done, or why not. */
export const createSaid = () => {
  const element = make('div', { tabindex: -1 });
  return {
    element,
    /** For what may take minutes. The focus goes there, as the button that did it waits. */
    busy: (text: string): void => {
      element.replaceChildren(make('p', { class: 'notice', role: 'status' }, text));
      element.focus();
    },
    /** The focus goes there, as the button that did it may be gone. */
    good: (text: string, ...children: readonly (Node | null)[]): void => {
      element.replaceChildren(
        make('div', { class: 'notice good' }, make('p', {}, text), ...children),
      );
      element.focus();
    },
    /** Does something; an error is shown in the place of what was said before. */
    trying: async (work: () => Promise<void>): Promise<void> => {
      try {
        element.replaceChildren();
        await work();
      } catch (error) {
        element.replaceChildren(problemBox(error));
        element.scrollIntoView({ block: 'nearest' });
      }
    },
  };
};

/** One row of a list: what it is, what is known of it, and its buttons. */
export const row = (
  what: readonly (Node | string | null)[],
  about: readonly (string | null | false)[],
  buttons: readonly (HTMLElement | false)[] = [],
): HTMLElement =>
  make(
    'li',
    {},
    make('span', { class: 'what' }, ...what),
    make('span', { class: 'hint' }, about.filter(Boolean).join(' · ')),
    buttons.some(Boolean) && make('span', { class: 'row' }, ...buttons),
  );

export const list = (rows: readonly HTMLElement[], none: string): HTMLElement =>
  rows.length > 0 ? make('ul', { class: 'jobs' }, ...rows) : make('p', { class: 'hint' }, none);

/** "mes_live_x…" and names of callers beside each other: each in its own direction. */
export const bdi = (text: string): HTMLElement => make('bdi', {}, text);
