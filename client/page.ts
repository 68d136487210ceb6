/**
 * Whether somebody looks at the page that this runs in. Over HTTP/1.1 a browser opens six connections to a host for all of
 * its tabs together, and an event stream takes one: a hidden page opens none, and asks instead.
 */
export type Page = {
  readonly visibilityState: string;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
  removeEventListener(type: 'visibilitychange', listener: () => void): void;
};

/** Undefined outside of browsers. */
export const thisPage = (): Page | undefined => Reflect.get(globalThis, 'document');

export const isHidden = (page: Page | undefined): boolean => page?.visibilityState === 'hidden';

/** Calls `act` when the page is hidden, or when it is shown; the returned function ends that. */
export const when = (
  state: 'hidden' | 'visible',
  page: Page | undefined,
  act: () => void,
): (() => void) => {
  const look = () => {
    if (page?.visibilityState === state) act();
  };
  page?.addEventListener('visibilitychange', look);
  return () => page?.removeEventListener('visibilitychange', look);
};
