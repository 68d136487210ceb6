/** The credits that the account can spend: the latest answer of the service, told to each place of the page that shows them. */
import { service } from './service.ts';

/** Null: not known. */
type Listener = (available: number | null) => void;

const listeners: Listener[] = [];
export const onCredits = (listener: Listener): void => {
  listeners.push(listener);
};

/** Counts the answers: one that comes late is not shown in the place of a newer one. */
let latest = 0;

export const tellCredits = (available: number | null): void => {
  latest += 1;
  for (const listener of listeners) listener(available);
};

/** Asks the service for them. Whatever needs credits tells itself why it fails, so a failure is not told here. */
export const askCredits = async (): Promise<void> => {
  latest += 1;
  const turn = latest;
  const available = await service.credits().then(
    (credits) => credits.available,
    () => null,
  );
  if (turn === latest) tellCredits(available);
};
