/** What was entered in this tab and not started yet, so that a reload loses none of it, not even in mid-upload. */
import { randomKey } from '../client/random.ts';
import type { Chosen } from './chosen.ts';
import type { Body } from './options.ts';
import { forget, keep, kept } from './originals.ts';

export type Draft = {
  readonly kind: string;
  readonly body: Body;
  readonly files: readonly (Chosen | null)[];
};
/** What the session storage holds, which lives as long as the tab. The files are in IndexedDB, under the id. */
type Stored = { readonly id: string; readonly kind: string; readonly body: Body };

const place = 'enhance-draft';
let files: Draft['files'] = [];

const stored = (): Stored | null => JSON.parse(sessionStorage.getItem(place) ?? 'null');

/** Files are copied only when they are others than before. */
export const keepDraft = async (draft: Draft): Promise<void> => {
  if (!draft.files.some(Boolean)) return dropDraft();
  const id = stored()?.id ?? `draft-${randomKey()}`;
  const { kind, body } = draft;
  sessionStorage.setItem(place, JSON.stringify({ id, kind, body } satisfies Stored));
  const isSame =
    files.length === draft.files.length &&
    draft.files.every((file, at) => file?.content === files[at]?.content);
  files = draft.files;
  if (!isSame) await keep(id, {}, files);
};

export const dropDraft = async (): Promise<void> => {
  const before = stored();
  sessionStorage.removeItem(place);
  files = [];
  if (before) await forget(before.id);
};

export const readDraft = async (): Promise<Draft | null> => {
  const before = stored();
  const there = before && (await kept(before.id));
  return before && there ? { ...before, files: there.files } : null;
};
