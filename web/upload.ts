/** Sends a file ahead, and tells how far it is. */
import type { Upload } from '../client/contract.ts';
import { service, serviceBy } from './service.ts';

/** A file on its way. */
export type Transfer = {
  /** The upload, which any `_url` field of the same account takes. Rejects with EnhanceError, NoAnswerError, or as it was stopped. */
  readonly uploaded: Promise<Upload>;
  /** Has `show` told which share of it, of 1, has been sent: now and from now on, and nobody else. */
  follow(show: (share: number) => void): void;
  stop(): void;
};

export const send = (file: Blob, name: string): Transfer => {
  const stopped = new AbortController();
  let sent = 0;
  let show = (_share: number): void => {};
  const onProgress = (share: number): void => {
    sent = share;
    show(share);
  };
  const named = new File([file], name || 'file', { type: file.type });
  return {
    uploaded: serviceBy(telling(onProgress)).upload(named, stopped.signal),
    follow: (by) => {
      show = by;
      show(sent);
    },
    stop: () => stopped.abort(),
  };
};

let starting = 0;
/** Keeps all uploads until `start` has made its job, which has copies of its own. */
export const whileNamed = async <T>(start: () => Promise<T>): Promise<T> => {
  starting += 1;
  try {
    return await start();
  } finally {
    starting -= 1;
  }
};
/** Has an upload deleted that the page no longer shows, which else counts towards the account's quota for a day. */
export const drop = (id: string): void => {
  // Not told where it fails: it is deleted in time.
  if (starting === 0) void service.deleteUpload(id).catch(() => undefined);
};

/** `fetch` for a form, by XMLHttpRequest: `fetch` itself does not tell how much of it was sent. */
const telling =
  (onProgress: (share: number) => void): typeof fetch =>
  (url, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (!(body instanceof FormData)) throw new TypeError('expected a form to send');
      const request = new XMLHttpRequest();
      request.open(method, String(url));
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
      request.onload = () => resolve(answerOf(request));
      request.onerror = () => reject(new TypeError('the connection was lost'));
      request.onabort = () => reject(signal?.reason);
      signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send(body);
    });

const answerOf = (request: XMLHttpRequest): Response => {
  const after = request.getResponseHeader('retry-after');
  return new Response(request.responseText, {
    status: request.status,
    headers: after === null ? {} : { 'retry-after': after },
  });
};
