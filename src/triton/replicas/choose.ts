/** Which server gets a request: pure. */
import type { Server } from './replica.ts';

/**
 * The servers that have a model READY, as far as is known. All of one name must be one release: that of the first listed
 * server that has the name counts, also while that server does not answer.
 */
export const serversWith = <T extends Pick<Server, 'releaseOf'>>(
  model: string,
  servers: readonly T[],
): T[] => {
  const release = servers
    .map((server) => server.releaseOf(model))
    .find((found) => found !== undefined);
  return release === undefined
    ? []
    : servers.filter((server) => server.releaseOf(model) === release);
};

/** The one with the fewest requests at it, the first of several: of the healthy ones; of those, of the ones not in doubt. */
export const leastPending = <T extends Pick<Server, 'state' | 'doubts'>>(
  model: string,
  servers: readonly T[],
): T | undefined => {
  const [best] = servers
    .map((server) => ({ server, ...server.state(), doubted: server.doubts(model) }))
    .sort(
      (a, b) =>
        Number(b.healthy) - Number(a.healthy) ||
        Number(a.doubted) - Number(b.doubted) ||
        a.pending - b.pending,
    );
  return best?.server;
};
