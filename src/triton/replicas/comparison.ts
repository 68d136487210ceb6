/** Logs which replicas differ from the others in what they have. */
import type { Log } from '../../log.ts';
import type { Server } from './replica.ts';

type Compared = Pick<Server, 'name' | 'state' | 'releaseOf'>;

/** How one replica differs from the others that answer. */
type Difference = {
  readonly replica: string;
  /** Models that another replica has READY, and this one does not. */
  readonly missing: readonly string[];
  /** Models of which an earlier listed replica has another release under the same name. They are not used here. */
  readonly otherRelease: readonly string[];
};

export const differencesOf = (servers: readonly Compared[]): Difference[] => {
  const healthy = servers.filter((server) => server.state().healthy);
  const models = [...new Set(healthy.flatMap((server) => [...server.state().ready]))].sort();
  return healthy.map((server) => ({
    replica: server.name,
    missing: models.filter((model) => server.releaseOf(model) === undefined),
    otherRelease: models.filter((model) => {
      const [release] = servers.flatMap((one) => one.releaseOf(model) ?? []);
      const own = server.releaseOf(model);
      return own !== undefined && own !== release;
    }),
  }));
};

/** Each call compares; a difference is logged once, and not before two calls have found it: models are loaded one after the other. */
export const openComparison = (servers: () => readonly Compared[], log: Log) => {
  const found = new Map<string, string>();
  const told = new Map<string, string>();
  return async (): Promise<void> => {
    for (const difference of differencesOf(servers())) {
      const { replica, missing, otherRelease } = difference;
      const text = JSON.stringify({ missing, otherRelease });
      const isOdd = missing.length + otherRelease.length > 0;
      if (isOdd && found.get(replica) === text && told.get(replica) !== text) {
        log.warn(
          difference,
          'a Triton replica differs from the others; it is used for what it has',
        );
        told.set(replica, text);
      }
      if (!isOdd) told.delete(replica);
      found.set(replica, text);
    }
  };
};
