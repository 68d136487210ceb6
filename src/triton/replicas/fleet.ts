/** The servers that there are at the moment, and the choice among them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { modelUnavailable } from '../protocol/faults.ts';
import { leastPending, serversWith } from './choose.ts';
import { nameOf, type Server, type ServerAddress } from './replica.ts';

export type Fleet = {
  list(): readonly Server[];
  /** Makes these the servers. One that is no longer among them finishes what is at it, and is closed. */
  set(addresses: readonly ServerAddress[]): Promise<void>;
  /** Asks the servers that answered last time what they have; all servers when none did. */
  refresh(): Promise<void>;
  /**
   * Does the work on the server that has the model and the fewest requests at it. Work that fails as model_unavailable (its
   * server is lost, or could not take it) is done once more on another server; any other failure is the model's own.
   * Throws Failure model_unavailable, whose cause has the state of each server, when none has the model.
   */
  ask<T>(model: string, work: (server: Server) => Promise<T>): Promise<T>;
  /** How often work was done once more. */
  repeated(): number;
  close(): Promise<void>;
};

/** A server that answers has answered by then; the others count with what they had before. */
const graceMs = 500;

export const openFleet = (open: (address: ServerAddress) => Promise<Server>, log: Log): Fleet => {
  let servers: readonly Server[] = [];
  const leaving = new Set<Server>();
  let repeated = 0;
  // Several processes that begin with the same server would all choose it first while all are idle.
  let turn = Math.floor(Math.random() * 1000);

  const retire = async (server: Server): Promise<void> => {
    log.info({ replica: server.name }, 'a Triton replica has left');
    leaving.add(server);
    await server.retire();
    leaving.delete(server);
  };
  const refresh = async (): Promise<void> => {
    const healthy = servers.filter((server) => server.state().healthy);
    const asked = healthy.length > 0 ? healthy : servers;
    const late = new AbortController();
    const answered = Promise.all(asked.map((server) => server.check()));
    await Promise.race([answered, sleep(graceMs, undefined, { signal: late.signal })]);
    late.abort();
  };
  const choose = (model: string, except?: Server): Server | undefined => {
    turn += 1;
    const able = serversWith(model, servers).filter((server) => server !== except);
    const from = turn % Math.max(1, able.length);
    return leastPending(model, [...able.slice(from), ...able.slice(0, from)]);
  };
  const find = async (model: string, except?: Server): Promise<Server | undefined> => {
    const chosen = choose(model, except);
    if (chosen?.state().healthy) return chosen;
    // It may have been loaded since the last check, or its server may be back.
    await refresh();
    // Where none is healthy one is tried all the same: a machine that stalls for seconds makes all of them seem hung.
    return choose(model, except);
  };
  const take = async (model: string): Promise<Server> => {
    const [only, ...others] = servers;
    // With one server there is nothing to choose: Triton itself says what it does not have.
    if (only && others.length === 0) return only;
    const found = await find(model);
    if (!found) throw absent(model, servers);
    return found;
  };
  const another = async (model: string, first: Server, error: unknown): Promise<Server> => {
    if (!(error instanceof Failure && error.code === 'model_unavailable')) throw error;
    first.doubt(model);
    void first.check();
    const found = servers.length > 1 ? await find(model, first) : undefined;
    if (!found) throw error;
    return found;
  };

  return {
    list: () => servers,
    refresh,
    set: async (addresses) => {
      const before = new Map(servers.map((server) => [server.name, server]));
      const now = await Promise.all(
        addresses.map((address) => before.get(nameOf(address)) ?? open(address)),
      );
      servers = now;
      for (const server of before.values()) if (!now.includes(server)) void retire(server);
      const added = now.filter(({ name }) => !before.has(name));
      await Promise.all(added.map((server) => server.check()));
    },
    ask: async (model, work) => {
      const first = await take(model);
      try {
        return await work(first);
      } catch (error) {
        const second = await another(model, first, error);
        repeated += 1;
        return work(second);
      }
    },
    repeated: () => repeated,
    close: async () => {
      await Promise.all([...servers, ...leaving].map((server) => server.close()));
    },
  };
};

const absent = (model: string, servers: readonly Server[]): Failure => {
  const stands = servers.map((server) => {
    const { healthy, lastError } = server.state();
    if (!healthy) return `${server.name} gets no work (${lastError ?? 'it failed before'})`;
    const release = server.releaseOf(model);
    return release === undefined
      ? `${server.name} does not have it`
      : `${server.name} has its release "${release}"`;
  });
  const why = stands.join(', ') || 'there are no replicas';
  return modelUnavailable(model, new Error(`expected a replica that has it READY; ${why}`));
};
