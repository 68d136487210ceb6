/** The service that this page came from, by the client that other programs use too: with the key of the page, and asking for one. */
import { type Client, createClient } from '../client/client.ts';
import type { Problem } from '../client/contract.ts';
import { askKey, currentKey } from './key.ts';
import { ownLink } from './own-link.ts';

/** The folder that this page lies in. */
export const serviceUrl = new URL('.', document.baseURI).href;

/** The client whose requests `send` sends, which does what `fetch` does. */
export const serviceBy = (send: typeof fetch): Client =>
  createClient({ url: serviceUrl, fetch: withKey(send) });

/** With a key that is missing, expired or revoked the user is asked for another one. */
const withKey =
  (send: typeof fetch): typeof fetch =>
  async (address, init = {}) => {
    const key = currentKey();
    const headers = new Headers(init.headers);
    if (key !== '') headers.set('authorization', `Bearer ${key}`);
    const answer = await send(own(String(address)), { ...init, headers });
    if (answer.status !== 401) return answer;
    const isOther = currentKey() !== key || (await askKey(reasonOf(await answer.clone().json())));
    return isOther ? withKey(send)(address, init) : answer;
  };

/** What the user is told of a key that was refused. */
export const reasonOf = ({ code }: Problem): string => {
  if (code === 'expired_api_key') return 'The key has expired. Enter another one; nothing is lost.';
  if (code === 'missing_api_key') return 'To use the service from here, enter an API key.';
  return 'The key is not known here, or was revoked. Enter another one; nothing is lost.';
};

export const own = (url: string): string => ownLink(url, serviceUrl);

export const service = serviceBy((...asked) => fetch(...asked));

/** What a path of the service answers. */
export const ask = async <T>(...asked: Parameters<Client['request']>): Promise<T> =>
  (await service.request(...asked)).json();
