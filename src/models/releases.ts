import type { LoadedModel, Slot } from '../triton/clients/model.ts';

export type ModelSet = { readonly version: string; of(slot: string): LoadedModel };
export type Releases = {
  current(slots: readonly Slot[]): Promise<ModelSet>;
  find(version: string, slots: readonly Slot[]): Promise<ModelSet | null>;
};
