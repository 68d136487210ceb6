/** All Triton servers, one or several, behind one transport. See decision 23. */
import { repeat } from '../../async/repeat.ts';
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import type { Transport } from '../protocol/transport.ts';
import { addressesOf, type Resolve, systemResolve } from './addresses.ts';
import { openBalanced } from './balanced.ts';
import { type Fleet, openFleet } from './fleet.ts';
import { type MergedControl, openMerged } from './merged.ts';
import {
  openServer,
  type Replica,
  type ReplicaCounts,
  type ReplicaState,
  type ServerAddress,
} from './replica.ts';

export type Replicas = {
  readonly transport: Transport;
  readonly control: MergedControl;
  list(): readonly Replica[];
  stats(): ReplicasStats;
  /** Ends the requests that are under way. */
  close(): Promise<void>;
};

type ReplicasStats = {
  /** Requests that were repeated on another replica. */
  readonly repeated: number;
  readonly replicas: readonly (ReplicaState & ReplicaCounts & { readonly name: string })[];
};

/** Time between two looks at the host name. */
const resolveMs = 5_000;

/** Resolves when each replica was asked a first time; one that does not answer is no failure. */
export const openReplicas = async (
  config: Config['triton'],
  log: Log,
  resolve: Resolve = systemResolve,
): Promise<Replicas> => {
  const fleet = openFleet((address) => openServer(address, config, log), log);
  const transport = openBalanced(config.transport, fleet);
  const stopFollowing = await follow(addressesOf(config, resolve), config, fleet, log);

  return {
    transport,
    control: openMerged(fleet),
    list: () => fleet.list(),
    stats: () => ({
      repeated: fleet.repeated(),
      replicas: fleet
        .list()
        .map((server) => ({ name: server.name, ...server.state(), ...server.counts() })),
    }),
    close: async () => {
      await stopFollowing();
      await transport.close();
    },
  };
};

/** Gives the fleet its servers, and for a host name goes on doing so until the returned function is called. */
const follow = async (
  addresses: () => Promise<readonly ServerAddress[]>,
  { discovery }: Config['triton'],
  fleet: Fleet,
  log: Log,
): Promise<() => Promise<void>> => {
  if (discovery === 'static') {
    await fleet.set(await addresses());
    return async () => {};
  }
  let fault = '';
  const lookUp = async (): Promise<void> => {
    try {
      await fleet.set(await addresses());
      fault = '';
    } catch (error) {
      // The servers stay as they are: a name server that fails says nothing about them.
      if (fault !== String(error))
        log.warn({ err: error }, 'the replicas of Triton were not found');
      fault = String(error);
    }
  };
  await lookUp();
  return repeat(resolveMs, lookUp, log);
};
