/** Which releases a slot has and what its aliases mean: the states and the moves between them. Pure. */
import { z } from 'zod';
import { Failure } from '../errors.ts';
import { Manifest } from './pack/release-folder.ts';
import { refused } from './refused.ts';
import { ReleaseName } from './release-names.ts';

const Release = z.object({
  /** Triton's name of the model in each of the slot's Triton slots; those that the release did not bring are the stable one's of then. */
  models: z.record(z.string(), z.string()),
  /** What was added, with the hashes of its files; null for one that ships. */
  manifest: Manifest.nullable().default(null),
  /** Ships with this version of the service: its files are in the repository, and nothing of it is stored here. */
  shipped: z.boolean().default(false),
  /** When it was added (ms) and by whom; null for one that ships. */
  added_at: z.number().nullable().default(null),
  added_by: z.string().nullable().default(null),
  /** Whether every replica is to have it loaded. */
  loaded: z.boolean().default(true),
  /** Since when no alias means it any more (ms): it is unloaded once its jobs are done. */
  retired_at: z.number().nullable().default(null),
  /** Why the service took it back by itself; it gets no jobs until a check has passed. */
  rejected: z.string().nullable().default(null),
});
export type Release = z.infer<typeof Release>;

const Candidate = z.object({
  release: z.string(),
  /** The share of new jobs that get it, in percent. */
  percent: z.number(),
  /** The share of jobs on the stable release, in percent, that are also done by this one, uncharged, to compare them. */
  mirror: z.number().default(0),
  since: z.number(),
});

export const SlotState = z.object({
  /** Null: the release that ships with the service, whichever that is. */
  stable: z.string().nullable().default(null),
  /** What was stable before: the way back. */
  previous: z.string().nullable().default(null),
  promoted_at: z.number().nullable().default(null),
  candidate: Candidate.nullable().default(null),
  releases: z.record(z.string(), Release).default({}),
});
type Stored = z.infer<typeof SlotState>;

/** A slot as it is used: the shipped release is among its releases, and `stable` names one of them. */
export type SlotState = Omit<Stored, 'stable'> & { readonly slot: string; readonly stable: string };

/** What the code says of a slot: the release that ships, and the Triton slots that a release of it fills. */
export type SlotForm = {
  readonly slot: string;
  readonly shipped: string;
  readonly tritonSlots: readonly string[];
};

/** What is stored of a slot, null for nothing, together with the release that ships. */
export const slotState = (
  { slot, shipped, tritonSlots }: SlotForm,
  stored: Stored | null,
): SlotState => {
  const { releases, stable, previous, promoted_at, candidate } = stored ?? SlotState.parse({});
  // An earlier version of the service shipped others under the same names in Triton: they are gone.
  const kept = Object.entries(releases).filter(([name, one]) => !one.shipped && name !== shipped);
  const all = {
    [shipped]: {
      ...(releases[shipped]?.shipped ? releases[shipped] : Release.parse({ models: {} })),
      models: Object.fromEntries(tritonSlots.map((name) => [name, name])),
      shipped: true,
    },
    ...Object.fromEntries(kept),
  };
  const known = (name: string | null) => (name !== null && Object.hasOwn(all, name) ? name : null);
  return {
    slot,
    stable: known(stable) ?? shipped,
    previous: known(previous),
    promoted_at,
    candidate: candidate && known(candidate.release) ? candidate : null,
    releases: all,
  };
};

/** What is to be stored; `stable` is null while it is the shipped release, so that an update of the service brings the next. */
export const storedOf = ({ slot: _, ...state }: SlotState): Stored => ({
  ...state,
  stable: state.releases[state.stable]?.shipped ? null : state.stable,
});

export type Alias = 'stable' | 'candidate';
export const aliasOf = ({ stable, candidate }: SlotState, name: string): Alias | null => {
  if (name === stable) return 'stable';
  return name === candidate?.release ? 'candidate' : null;
};

/** Failure not_found. */
export const releaseOf = ({ slot, releases }: SlotState, name: string): Release => {
  const found = Object.hasOwn(releases, name) ? releases[name] : undefined;
  if (found) return found;
  const known = Object.keys(releases).map((one) => `${slot}@${one}`);
  throw new Failure('not_found', { what: `release ${slot}@${name}; there is ${known.join(', ')}` });
};

const withRelease = (state: SlotState, name: string, change: Partial<Release>): SlotState => ({
  ...state,
  releases: { ...state.releases, [name]: { ...releaseOf(state, name), ...change } },
});

/** A release that no alias means any more is unloaded later; `now` in ms. */
const retired = (state: SlotState, name: string | null, now: number): SlotState =>
  name === null || aliasOf(state, name) !== null
    ? state
    : withRelease(state, name, { retired_at: now });

const inUse = (state: SlotState, name: string): SlotState =>
  withRelease(state, name, { retired_at: null, loaded: true });

const usable = (state: SlotState, name: string): void => {
  const { rejected } = releaseOf(state, name);
  if (rejected === null) return;
  throw refused(
    `${state.slot}@${name} was taken back: ${rejected}. Run a check of it; when that passes it can be used again`,
  );
};

/** Failure release_refused when there is one of this name. */
export const added = (state: SlotState, name: string, release: Partial<Release>): SlotState => {
  if (Object.hasOwn(state.releases, name))
    throw refused(`${state.slot}@${name} exists already, and a release never changes`);
  return { ...state, releases: { ...state.releases, [name]: Release.parse(release) } };
};

export type Canary = { readonly percent: number; readonly mirror: number };

/** New jobs get the release by chance, `percent` of them. Failure not_found | release_refused. */
export const canaried = (
  state: SlotState,
  name: string,
  { percent, mirror }: Canary,
  now: number,
): SlotState => {
  usable(state, name);
  if (name === state.stable)
    throw refused(`${state.slot}@${name} is the stable release: all jobs get it already`);
  const before = state.candidate?.release ?? null;
  const next = inUse({ ...state, candidate: { release: name, percent, mirror, since: now } }, name);
  return retired(next, before, now);
};

/** All new jobs get the release. Failure not_found | release_refused. */
export const promoted = (state: SlotState, name: string, now: number): SlotState => {
  usable(state, name);
  if (name === state.stable) throw refused(`${state.slot}@${name} is the stable release already`);
  const { stable, candidate } = state;
  const next = { ...state, stable: name, previous: stable, promoted_at: now, candidate: null };
  return retired(retired(inUse(next, name), stable, now), candidate?.release ?? null, now);
};

/** Ends the canary; without one, goes back to the release that was stable before. Failure release_refused. */
export const rolledBack = (state: SlotState, now: number): SlotState => {
  const { candidate, previous, stable, slot } = state;
  if (candidate) return retired({ ...state, candidate: null }, candidate.release, now);
  if (previous === null)
    throw refused(`${slot} has no canary and no earlier stable release to go back to`);
  const next = { ...state, stable: previous, previous: null, promoted_at: null };
  return retired(inUse(next, previous), stable, now);
};

/** What `rolledBack` makes stable again; null when it only ends a canary. */
export const wayBack = ({ candidate, previous }: SlotState): string | null =>
  candidate ? null : previous;

/** The service takes a release back by itself, with the reason. */
export const rejected = (state: SlotState, name: string, reason: string, now: number): SlotState =>
  withRelease(rolledBack(state, now), name, { rejected: reason });

/** A check of the release has passed. */
export const accepted = (state: SlotState, name: string): SlotState =>
  withRelease(state, name, { rejected: null });

/** Failure release_refused while an alias means it. */
export const unloaded = (state: SlotState, name: string): SlotState => {
  const alias = aliasOf(state, name);
  if (alias) throw refused(`${state.slot}@${name} is the ${alias} release: new jobs get it`);
  return withRelease(state, name, { loaded: false, retired_at: null });
};

/**
 * It is to be loaded, for whoever is about to use it: until `until` (ms since 1970) it does not count as retired. Unless an
 * alias means it by then, it goes again.
 */
export const reloaded = (state: SlotState, name: string, until: number): SlotState => {
  const { loaded, retired_at } = releaseOf(state, name);
  return loaded && (retired_at === null || retired_at >= until)
    ? state
    : withRelease(state, name, { loaded: true, retired_at: until });
};

/** Failure release_refused for one that ships or is loaded. */
export const removed = (state: SlotState, name: string): SlotState => {
  const { shipped, loaded } = releaseOf(state, name);
  if (shipped) throw refused(`${state.slot}@${name} ships with the service and cannot be deleted`);
  if (loaded) throw refused(`${state.slot}@${name} is loaded; unload it first`);
  const { [name]: _, ...releases } = state.releases;
  return { ...state, releases, previous: state.previous === name ? null : state.previous };
};

/** `photo@r2`. */
export const written = (slot: string, release: string): string => `${slot}@${release}`;

/** Failure validation_failed for what is not written so. */
export const readRef = (ref: string): { readonly slot: string; readonly release: string } => {
  const [, slot = '', release = ''] = /^([^@]+)@(.+)$/.exec(ref) ?? [];
  if (slot === '' || !ReleaseName.safeParse(release).success) {
    const detail = `Expected a release such as photo@r2; got ${JSON.stringify(ref)}.`;
    throw new Failure('validation_failed', { detail });
  }
  return { slot, release };
};
