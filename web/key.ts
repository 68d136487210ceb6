/** The API key: given by the server of `npm start`, else asked for and kept in this tab. */
import { byId } from './dom.ts';

const kept = 'enhance-key';
let key = '';

export const currentKey = (): string => key;

const listeners: (() => void)[] = [];
/** Another key may be of another account, which has neither the uploads nor the jobs of the one before. */
export const onNewKey = (listener: () => void): void => {
  listeners.push(listener);
};
const use = (given: string): void => {
  key = given;
  for (const listener of listeners) listener();
};

/** Looks for a key without asking anybody. */
export const findKey = async (): Promise<void> => {
  key = sessionStorage.getItem(kept) ?? (await developmentKey());
};

/** Whether the server gave the key without being asked for one, as that of `npm start` does. */
export const isDevelopmentKey = (): boolean => key !== '' && sessionStorage.getItem(kept) === null;

/** Empty unless this browser runs on the machine of an `npm start`. */
const developmentKey = async (): Promise<string> => {
  if (!/^(localhost|127\.|\[::1\])/.test(location.hostname)) return '';
  const answer = await fetch('playground/key');
  return answer.ok ? ((await answer.json()).key ?? '') : '';
};

let asking: Promise<boolean> | null = null;

/** Asks for another key, and says why; false when none was given. All callers of one moment share one question. */
export const askKey = (reason: string): Promise<boolean> => shared(() => ask(reason));

/** Asks for another key although this one is good. */
export const changeKey = (reason: string): Promise<boolean> => shared(() => askUser(reason));

const shared = (question: () => Promise<boolean>): Promise<boolean> => {
  asking ??= question().finally(() => {
    asking = null;
  });
  return asking;
};

const ask = async (reason: string): Promise<boolean> => {
  const given = await developmentKey();
  const isOther = given !== '' && given !== key;
  // A development key may be out of date, as after a fresh start of the server with other data. One that the user has entered is
  // replaced by it only if the user enters no other one.
  const isEntered = sessionStorage.getItem(kept) !== null;
  if ((isEntered || !isOther) && (await askUser(reason))) return true;
  if (!isOther) return false;
  sessionStorage.removeItem(kept);
  use(given);
  return true;
};

const askUser = (reason: string): Promise<boolean> => {
  const [dialog, field] = [byId('key-dialog'), byId('key-field')];
  if (!(dialog instanceof HTMLDialogElement) || !(field instanceof HTMLInputElement))
    throw new Error('the HTML has another key dialog');
  byId('key-reason').textContent = reason;
  field.value = '';
  dialog.returnValue = '';
  dialog.showModal();
  field.focus();
  return new Promise((resolve) => {
    byId('key-later').onclick = () => dialog.close('');
    dialog.onclose = () => {
      const isGiven = dialog.returnValue === 'given';
      if (isGiven) {
        sessionStorage.setItem(kept, field.value.trim());
        use(field.value.trim());
      }
      resolve(isGiven);
    };
  });
};
