import type { CatalogueEntry } from '../models/catalogue.ts';
import type { Operation } from './operation.ts';

/** What the catalogue has to know of an operation's models. */
export const catalogueEntries = ({ models, slots, release, engine }: Operation): CatalogueEntry[] =>
  Object.keys(models).map((id) => ({
    id,
    slots: slots(id),
    engine: (set, transport, signal) => engine(id, set, transport, signal),
    ...(release !== undefined && { release }),
  }));
