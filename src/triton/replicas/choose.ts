/** Which server gets a request: pure. */
import type { Server } from './replica.ts';

/**
 * The servers that can be asked for a model: those that answer and have it READY. All of one name must be one release; the
 * release of the first listed server that has the name counts, also while that server does not answer.
 */
export const serversWith = <T extends Pick<Server, 'state' | 'releaseOf'>>(
  model: string,
  servers: readonly T[],
): T[] => {
  const release = servers
    .map((server) => server.releaseOf(model))
    .find((found) => found !== undefined);
  if (release === undefined) return [];
  return servers.filter((server) => server.releaseOf(model) === release && server.state().healthy);
};

/** Of those that are not in doubt, if there are any, the one with the fewest requests at it; the first of several. */
export const leastPending = <T extends Pick<Server, 'state' | 'doubts'>>(
  model: string,
  servers: readonly T[],
): T | undefined => {
  const trusted = servers.filter((server) => !server.doubts(model));
  const [first, ...rest] = trusted.length > 0 ? trusted : servers;
  return rest.reduce(
    (best, server) => (best && server.state().pending < best.state().pending ? server : best),
    first,
  );
};
