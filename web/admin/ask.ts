/** Calls of the service with the admin key. A refusal is thrown as `Refusal`. */
import { Offline, Refusal, reasonOf } from '../api.ts';
import { currentKey } from '../key.ts';

const kept = 'enhance-admin-key';

/** The one that was entered here, else the playground's. */
export const adminKey = (): string => sessionStorage.getItem(kept) ?? currentKey();
export const keepKey = (key: string): void => sessionStorage.setItem(kept, key);
export const forgetKey = (): void => sessionStorage.removeItem(kept);

let denied: (reason: string) => void = () => {};
/** Calls `listener` when the key is refused: it has expired, or was revoked. */
export const onDenied = (listener: (reason: string) => void): void => {
  denied = listener;
};

type Asked = {
  readonly method?: 'GET' | 'POST';
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** A key to be tried in place of the admin key. */
  readonly key?: string;
};

export const ask = async <T>(
  path: string,
  { method = 'GET', body, headers, key }: Asked = {},
): Promise<T> => {
  const answer = await send(path, {
    method,
    headers: {
      authorization: `Bearer ${key ?? adminKey()}`,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const read = await answer.json();
  if (answer.ok) return read;
  if (answer.status === 401 && key === undefined) denied(reasonOf(read));
  throw new Refusal(read);
};

const send = async (path: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(path, init);
  } catch (cause) {
    throw new Offline('The server cannot be reached. Check the network and try again.', { cause });
  }
};
