import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Entry, SharedFolder, Store } from './store.ts';
import { unlessGone } from './unless-gone.ts';

export const LOCAL_FOLDERS = ['incoming', 'attempts'] as const;
export type LocalFolder = (typeof LOCAL_FOLDERS)[number];

type Places = {
  readonly store: Store;
  /** The path of a local folder, or of a name in it. */
  readonly local: (folder: LocalFolder, name?: string) => string;
  readonly removeLocal: (path: string) => Promise<void>;
};

/** How long a file is kept that may belong to a job whose record is about to be written. */
const PASSING_MS = 3600_000;
/**
 * After this long without a change an arriving file belongs to a process that died: a body or a fetch without progress
 * is given up after a minute at most, and a complete file is probed and moved within minutes.
 */
const ARRIVING_MS = 20 * 60_000;

/** The job that a file belongs to, by its name. */
export const jobOf = (name: string): string => name.split('.', 1)[0] ?? name;

/** Removes expired files, and files that a crash left behind, of jobs that are not `isUnfinished`. */
export const sweeping =
  ({ store, local, removeLocal }: Places) =>
  async (
    ttlMs: number,
    isUnfinished: (jobId: string) => Promise<boolean>,
    now = Date.now(),
  ): Promise<void> => {
    const here = async (
      folder: LocalFolder,
      isOver: (name: string, quietMs: number) => Promise<boolean>,
    ) => {
      for (const name of await readdir(local(folder))) {
        const quietMs = await quietMsOf(local(folder, name), now);
        if (quietMs !== null && (await isOver(name, quietMs)))
          await removeLocal(local(folder, name));
      }
    };
    const shared = async (folder: SharedFolder, isOver: (entry: Entry) => Promise<boolean>) => {
      for await (const entry of store.list(folder)) {
        if (await isOver(entry)) await store.remove(`${folder}/${entry.name}`);
      }
    };
    const isOrphan = async (name: string, quietMs: number) =>
      quietMs > PASSING_MS && !(await isUnfinished(jobOf(name)));
    const isOrphaned = ({ name, changedAt }: Entry) => isOrphan(name, now - changedAt);

    await here('incoming', async (_, quietMs) => quietMs > ARRIVING_MS);
    await here('attempts', isOrphan);
    await shared('uploads', async ({ keptAt }) => now - keptAt > ttlMs);
    await shared('results', async ({ keptAt }) => now - keptAt > ttlMs + PASSING_MS);
    await shared('inputs', isOrphaned);
    await shared('checkpoints', isOrphaned);
    await store.removeUnfinished(now - PASSING_MS);
  };

/** Milliseconds since the last change of a file, or of a folder and the files in it, links included; null: it is gone. */
const quietMsOf = async (path: string, now: number): Promise<number | null> => {
  const found = await unlessGone(stat(path));
  if (!found) return null;
  const inside = found.isDirectory() ? ((await unlessGone(readdir(path))) ?? []) : [];
  const quiet = await Promise.all(inside.map((name) => quietMsOf(join(path, name), now)));
  return Math.min(now - found.ctimeMs, ...quiet.flatMap((ms) => ms ?? []));
};
