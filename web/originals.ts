/** The files of this browser's own jobs, kept in it for a day: to compare with after a reload, and to run again. */

import type { Chosen } from './chosen.ts';
import type { Body } from './options.ts';

export type Kept = {
  readonly id: string;
  readonly at: number;
  readonly body: Body;
  readonly files: readonly (Chosen | null)[];
};

/** As long as the service keeps results. */
const KEEP_MS = 24 * 3600 * 1000;
const MOST_JOBS = 12;
/** Larger files are only compared with until the page is left: browsers copy what they keep. */
const MOST_BYTES = 250_000_000;

/** The jobs that were started since the page was opened. */
const ours = new Map<string, Kept>();

export const keep = async (id: string, body: Body, files: Kept['files']): Promise<void> => {
  const one = { id, at: Date.now(), body, files };
  ours.set(id, one);
  const bytes = files.reduce((sum, file) => sum + sizeOf(file), 0);
  if (bytes <= MOST_BYTES) await inStore('readwrite', (store) => store.put(one));
  void dropOld();
};

export const kept = async (id: string): Promise<Kept | undefined> =>
  ours.get(id) ?? (await inStore('readonly', (store) => store.get(id)));

export const forget = async (id: string): Promise<void> => {
  ours.delete(id);
  await inStore('readwrite', (store) => store.delete(id));
};

const sizeOf = (file: Chosen | null): number =>
  file?.content instanceof Blob ? file.content.size : 0;

const dropOld = async (): Promise<void> => {
  const all: Kept[] = (await inStore('readonly', (store) => store.getAll())) ?? [];
  const old = all
    .sort((one, other) => other.at - one.at)
    .filter(({ at }, place) => place >= MOST_JOBS || at < Date.now() - KEEP_MS);
  for (const { id } of old) await inStore('readwrite', (store) => store.delete(id));
};

/** Undefined where the browser refuses: it has no room, or keeps nothing in a private window. */
const inStore = async <T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> => {
  try {
    const database = await open();
    const transaction = database.transaction('jobs', mode);
    const request = work(transaction.objectStore('jobs'));
    await endOf(transaction).finally(() => database.close());
    return request.result;
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
};

const open = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open('enhance', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('jobs', { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const endOf = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
