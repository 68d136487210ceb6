/** The queue of deliveries, which Bull brings when they are due; what a delivery is and how it stands is in its record. */

import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { openBull, type QueueTiming, RunAgain } from '../redis/bull.ts';

/** `run`: see delivery.ts. */
export type DeliveryTicket = { readonly id: string; readonly run: number };

export type DeliveryQueue = ReturnType<typeof openDeliveryQueue>;

/** A ticket stays until its delivery has ended; one whose deliverer was lost comes again within the sum of both times. */
export const openDeliveryQueue = (
  redis: Config['redis'],
  log: Log,
  timing: QueueTiming = { lockMs: 15_000, stalledMs: 5_000 },
) => {
  const { add, start, ...queue } = openBull<DeliveryTicket>('webhooks', redis, log, {
    ...timing,
    repeats: true,
  });
  return {
    ...queue,
    deliver: (ticket: DeliveryTicket) => add(`${ticket.id}.${ticket.run}`, ticket),
    /** `run` answers after how many ms the delivery is to be tried again; null when it has ended. */
    start: (concurrency: number, run: (ticket: DeliveryTicket) => Promise<number | null>) =>
      start(concurrency, async (ticket) => {
        const againMs = await run(ticket);
        if (againMs !== null) throw new RunAgain(againMs);
      }),
  };
};
