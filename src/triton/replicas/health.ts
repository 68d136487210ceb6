/** Whether a server answers, and what it had when it last did. */
import { repeat } from '../../async/repeat.ts';
import { Failure } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Control } from '../protocol/control.ts';
import { openEjection } from './ejection.ts';
import { type Look, look } from './look.ts';

export type Health = {
  /** Looks now, beside the look that is taken every second; a call during a look shares it. It does not throw: the state says how it went. */
  check(): Promise<void>;
  /** What the server had when it last answered. */
  seen(): Look;
  state(): HealthState;
  ejections(): number;
  stop(): Promise<void>;
};

type HealthState = {
  /** It answered its last check and is not ejected. */
  readonly healthy: boolean;
  /** End of the ejection, ms since 1970; null when it is not ejected. */
  readonly ejectedUntil: number | null;
  /** Why it failed its last check; null when it passed. */
  readonly lastError: string | null;
};

type HealthParts = {
  readonly name: string;
  readonly control: Control;
  readonly log: Log;
  /** It answers again after it did not. */
  readonly onBack: () => void;
  /** It has not answered for `silentMs`; reported again with each further check. */
  readonly onSilent: (silentMs: number) => void;
};

/** Time between two looks: a model that was loaded is used after that at the latest. */
const checkMs = 1_000;
/** What the keeper takes for a hang, too (decision 14). */
const silentMs = 15_000;
const nothing: Look = { index: [], releases: new Map() };

export const openHealth = ({ name, control, log, onBack, onSilent }: HealthParts): Health => {
  const ejection = openEjection();
  const stopping = new AbortController();
  let seen = nothing;
  let lastError: string | null = 'it was not asked yet';
  let silentSinceMs: number | null = null;
  let ejections = 0;

  const passed = (): void => {
    const isBack = silentSinceMs !== null;
    lastError = null;
    silentSinceMs = null;
    if (!isBack) return;
    log.info({ replica: name }, 'a Triton replica answers again');
    onBack();
  };
  const failed = (why: string): void => {
    const now = performance.now();
    if (ejection.failed(now)) ejections += 1;
    if (lastError !== why) log.warn({ replica: name, why }, 'a Triton replica does not answer');
    lastError = why;
    silentSinceMs ??= now;
    if (now - silentSinceMs > silentMs) onSilent(silentMs);
  };
  const lookOnce = async (): Promise<void> => {
    try {
      // What was silent may have been started again, with other models under the same names.
      const before = silentSinceMs === null ? seen : nothing;
      seen = await look(control, before, stopping.signal);
      passed();
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (!(error instanceof Failure)) throw error;
      failed(error.cause instanceof Error ? error.cause.message : error.message);
    }
  };
  let looking: Promise<void> | null = null;
  const check = (): Promise<void> => {
    looking ??= lookOnce().finally(() => {
      looking = null;
    });
    return looking;
  };
  const stopChecks = repeat(checkMs, check, log);

  return {
    check,
    seen: () => seen,
    state: () => {
      const now = performance.now();
      const untilMs = ejection.until(now);
      return {
        healthy: lastError === null && untilMs === null,
        ejectedUntil: untilMs === null ? null : Math.round(Date.now() + untilMs - now),
        lastError,
      };
    },
    ejections: () => ejections,
    stop: async () => {
      stopping.abort(new Error('the replica is closed'));
      await stopChecks();
    },
  };
};
