import { once } from 'node:events';
import { z } from 'zod';
import { closeRedis, endless } from '../../redis/connection.ts';
import type { Redises } from '../../redis/script.ts';

/** 'unsure': the connection was lost for a while, so any event may have been missed. */
export type JobEvent = z.infer<typeof JobEvent> | 'unsure';
type Listener = (event: JobEvent) => void;

export type Signals = {
  /** Calls `listener` for each event of the job until the returned function is called. */
  listen(id: string, listener: Listener): () => void;
  /** Calls `listener` for each job that waits from now on, until the returned function is called. */
  listenToQueued(listener: () => void): () => void;
  close(): Promise<void>;
};

const JobEvent = z.enum([
  ...(['queued', 'processing', 'progress', 'cancel'] as const),
  ...(['succeeded', 'failed', 'canceled'] as const),
]);
const Message = z.object({ id: z.string(), event: JobEvent });

/** The events of jobs, over one Redis subscription for the whole process. */
export const openSignals = async ({ redis, prefix }: Redises): Promise<Signals> => {
  const subscriber = redis.duplicate(endless);
  const listeners = new Map<string, Set<Listener>>();
  const ofQueued = new Set<() => void>();
  const tell = (id: string, event: JobEvent) => {
    for (const listener of listeners.get(id) ?? []) listener(event);
  };
  subscriber.on('error', (error) => redis.emit('error', error));
  subscriber.on('message', (_channel, text) => {
    // A process of another version may publish events that this one does not know; they are ignored.
    const message = Message.safeParse(JSON.parse(text)).data;
    if (message) tell(message.id, message.event);
    if (message?.event === 'queued') for (const listener of ofQueued) listener();
  });
  // Events were missed until now, so subscribe first and then have every listener look again.
  const subscribe = async () => {
    await subscriber.subscribe(`${prefix}:events`);
    for (const id of listeners.keys()) tell(id, 'unsure');
  };
  // A process that starts while Redis is away subscribes when it is there.
  await Promise.race([subscribe(), once(subscriber, 'error')]);
  // One that ends in the middle of an outage hears that its connection was closed.
  subscriber.on('ready', () => subscribe().catch((error) => redis.emit('error', error)));

  return {
    listen: (id, listener) => {
      const all = listeners.get(id) ?? new Set();
      listeners.set(id, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0 && listeners.get(id) === all) listeners.delete(id);
      };
    },
    listenToQueued: (listener) => {
      ofQueued.add(listener);
      return () => void ofQueued.delete(listener);
    },
    close: async () => {
      await closeRedis(subscriber);
    },
  };
};
