/** All Triton servers, one or several, behind one transport. See decision 23. */
import { repeat } from '../../async/repeat.ts';
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import type { Transport } from '../protocol/transport.ts';
import { addressesOf, type Resolve, systemResolve } from './addresses.ts';
import { openBalanced } from './balanced.ts';
import { openComparison } from './comparison.ts';
import { type Fleet, openFleet } from './fleet.ts';
import { type MergedControl, openMerged } from './merged.ts';
import {
  openServer,
  type Replica,
  type ReplicaCounts,
  type ReplicaState,
  type ServerAddress,
  type WatchInfer,
} from './replica.ts';

type Replicas = {
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

type Options = {
  /** Puts something round the requests to each replica. */
  readonly watch?: WatchInfer;
  readonly resolve?: Resolve;
  /** Time between two looks at the host name. */
  readonly resolveMs?: number;
};

/** Time between two comparisons of what the replicas have. */
const compareMs = 5_000;

/** Resolves when each replica was asked a first time; one that does not answer is no failure. */
export const openReplicas = async (
  config: Config['triton'],
  log: Log,
  { resolve = systemResolve, resolveMs = 5_000, watch }: Options = {},
): Promise<Replicas> => {
  const fleet = openFleet((address) => openServer(address, config, log, watch), log);
  const transport = openBalanced(config.transport, fleet);
  const follow = openFollowing(addressesOf(config, resolve), fleet, log);
  await follow();
  const isOne = config.servers.length === 1 && config.discovery === 'static';
  const stops = [
    ...(config.discovery === 'dns' ? [repeat(resolveMs, follow, log)] : []),
    ...(isOne ? [] : [repeat(compareMs, openComparison(fleet.list, log), log)]),
  ];

  return {
    transport,
    control: openMerged(fleet),
    list: fleet.list,
    stats: () => ({
      repeated: fleet.repeated(),
      replicas: fleet
        .list()
        .map((server) => ({ name: server.name, ...server.state(), ...server.counts() })),
    }),
    close: async () => {
      await Promise.all(stops.map((stop) => stop()));
      await transport.close();
    },
  };
};

/** Gives the fleet the servers that there are now. Where they cannot be found the fleet keeps those that it has: a name server that fails says nothing about them. */
const openFollowing = (
  addresses: () => Promise<readonly ServerAddress[]>,
  fleet: Fleet,
  log: Log,
) => {
  let fault = '';
  return async (): Promise<void> => {
    const found = await addresses().catch((error: unknown) => {
      if (fault !== String(error)) log.warn({ err: error }, "Triton's host name has no addresses");
      fault = String(error);
      return null;
    });
    if (!found) return;
    fault = '';
    await fleet.set(found);
  };
};
