import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { z } from 'zod';
import type { Log } from '../log.ts';

/**
 * A connection that survives a restart of Redis: commands wait until it is connected again. With 'work' they wait
 * without limit; with 'caller' they fail after 5 s at most, with 'operator' after 30 s, with an error that `isUnreachable`
 * recognises.
 * Whoever opens the connection closes it with `closeRedis`.
 */
export const openRedis = (url: string, log: Log, waits: keyof typeof retries): Redis => {
  const redis = new Batching(url, retries[waits]);
  redis.on('error', (error) => tellRedisFailed(log, error));
  return redis;
};

const TELL_AGAIN_MS = 10_000;
let told = { message: '', at: Number.NEGATIVE_INFINITY };

/**
 * Logs why a connection failed. The same reason is logged once in 10 s for all connections of the process: a worker has a
 * dozen, and each tries again every 2 s at least.
 */
export const tellRedisFailed = (log: Log, { message }: Error): void => {
  const now = performance.now();
  if (message === told.message && now - told.at < TELL_AGAIN_MS) return;
  told = { message, at: now };
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

/** Whether Redis refused a write because it has no memory left; what it holds it goes on to answer. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error &&
  // Redis 6 quotes it in the error of a script.
  (/^(ERR Error running script .*-)?OOM command not allowed/.test(error.message) ||
    // Of a transaction, ioredis lists what was refused in it.
    ('previousErrors' in error &&
      Array.isArray(error.previousErrors) &&
      error.previousErrors.some(isOutOfMemory)));

export type Redises = { readonly redis: Redis; readonly prefix: string };

const OUT_OF_MEMORY_MS = 1000;

/**
 * A Lua script as a function whose answer is validated by `answer`. `-- @include "file"` lines are replaced by the
 * named file, relative to the script. Every script gets the key prefix as KEYS[1] and builds the names
 * of its keys below it; on a Redis cluster the prefix needs a hash tag, as with Bull.
 */
export const script = <T>(file: URL, answer: z.ZodType<T>) => {
  let loaded: { text: string; sha: string } | undefined;
  return async ({ redis, prefix }: Redises, ...args: readonly (string | number)[]): Promise<T> => {
    loaded ??= load(file);
    for (;;) {
      try {
        return answer.parse(await run(redis, loaded, prefix, args));
      } catch (error) {
        // A script that is refused for want of memory has changed nothing. Work waits for memory as it waits for Redis.
        if (!isOutOfMemory(error) || redis.options.maxRetriesPerRequest !== null) throw error;
        redis.emit('error', error);
        await sleep(OUT_OF_MEMORY_MS);
      }
    }
  };
};

const load = (file: URL) => {
  const text = withIncludes(file);
  return { text, sha: createHash('sha1').update(text).digest('hex') };
};

const withIncludes = (file: URL): string =>
  readFileSync(file, 'utf8').replace(/^-- @include "(.+)"$/gm, (_, name) =>
    withIncludes(new URL(name, file)),
  );

const run = async (
  redis: Redis,
  { text, sha }: { text: string; sha: string },
  prefix: string,
  args: readonly (string | number)[],
): Promise<unknown> => {
  try {
    return await redis.evalsha(sha, 1, prefix, ...args);
  } catch (error) {
    // Redis forgets scripts when it restarts.
    if (error instanceof Error && error.message.startsWith('NOSCRIPT')) {
      return redis.eval(text, 1, prefix, ...args);
    }
    throw error;
  }
};
