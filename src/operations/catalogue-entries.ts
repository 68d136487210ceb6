import type { CatalogueEntry } from '../models/catalogue.ts';
import type { SlotForm } from '../models/state.ts';
import type { Operation } from './operation.ts';

/** What the catalogue has to know of an operation's models. */
export const catalogueEntries = ({ models, slots, release, engine }: Operation): CatalogueEntry[] =>
  Object.keys(models).map((id) => ({
    id,
    slots: slots(id),
    engine: (set, transport, signal) => engine(id, set, transport, signal),
    ...(release !== undefined && { release }),
  }));

/** What the registry has to know of an operation's models; nothing of those that are computed without Triton. */
export const slotForms = ({ kind, models, slots, release: fixed }: Operation): SlotForm[] =>
  fixed !== undefined
    ? []
    : Object.entries(models).map(([slot, { release }]) => {
        if (release === undefined)
          throw new Error(`${kind} does not say which release of ${slot} ships`);
        const { image, video } = slots(slot);
        const tritonSlots = [...new Set([...image, ...video].map(({ name }) => name))];
        return { slot, shipped: release, tritonSlots };
      });
