/** Ports for servers that tests start, and start again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFree } from '../../src/stack/ports.ts';
import { tempDir } from './run.ts';

/**
 * Linux takes the ports of outgoing connections from 32768 on. Such a connection of another test could take the port of
 * a server while that is down, so that it could not start again: these ports lie below.
 */
const [first, beyond] = [20_000, 32_000];

/** As many different free ports of 127.0.0.1 as asked for. No other process of the run gets them, whether something listens there or not. */
export const freePorts = async (count: number): Promise<number[]> => {
  const found: number[] = [];
  while (found.length < count) {
    const port = first + Math.floor(Math.random() * (beyond - first));
    if (claims(port) && (await isFree(port, '127.0.0.1'))) found.push(port);
  }
  return found;
};

/** True for the first who asks for the port in this run. */
const claims = (port: number): boolean => {
  claimed ??= process.env.TEST_DIR ?? tempDir('ports');
  try {
    writeFileSync(join(claimed, `port-${port}`), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (Object(error).code === 'EEXIST') return false;
    throw error;
  }
};
let claimed: string | undefined;
