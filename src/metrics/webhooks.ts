/** Deliveries of webhooks: measured by the worker, which makes them. */
import { Counter, type Registry } from 'prom-client';

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
