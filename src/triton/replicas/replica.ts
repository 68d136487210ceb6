/** One Triton server among several: its health, and the requests that are at it. */
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import { openTransport } from '../open-transport.ts';
import { type Control, type IndexEntry, openControl } from '../protocol/control.ts';
import type { Transport } from '../protocol/transport.ts';
import { type Ejection, openEjection } from './ejection.ts';
import { type Health, openHealth } from './health.ts';
import { openInFlight } from './in-flight.ts';

export type Replica = {
  /** host:port of its HTTP. */
  readonly name: string;
  readonly control: Control;
  readonly state: () => ReplicaState;
};

export type ReplicaState = ReturnType<Health['state']> & {
  /** Requests of this process that wait for its answer. */
  readonly pending: number;
  /** The Triton models that it had READY when it last answered. */
  readonly ready: ReadonlySet<string>;
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
  readonly check: Health['check'];
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

/** The same requests with something round them; `name` is the replica's. */
export type WatchInfer = (infer: Transport['infer'], name: string) => Transport['infer'];

export const openServer = async (
  address: ServerAddress,
  config: Config['triton'],
  log: Log,
  watch: WatchInfer = (infer) => infer,
): Promise<Server> => {
  const name = nameOf(address);
  const transport = await openTransport({ ...config, ...address });
  const control = openControl({ ...address, adminSecret: config.adminSecret });
  const requests = openInFlight(transport);
  const doubts = new Map<string, Ejection>();
  const health = openHealth({
    name,
    control,
    log,
    // What failed there failed with the replica.
    onBack: () => doubts.clear(),
    // A machine that vanished resets no connection: without this its requests would wait for half an hour.
    onSilent: (ms) => requests.giveUp(`its replica has answered no check for ${ms} ms`),
  });
  const close = async (): Promise<void> => {
    await health.stop();
    await transport.close();
  };

  return {
    name,
    control,
    close,
    infer: watch(requests.infer, name),
    check: health.check,
    state: () => ({
      ...health.state(),
      pending: requests.pending(),
      ready: new Set(health.seen().releases.keys()),
    }),
    index: () => health.seen().index,
    releaseOf: (model) => health.seen().releases.get(model),
    doubt: (model) => {
      const doubt = doubts.get(model) ?? openEjection();
      doubt.failed(performance.now());
      doubts.set(model, doubt);
    },
    doubts: (model) => (doubts.get(model)?.until(performance.now()) ?? null) !== null,
    counts: () => ({ ...requests.counts(), ejections: health.ejections() }),
    retire: async () => {
      await requests.ended();
      await close();
    },
  };
};
