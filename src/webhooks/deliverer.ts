/** Moves events from the outbox to the queue, and makes the deliveries that are due. */
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../async/repeat.ts';
import type { Redises } from '../redis/script.ts';
import { type AttemptParts, attempt } from './attempt.ts';
import { type FanOutParts, messagesOf } from './fan-out.ts';
import { type Outbox, type OutboxEntry, openOutbox } from './outbox.ts';
import type { DeliveryQueue, DeliveryTicket } from './queue.ts';
import { openShares } from './shares.ts';

export type DelivererParts = AttemptParts & {
  readonly stores: Redises;
  readonly jobs: FanOutParts['jobs'];
  readonly shown: FanOutParts['shown'];
  readonly deliveryQueue: DeliveryQueue;
};

/** Between two looks into the outbox: what a delivery waits for beside its own time, which is to be below 1 s. */
const LOOK_MS = 200;
/** Attempts that one deliverer makes at a time. */
const AT_ONCE = 100;
/** How long attempts that are under way may go on when the process ends; the others are made again elsewhere. */
const DRAIN_MS = 2_000;

export const startDeliverer = (
  parts: DelivererParts,
  outbox: Outbox = openOutbox(parts.stores),
) => {
  const { webhooks, deliveryQueue, log, metrics } = parts;
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();
  const shares = openShares();

  const ticketsOf = async (id: string, entry: OutboxEntry): Promise<DeliveryTicket[]> => {
    if (entry.kind === 'delivery') return [{ id: entry.id, run: entry.run }];
    const tickets: DeliveryTicket[] = [];
    const messages = await messagesOf(id, entry, {
      jobs: parts.jobs,
      endpoints: webhooks.endpoints,
      shown: parts.shown,
    });
    if (!messages) {
      const { type, job } = entry;
      const reason = 'the record of its job is gone or cannot be read';
      log.warn({ entry: id, type, job_id: job }, `a webhook event was dropped: ${reason}`);
    }
    for (const message of messages ?? []) {
      const { isPending, forgotten } = await webhooks.deliveries.expect(message);
      if (isPending) tickets.push({ id: message.id, run: 0 });
      if (forgotten > 0) {
        metrics.webhooks.forgotten.inc(forgotten);
        log.warn({ account: message.account, forgotten }, 'pending deliveries were forgotten');
      }
    }
    return tickets;
  };

  const move = async ([id, text]: readonly [string, string]): Promise<void> => {
    try {
      for (const ticket of await ticketsOf(id, outbox.read(text)))
        await deliveryQueue.deliver(ticket);
      await outbox.done(id);
    } catch (error) {
      // It comes again, and holds up no other entry.
      log.error({ err: error, entry: id }, 'an entry of the outbox could not be moved');
    }
  };

  const moveAll = async (): Promise<void> => {
    for (;;) {
      const entries = await outbox.take();
      if (entries.length === 0) return;
      await Promise.all(entries.map(move));
    }
  };

  /** One account's slow receivers leave places to those of others. */
  const inTurn = async (ticket: DeliveryTicket): Promise<number | null> => {
    const account = (await webhooks.deliveries.find(ticket.id))?.account;
    if (account === undefined) return null;
    const laterMs = shares.take(account);
    if (laterMs !== null) return laterMs;
    try {
      return await attempt(ticket, parts, ending.signal);
    } finally {
      shares.give(account);
    }
  };

  const tracked = async (ticket: DeliveryTicket): Promise<number | null> => {
    const work = inTurn(ticket);
    running.add(work);
    try {
      return await work;
    } catch (error) {
      // Bull hands it to another deliverer at once.
      if (ending.signal.aborted) return 0;
      throw error;
    } finally {
      running.delete(work);
    }
  };

  const stopMoving = repeat(LOOK_MS, moveAll, log);
  deliveryQueue.start(AT_ONCE, tracked);

  return {
    close: async (): Promise<void> => {
      const quiet = Promise.allSettled([stopMoving(), deliveryQueue.pause()]);
      const patience = () => sleep(DRAIN_MS, undefined, { ref: false });
      await Promise.race([Promise.allSettled(running), patience()]);
      ending.abort(new Error('the deliverer ends'));
      // Without Redis these would wait for ever, and nothing is lost with them.
      await Promise.race([Promise.allSettled([quiet, ...running]), patience()]);
    },
  };
};
