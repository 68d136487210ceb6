/** Sends a file ahead, and tells how far it is. */
import type { Upload } from '../client/contract.ts';
import { serviceBy } from './service.ts';

type Sending = {
  readonly signal: AbortSignal;
  /** Of 1. */
  readonly onProgress: (share: number) => void;
};

/** The upload, which any `_url` field of the same account takes. Throws EnhanceError, NoAnswerError or the reason of `signal`. */
export const upload = (file: Blob, name: string, sending: Sending): Promise<Upload> =>
  serviceBy(telling(sending.onProgress)).upload(
    new File([file], name || 'file', { type: file.type }),
    sending.signal,
  );

/** `fetch` for a form, by XMLHttpRequest: `fetch` itself does not tell how much of it was sent. */
const telling =
  (onProgress: Sending['onProgress']): typeof fetch =>
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
