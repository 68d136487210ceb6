import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { Log } from '../log.ts';
import type { Redises } from './script.ts';

/**
 * A connection that survives a restart of Redis: commands wait until it is connected again. With 'work' they wait
 * without limit; with 'caller' they fail after 5 s at most, with 'operator' after 30 s, with an error that `isUnreachable`
 * recognises.
 * Whoever opens the connection closes it with `closeRedis`.
 */
export const openRedis = (url: string, log: Log, waits: keyof typeof retries): Redis => {
  const redis = new Batching(url, retries[waits]);
  redis.on('error', (error) => logRedisFailed(log, error));
  return redis;
};

const LOG_AGAIN_MS = 10_000;
/** When each reason was last logged, in ms. */
const lastLogged = new Map<string, number>();

/**
 * Logs why a connection failed. The same reason is logged once in 10 s for all connections of the process: a worker has a
 * dozen, and each tries again every 2 s at least.
 */
export const logRedisFailed = (log: Log, { message }: Error): void => {
  const now = performance.now();
  for (const [reason, at] of lastLogged) if (now - at >= LOG_AGAIN_MS) lastLogged.delete(reason);
  if (lastLogged.has(message)) return;
  lastLogged.set(message, now);
  log.warn({ error: message }, 'Redis failed; it is tried again');
};

/** Sends the commands of one turn of the event loop in one write: each write costs the API as much as all its JSON. */
class Batching extends Redis {
  #held = false;

  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    const { stream } = this;
    if (!this.#held && stream) {
      this.#held = true;
      stream.cork();
      setImmediate(() => {
        this.#held = false;
        stream.uncork();
      });
    }
    return super.sendCommand(...sent);
  }
}

/**
 * Throws where Redis refuses the database that the URL names, as it does the password: ioredis goes on in database 0, in
 * which another service may have its data. A Redis that is away is not waited for.
 */
export const checkDatabase = async (redis: Redis): Promise<void> => {
  const { db } = redis.options;
  if (!db) return;
  const refused = once(redis, 'error').then(([error]) => {
    if (error.name === 'ReplyError') throw error;
  });
  await Promise.race([redis.select(db), refused]);
};

/** Fails where Redis takes no writes: without them it can serve no request, though it answers. */
export const tryWrite = ({ redis, prefix }: Redises): Promise<unknown> =>
  redis.set(`${prefix}:writable`, '1', 'PX', 60_000);

/** Ends a connection after its last commands; at once when Redis is away, as these would be waited for without limit. */
export const closeRedis = async (redis: Redis): Promise<void> => {
  if (redis.status === 'ready') await redis.quit();
  else redis.disconnect();
};

/** The longest time between two tries to connect. */
export const MOST_RECONNECT_MS = 2_000;

/** Options of a connection that is never given up, as a subscription must be. */
export const endless = {
  maxRetriesPerRequest: null,
  commandTimeout: undefined,
  retryStrategy: (times: number) => Math.min(times * 100, MOST_RECONNECT_MS),
};

// Commands fail within 3 s when connections are refused, and within 5 s when Redis does not answer.
const caller = {
  maxRetriesPerRequest: 5,
  commandTimeout: 5_000,
  retryStrategy: (times: number) => Math.min(times * 100, 500),
};

const retries = {
  work: endless,
  caller,
  // A person can wait, and on a busy machine a command may get no processor for 5 s.
  operator: { ...caller, commandTimeout: 30_000 },
};
