/** Ports for servers that tests start, and start again. */
import { isFree } from '../../src/stack/ports.ts';

/**
 * Linux takes the ports of outgoing connections from 32768 on. Such a connection of another test could take the port of
 * a server while that is down, so that it could not start again: these ports lie below.
 */
const [first, beyond] = [20_000, 32_000];

/** As many different free ports of 127.0.0.1 as asked for. */
export const freePorts = async (count: number): Promise<number[]> => {
  const found = new Set<number>();
  while (found.size < count) {
    const port = first + Math.floor(Math.random() * (beyond - first));
    if (await isFree(port, '127.0.0.1')) found.add(port);
  }
  return [...found];
};
