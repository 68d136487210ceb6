import type { AdminSlot } from '../contract/releases.ts';
import { type Everywhere, type Replica, stateIn } from './everywhere.ts';
import type { Registry } from './registry.ts';
import { aliasOf, type Release, type SlotState, written } from './state.ts';

type Parts = { readonly registry: Registry; readonly everywhere: Everywhere };

/** Every release of every slot, and on which Tritons it is ready. */
export const listSlots = async ({ registry, everywhere }: Parts): Promise<AdminSlot[]> => {
  const states = await registry.readAll();
  const indexes = await Promise.all(everywhere.all().map(indexOf));
  const readyOn = ({ models }: Release) =>
    indexes
      .filter(({ index }) =>
        Object.values(models).every((model) => stateIn(index, model) === 'READY'),
      )
      .map(({ name }) => name);
  const described = async (state: SlotState, name: string, release: Release) => ({
    release: written(state.slot, name),
    alias: aliasOf(state, name),
    shipped: release.shipped,
    loaded: release.loaded,
    rejected: release.rejected,
    ready_on: readyOn(release),
    models: release.models,
    licence: release.manifest?.licence ?? null,
    source: release.manifest?.source ?? null,
    added_at: release.added_at === null ? null : new Date(release.added_at).toISOString(),
    added_by: release.added_by,
    attempts: await registry.tally(written(state.slot, name)),
  });
  const slotOf = async (state: SlotState): Promise<AdminSlot> => ({
    slot: state.slot,
    stable: written(state.slot, state.stable),
    previous: state.previous && written(state.slot, state.previous),
    candidate: state.candidate && {
      ...state.candidate,
      release: written(state.slot, state.candidate.release),
    },
    releases: await Promise.all(
      Object.entries(state.releases).map(([name, release]) => described(state, name, release)),
    ),
  });
  return Promise.all(states.map(slotOf));
};

/** On a Triton that does not answer nothing is ready. */
const indexOf = async ({ name, control }: Replica) => ({
  name,
  index: await control.repositoryIndex().catch(() => []),
});
