/** Sends a file ahead, and tells how far it is. `fetch` tells no progress of what it sends, so this is XMLHttpRequest. */
import type { Upload } from '../src/contract/uploads.ts';
import { Offline, Refusal, reasonOf } from './api.ts';
import { askKey, currentKey } from './key.ts';

type Sent = { readonly status: number; readonly text: string };

type Sending = {
  readonly signal: AbortSignal;
  /** Of 1. */
  readonly onProgress: (share: number) => void;
};

/** The upload, which any `_url` field of the same account takes. Refusal | Offline. */
export const upload = async (file: Blob, name: string, sending: Sending): Promise<Upload> => {
  const { status, text } = await send(file, name, sending);
  if (status === 201) return JSON.parse(text);
  const problem = problemIn(text);
  if (status === 401 && (await askKey(reasonOf(problem)))) return upload(file, name, sending);
  throw new Refusal(problem);
};

/** A proxy in between refuses in words of its own. */
const problemIn = (text: string) => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Offline(
      `The upload was refused before it reached the service: ${text.slice(0, 200)}`,
      { cause },
    );
  }
};

const send = (file: Blob, name: string, { signal, onProgress }: Sending): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append('file', file, name || 'file');
    request.open('POST', 'v1/uploads');
    request.setRequestHeader('authorization', `Bearer ${currentKey()}`);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = () =>
      reject(new Offline('The upload was interrupted. Check the network and try again.'));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
