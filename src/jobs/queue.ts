/** The queue of tickets, which Bull carries to workers; what a job is and may do is in its record. See decision 2. */

import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { openBull, type QueueTiming } from '../redis/bull.ts';

/**
 * Lets one job start, which need not be the one that it is named after: scripts/take.lua decides. A second ticket of the
 * same name has no effect while the first is there.
 */
export type Ticket = { readonly id: string; readonly dispatch: number };

export type Queue = {
  deliver(ticket: Ticket): Promise<void>;
  /** Hands tickets to `run`, `concurrency` at once. */
  start(concurrency: number, run: (ticket: Ticket) => Promise<void>): void;
  /** Takes no more; what runs goes on. */
  pause(): Promise<void>;
  close(): Promise<void>;
};

/** A ticket that failed is dropped: a lost worker is found by its lease, and the next look at what is due makes a new one. */
export const openQueue = (
  redis: Config['redis'],
  log: Log,
  timing: QueueTiming = { lockMs: 15_000, stalledMs: 5_000 },
): Queue => {
  const { add, ...queue } = openBull<Ticket>('jobs', redis, log, { ...timing, repeats: false });
  return { ...queue, deliver: (ticket) => add(`${ticket.id}.${ticket.dispatch}`, ticket) };
};
