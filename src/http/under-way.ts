import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Counts the requests whose answers have not been sent completely. To be called before the server listens. */
export const requestsOf = (server: Server) => {
  let underWay = 0;
  const ends = new EventEmitter();
  const count = (_: IncomingMessage, res: ServerResponse): void => {
    underWay += 1;
    res.once('close', () => {
      underWay -= 1;
      if (underWay === 0) ends.emit('none');
    });
  };
  server.on('request', count);
  server.on('checkContinue', count);
  return {
    /** Resolves when none is under way, or after `withinMs`. */
    ended: async (withinMs: number): Promise<void> => {
      if (underWay === 0) return;
      await Promise.race([once(ends, 'none'), sleep(withinMs, undefined, { ref: false })]);
    },
  };
};
