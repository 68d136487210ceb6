/** Calls of the service with the admin key. */
import { createClient } from '../../client/client.ts';
import { EnhanceError } from '../../client/errors.ts';
import type { HttpRequest } from '../../client/http.ts';
import { currentKey } from '../key.ts';
import { reasonOf, serviceUrl } from '../service.ts';

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

type Asked = HttpRequest & {
  /** A key to be tried in place of the admin key. */
  readonly key?: string;
};

/** What a path of the service answers. Throws as the client does. */
export const ask = async <T>(path: string, { key, ...request }: Asked = {}): Promise<T> => {
  const client = createClient({
    url: serviceUrl,
    key: key ?? adminKey(),
    fetch: (...asked) => fetch(...asked),
  });
  try {
    return await (await client.request(path, request)).json();
  } catch (error) {
    if (key === undefined && error instanceof EnhanceError && error.status === 401)
      denied(reasonOf(error.problem));
    throw error;
  }
};
