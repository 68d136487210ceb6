/** The admin tab: asks for the admin key where the playground's is none, then shows its sections. */

import { EnhanceError } from '../../client/errors.ts';
import type { OwnKey } from '../../src/contract/keys.ts';
import { button, byId, make } from '../dom.ts';
import { problemBox } from '../problem-box.ts';
import { accountsSection } from './accounts.ts';
import { adminKey, ask, forgetKey, onDenied } from './ask.ts';
import { gate } from './gate.ts';
import { keysSection } from './keys.ts';
import { modelsSection } from './models.ts';
import { queueSection } from './queue.ts';
import type { Section } from './section.ts';

type Admin = { show(section: string | null): void };

let opened: Admin | undefined;

export const openAdmin = (): Admin => {
  opened ??= createAdmin();
  return opened;
};

const createAdmin = (): Admin => {
  const sections: Readonly<Record<string, Section>> = {
    keys: keysSection(),
    credits: accountsSection(),
    models: modelsSection(),
    queue: queueSection(),
  };
  const links = Object.entries(sections).map(([name, { title }]) =>
    make('a', { href: `#admin/${name}` }, title),
  );
  const place = make('div');
  const another = button('Change the admin key', () => change(''), { class: 'quiet' });
  const content = make(
    'div',
    {},
    make('nav', { class: 'tabs', 'aria-label': 'Sections of the admin tab' }, ...links),
    place,
    make('p', { class: 'row' }, another),
  );
  let [shown, isAdmitted]: [Section | undefined, boolean] = [undefined, false];

  /** Null: another tab is shown. */
  const show = (name: string | null): void => {
    shown?.leave?.();
    shown = name === null ? undefined : sections[Object.hasOwn(sections, name) ? name : 'keys'];
    if (!shown) return;
    for (const link of links)
      if (link.textContent === shown.title) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    place.replaceChildren(shown.element);
    if (isAdmitted) void shown.load();
    else void enter();
  };

  const enter = async (): Promise<void> => {
    try {
      if (adminKey() === '' || !(await isAdmin())) return change('');
      isAdmitted = true;
      byId('admin-content').replaceChildren(content);
      await shown?.load();
    } catch (error) {
      // A key that is refused has led to the question for another one.
      if (!(error instanceof EnhanceError && error.status === 401))
        byId('admin-content').replaceChildren(
          problemBox(error),
          button('Try again', enter, { class: 'main' }),
        );
    }
  };

  const change = (reason: string): void => {
    shown?.leave?.();
    isAdmitted = false;
    forgetKey();
    byId('admin-content').replaceChildren(gate(reason, enter));
  };
  onDenied(change);
  return { show };
};

const isAdmin = async (): Promise<boolean> =>
  (await ask<OwnKey>('/v1/key')).scopes.includes('admin');
