/** The release of `photo` that ships: as the registry has it, as callers name it, and the version that its model states. */
import { operations } from '../../src/operations/all.ts';
import { slotForms } from '../../src/operations/catalogue-entries.ts';

const [release = 'none'] = operations
  .flatMap(slotForms)
  .flatMap(({ slot, shipped }) => (slot === 'photo' ? [shipped] : []));

export const shippedPhoto = {
  release,
  name: `photo@${release}`,
  version: `photo-${release}`,
};
