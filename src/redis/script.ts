import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { refusedWrite } from './errors.ts';

export type Redises = { readonly redis: Redis; readonly prefix: string };

const REFUSED_MS = 1000;

/**
 * A Lua script as a function whose answer is validated by `answer`. `-- @include "file"` lines are replaced by the
 * named file, relative to the script. Every script gets the key prefix as KEYS[1] and builds the names
 * of its keys below it; on a Redis cluster the prefix needs a hash tag, as with Bull.
 * The first call of any script reads them all: files that an update changes under a running process do not fit its code.
 */
export const script = <T>(file: URL, answer: z.ZodType<T>) => {
  unread.add(file);
  return async ({ redis, prefix }: Redises, ...args: readonly (string | number)[]): Promise<T> => {
    const loaded = read(file);
    for (;;) {
      try {
        return answer.parse(await run(redis, loaded, prefix, args));
      } catch (error) {
        // A script that is refused has changed nothing. Work waits until Redis takes writes, as it waits for Redis.
        if (!refusedWrite(error) || redis.options.maxRetriesPerRequest !== null) throw error;
        redis.emit('error', error);
        await sleep(REFUSED_MS);
      }
    }
  };
};

type Loaded = { readonly text: string; readonly sha: string };
const unread = new Set<URL>();
const scripts = new Map<URL, Loaded>();

const read = (file: URL): Loaded => {
  for (const one of unread) scripts.set(one, load(one));
  unread.clear();
  const loaded = scripts.get(file);
  if (!loaded) throw new Error(`${file} was not read`);
  return loaded;
};

const load = (file: URL): Loaded => {
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
