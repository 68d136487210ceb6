/** One Triton server: whether it answers, what it has loaded, and the requests that are at it. */
import { repeat } from '../../async/repeat.ts';
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { openTransport } from '../open-transport.ts';
import { type Control, type IndexEntry, openControl } from '../protocol/control.ts';
import type { Transport } from '../protocol/transport.ts';
import { type Ejection, openEjection } from './ejection.ts';
import { openInFlight } from './in-flight.ts';
import { type Look, look } from './look.ts';

export type Replica = {
  /** host:port of its HTTP. */
  readonly name: string;
  readonly control: Control;
  readonly state: () => ReplicaState;
};

export type ReplicaState = {
  /** It answered its last check and is not ejected. */
  readonly healthy: boolean;
  /** Requests of this process that wait for its answer. */
  readonly pending: number;
  /** In milliseconds since 1970; null when it is not ejected. */
  readonly ejectedUntil: number | null;
  /** The Triton models that it had READY when it last answered. */
  readonly ready: ReadonlySet<string>;
  /** Why it failed its last check; null when it passed. */
  readonly lastError: string | null;
};

/** Since this process has known it. */
export type ReplicaCounts = {
  readonly answered: number;
  readonly failed: number;
  readonly ejections: number;
};

/** A replica as those see it that give it work. */
export type Server = Replica & {
  readonly infer: Transport['infer'];
  /** Looks what it has, beside the look that it takes every second. It does not throw: the state tells how it went. */
  check(): Promise<void>;
  /** What it had in its repository when it last answered. */
  index(): readonly IndexEntry[];
  /** The parameter `release` of a model that it has READY; undefined for any other model. */
  releaseOf(model: string): string | undefined;
  /** Avoids this model here for a while: it failed although it is said to be READY. */
  doubt(model: string): void;
  doubts(model: string): boolean;
  counts(): ReplicaCounts;
  /** Closes it when the requests that are at it have ended. */
  retire(): Promise<void>;
  close(): Promise<void>;
};

export type ServerAddress = { readonly httpUrl: string; readonly grpcUrl: string };

/** host:port. */
export const nameOf = ({ httpUrl }: ServerAddress): string => new URL(httpUrl).host;

/** Time between two looks: a model that was loaded is used after that at the latest. */
const checkMs = 1_000;
/** After so long without an answer the requests at a server are given up, to be repeated on another: what the keeper takes for a hang (decision 14). */
const silentMs = 15_000;
const nothing: Look = { index: [], releases: new Map() };

export const openServer = async (
  address: ServerAddress,
  config: Config['triton'],
  log: Log,
): Promise<Server> => {
  const name = nameOf(address);
  const transport = await openTransport({ ...config, ...address });
  const control = openControl({ ...address, adminSecret: config.adminSecret });
  const requests = openInFlight(transport);
  const ejection = openEjection();
  const doubts = new Map<string, Ejection>();
  const closing = new AbortController();
  let seen = nothing;
  let lastError: string | null = 'it was not asked yet';
  let silentSinceMs: number | null = null;
  let ejections = 0;

  const passed = (): void => {
    if (silentSinceMs !== null) {
      log.info({ replica: name }, 'a Triton replica answers again');
      // What failed there failed with the replica.
      doubts.clear();
    }
    lastError = null;
    silentSinceMs = null;
  };
  const failed = (why: string): void => {
    const now = performance.now();
    if (ejection.failed(now)) ejections += 1;
    if (lastError !== why) log.warn({ replica: name, why }, 'a Triton replica gets no work');
    lastError = why;
    silentSinceMs ??= now;
    if (now - silentSinceMs > silentMs) requests.giveUp(`no answer to checks for ${silentMs} ms`);
  };
  const lookOnce = async (): Promise<void> => {
    try {
      // What was silent may have been started again, with other models under the same names.
      const before = silentSinceMs === null ? seen : nothing;
      seen = await look(control, before, closing.signal);
      passed();
    } catch (error) {
      if (!(error instanceof Failure || closing.signal.aborted)) throw error;
      if (!closing.signal.aborted) failed(reasonOf(error));
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
  const close = async (): Promise<void> => {
    closing.abort(new Error('the replica is closed'));
    await stopChecks();
    await transport.close();
  };

  return {
    ...{ name, control, check, close },
    infer: requests.infer,
    state: () => {
      const now = performance.now();
      const untilMs = ejection.until(now);
      return {
        healthy: lastError === null && untilMs === null,
        pending: requests.pending(),
        ejectedUntil: untilMs === null ? null : Math.round(Date.now() + untilMs - now),
        ready: new Set(seen.releases.keys()),
        lastError,
      };
    },
    index: () => seen.index,
    releaseOf: (model) => seen.releases.get(model),
    doubt: (model) => {
      const doubt = doubts.get(model) ?? openEjection();
      doubt.failed(performance.now());
      doubts.set(model, doubt);
    },
    doubts: (model) => (doubts.get(model)?.until(performance.now()) ?? null) !== null,
    counts: () => ({ ...requests.counts(), ejections }),
    retire: async () => {
      await requests.ended();
      await close();
    },
  };
};

/** What the failure's cause says; the failure itself only says that Triton is not ready. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Failure ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
};
