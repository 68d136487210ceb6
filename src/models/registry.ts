/** The releases of all slots as they are stored in Redis, and the log of who changed them. See decision 20. */
import { z } from 'zod';
import { sharedInTurn } from '../async/share.ts';
import { ReleaseLogEntry } from '../contract/releases.ts';
import { Failure } from '../errors.ts';
import { type Redises, script } from '../redis/script.ts';
import {
  type SlotForm,
  type SlotState,
  SlotState as Stored,
  slotState,
  storedOf,
  unloaded,
  written,
} from './state.ts';

/** What is written into the log; `slot` and the time are added. */
type Act = Pick<ReleaseLogEntry, 'by' | 'action' | 'release' | 'detail'>;

/** Attempts of jobs on a release, mirrored ones included, since it was last put on trial. */
export type Tally = {
  readonly done: number;
  readonly failed: number;
  /** Jobs that it has done again to be compared, and the mean likeness of their pictures in dB; null without pictures. */
  readonly mirrored: number;
  readonly likeness_db: number | null;
};

export type Registry = ReturnType<typeof openRegistry>;

const writeSlot = script(new URL('scripts/write-slot.lua', import.meta.url), z.number());
const closeRelease = script(new URL('scripts/close-release.lua', import.meta.url), z.number());

/** How often a change is tried when others change the same slot at the same moment. */
const TRIES = 20;

export const openRegistry = (stores: Redises, forms: readonly SlotForm[]) => {
  const { redis, prefix } = stores;
  const key = `${prefix}:models`;

  const formOf = (slot: string): SlotForm => {
    const form = forms.find((one) => one.slot === slot);
    if (form) return form;
    const known = forms.map((one) => one.slot).join(', ');
    throw new Failure('not_found', { what: `model "${slot}"; the models are ${known}` });
  };
  const parsed = (form: SlotForm, text: string | null): SlotState =>
    slotState(form, text === null ? null : Stored.parse(JSON.parse(text)));

  /** Failure not_found for a slot that the service does not have. */
  const read = async (slot: string): Promise<SlotState> =>
    parsed(formOf(slot), await redis.hget(key, slot));

  const readAll = async (): Promise<readonly SlotState[]> => {
    const texts = await redis.hgetall(key);
    return forms.map((form) => parsed(form, texts[form.slot] ?? null));
  };

  /** The same as long as nothing has changed; null before the first change. */
  const revision = sharedInTurn(
    () => key,
    (): Promise<string | null> => redis.get(`${key}:revision`),
  );

  /**
   * Applies a pure move to a slot's state. `seen` is the state that an operator's decision was made on: when its aliases
   * have changed since, the move is refused, as two operators would undo each other's. A move that answers the state itself is
   * no change, and is not in the log. Failure models_changed, and those of `move`.
   */
  const change = async (
    slot: string,
    move: (state: SlotState) => SlotState,
    act: Act | null,
    seen?: SlotState,
  ): Promise<SlotState> => {
    const form = formOf(slot);
    for (let tried = 0; tried < TRIES; tried += 1) {
      const text = await redis.hget(key, slot);
      const before = parsed(form, text);
      if (seen && aliasesOf(before) !== aliasesOf(seen)) throw changedMeanwhile(slot, before);
      const after = move(before);
      if (after === before) return after;
      const reopened = Object.entries(after.releases)
        .filter(([, { loaded }]) => loaded)
        .map(([name]) => written(slot, name));
      const entry = act && { at: new Date().toISOString(), slot, ...act };
      const [next, log] = [JSON.stringify(storedOf(after)), entry ? JSON.stringify(entry) : ''];
      if (await writeSlot(stores, slot, text ?? '', next, log, reopened.join(' '))) return after;
    }
    throw changedAgain(slot);
  };

  /** Newest first. */
  const log = async (limit: number): Promise<ReleaseLogEntry[]> => {
    const entries = await redis.xrevrange(`${key}:log`, '+', '-', 'COUNT', limit);
    return entries.map(([, fields]) => ReleaseLogEntry.parse(JSON.parse(fields[1] ?? '')));
  };

  /**
   * How many unfinished jobs need the release; when there are none, no new job can name it from now on. Failure release_refused
   * where an alias means it, as when it was promoted since the caller looked: new jobs of the slot would find no release.
   */
  const close = async (slot: string, release: string): Promise<number> => {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const text = await redis.hget(key, slot);
      unloaded(parsed(formOf(slot), text), release);
      const jobs = await closeRelease(stores, written(slot, release), slot, text ?? '');
      if (jobs >= 0) return jobs;
    }
    throw changedAgain(slot);
  };

  const tallyKey = (ref: string) => `${key}:attempts:${ref}`;
  /** Counts an attempt on a release (`photo@r2`). */
  const count = async (ref: string, end: 'done' | 'failed'): Promise<void> => {
    await redis.hincrby(tallyKey(ref), end, 1);
  };
  const tally = async (ref: string): Promise<Tally> => {
    const counts = await redis.hgetall(tallyKey(ref));
    const of = (name: string) => Number(counts[name] ?? 0);
    const likeness = of('pictures') > 0 ? of('likeness_sum') / of('pictures') : null;
    return {
      done: of('done'),
      failed: of('failed'),
      mirrored: of('mirrored'),
      likeness_db: likeness && Number(likeness.toFixed(1)),
    };
  };
  const compared = async (ref: string, likeness: number | null): Promise<void> => {
    const all = redis.multi().hincrby(tallyKey(ref), 'mirrored', 1);
    if (likeness !== null)
      all
        .hincrby(tallyKey(ref), 'pictures', 1)
        .hincrbyfloat(tallyKey(ref), 'likeness_sum', likeness);
    await all.exec();
  };
  const forget = async (ref: string): Promise<void> => {
    await redis.del(tallyKey(ref));
  };

  return { read, readAll, revision, change, log, close, count, compared, tally, forget };
};

const aliasesOf = ({ stable, previous, candidate }: SlotState): string =>
  JSON.stringify([stable, previous, candidate?.release, candidate?.percent]);

const changedAgain = (slot: string): Failure =>
  new Failure('models_changed', { slot, now: 'others change it again and again' });

const changedMeanwhile = (slot: string, { stable, candidate }: SlotState): Failure => {
  const now = `the stable release is ${written(slot, stable)}`;
  const trial = candidate && `, the candidate ${written(slot, candidate.release)}`;
  return new Failure('models_changed', { slot, now: `${now}${trial ?? ''}` });
};
