/** Calls of the service, with the key. A refusal is thrown as `Refusal`. */
import type { Problem } from '../src/contract/failure.ts';
import { askKey, currentKey } from './key.ts';

/** What the service answered instead of what was asked for. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The network, not the service, failed. */
export class Offline extends Error {
  override readonly name = 'Offline';
}

type Asked = {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** The JSON that a path answers. With a key that is missing, expired or revoked the user is asked for another one. */
export const call = async <T>(path: string, asked: Asked = {}): Promise<T> => {
  const answer = await send(path, asked);
  const read = await answer.json();
  if (answer.ok) return read;
  if (answer.status === 401 && (await askKey(reasonOf(read)))) return call(path, asked);
  throw new Refusal(read);
};

const send = async (path: string, { method = 'GET', body, headers, signal }: Asked) => {
  try {
    return await fetch(path.replace(/^\//, ''), {
      method,
      headers: {
        ...(currentKey() && { authorization: `Bearer ${currentKey()}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new Offline('The server cannot be reached. Check the network and try again.', { cause });
  }
};

export const reasonOf = ({ code }: Problem): string => {
  if (code === 'expired_api_key') return 'The key has expired. Enter another one; nothing is lost.';
  if (code === 'missing_api_key') return 'To use the service from here, enter an API key.';
  return 'The key is not known here, or was revoked. Enter another one; nothing is lost.';
};

/** A link of this service as one of this page's origin, which is what its security policy lets it load. */
export const own = (url: string): string => {
  const { pathname, search } = new URL(url, location.href);
  return `${pathname}${search}`;
};
