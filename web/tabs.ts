/** The two tabs: the playground, and that of the operator, whose code is loaded when it is opened first. */
import type { OwnKey } from '../src/contract/keys.ts';
import { byId } from './dom.ts';
import { isDevelopmentKey } from './key.ts';
import { problemBox } from './problem-box.ts';
import { ask } from './service.ts';

const adminPart = /^#admin(?:\/(\w+))?$/;

/** Shows the tab that the address names: #admin, or #admin/ and a section of it. Resolves when the playground is shown first. */
export const openTabs = (): Promise<void> => {
  addEventListener('hashchange', ({ oldURL }) => void show(new URL(oldURL).hash));
  void show('');
  return new Promise((resolve) => {
    const look = (): void => {
      if (!adminPart.test(location.hash)) resolve();
    };
    addEventListener('hashchange', look);
    look();
  });
};

const show = async (before: string): Promise<void> => {
  const found = adminPart.exec(location.hash);
  byId('playground').hidden = found !== null;
  byId('admin').hidden = found === null;
  byId('change-key').hidden = found !== null; // it is about the playground's key
  byId(found ? 'admin-tab' : 'playground-tab').setAttribute('aria-current', 'page');
  byId(found ? 'playground-tab' : 'admin-tab').removeAttribute('aria-current');
  if (found) byId('tabs').hidden = false;
  // Back to the job that was shown, whose id is in the address.
  if (!adminPart.test(before)) byId('playground-tab').setAttribute('href', before || '#work');
  try {
    const admin = found || loaded ? await load() : null;
    admin?.show(found ? (found[1] ?? '') : null);
  } catch (error) {
    byId('admin-content').replaceChildren(problemBox(error));
  }
};

let loaded = false;
const load = async () => {
  const { openAdmin } = await import('./admin/admin.ts');
  loaded = true;
  return openAdmin();
};

/** Shows the tabs to whoever may need the second one. Answers whether the key can be used in the playground. */
export const checkKey = async (): Promise<boolean> => {
  const { scopes } = await ask<OwnKey>('/v1/key');
  // The person who runs `npm start` is its operator.
  if (scopes.includes('admin') || isDevelopmentKey()) byId('tabs').hidden = false;
  if (scopes.includes('read')) return true;
  if (scopes.includes('admin')) location.hash = '#admin';
  return false;
};
