/** What all replicas together have, as if they were one server. */
import type { Failure } from '../../errors.ts';
import type { Control, IndexEntry } from '../protocol/control.ts';
import { modelUnavailable } from '../protocol/faults.ts';
import type { Fleet } from './fleet.ts';
import type { Server } from './replica.ts';

export type MergedControl = Pick<Control, 'repositoryIndex' | 'modelConfig'>;

/** With one replica its own answers; with several a model counts as READY that one which answers has READY. */
export const openMerged = (fleet: Fleet): MergedControl => ({
  repositoryIndex: async (within) => {
    const [only, ...others] = fleet.list();
    if (only && others.length === 0) return only.control.repositoryIndex(within);
    await fleet.refresh();
    return mergedIndex(fleet.list());
  },
  modelConfig: (model) => fleet.ask(model, ({ control }) => control.modelConfig(model)),
});

/** Best first. A model without a state was never loaded. */
const states = ['READY', 'LOADING', 'UNLOADING', 'UNAVAILABLE', undefined];

/** One entry for each model. Throws Failure model_unavailable when no server answers. */
export const mergedIndex = (
  servers: readonly Pick<Server, 'name' | 'state' | 'index'>[],
): IndexEntry[] => {
  if (!servers.some((server) => server.state().healthy)) throw silent(servers);
  const best = new Map<string, IndexEntry>();
  for (const server of servers) {
    for (const entry of server.state().healthy ? server.index() : lost(server)) {
      const known = best.get(entry.name);
      if (!known || rank(entry) < rank(known)) best.set(entry.name, entry);
    }
  }
  return [...best.values()];
};

/** What a server had that does not answer now. */
const lost = (server: Pick<Server, 'name' | 'index'>): IndexEntry[] =>
  server.index().map(({ name, state }) => ({
    name,
    state: state && 'UNAVAILABLE',
    reason: `the replica ${server.name} had it and does not answer`,
  }));

const rank = ({ state }: IndexEntry): number => {
  const at = states.indexOf(state);
  return at < 0 ? states.length : at;
};

const silent = (servers: readonly Pick<Server, 'name' | 'state'>[]): Failure => {
  const stands = servers.map(
    ({ name, state }) => `${name}: ${state().lastError ?? 'it failed before'}`,
  );
  const why = stands.join(', ') || 'there are none';
  return modelUnavailable('Triton', new Error(`none of its replicas answers; ${why}`));
};
