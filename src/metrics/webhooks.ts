/** Deliveries of webhooks. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { known } from './known.ts';

/** Measured by the worker, which makes them. */
export const createWebhookMetrics = (registry: Registry) => ({
  attempts: new Counter({
    name: 'enhance_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by its type and outcome: delivered, again (another attempt follows) or failed',
    labelNames: ['type', 'outcome'],
    registers: [registry],
  }),
  forgotten: new Counter({
    name: 'enhance_webhook_deliveries_forgotten_total',
    help: 'Deliveries that were still to be made and were dropped, as their account had more than ACCOUNT_WEBHOOK_DELIVERIES',
    registers: [registry],
  }),
});

type Backlog = {
  /** ms; null for none. */
  oldestAtMs(): Promise<Readonly<Record<'worker' | 'receiver', number | null>>>;
  disabled(): Promise<Readonly<Record<string, number>>>;
};

/** What Redis knows, as in state.ts: take the maximum over the API processes. */
export const measureWebhooks = (registry: Registry, backlog: Backlog): void => {
  new Gauge({
    name: 'enhance_webhook_oldest_undelivered_seconds',
    help: 'Seconds for which the oldest webhook has waited: "worker", an event that no worker has taken; "receiver", a delivery that its receiver has not accepted and that is tried again; 0 for none',
    labelNames: ['waits_for'],
    registers: [registry],
    async collect() {
      const oldest = await known(backlog.oldestAtMs());
      this.reset();
      if (oldest === undefined) return;
      for (const [waits_for, at] of Object.entries(oldest))
        this.set({ waits_for }, at === null ? 0 : Math.max(0, Date.now() - at) / 1000);
    },
  });
  new Gauge({
    name: 'enhance_webhooks_disabled',
    help: 'Endpoints of all accounts that are disabled, by why: by_request, answered_410, failed_for_days',
    labelNames: ['reason'],
    registers: [registry],
    async collect() {
      const counts = (await known(backlog.disabled())) ?? {};
      this.reset();
      for (const [reason, count] of Object.entries(counts)) this.set({ reason }, count);
    },
  });
};
