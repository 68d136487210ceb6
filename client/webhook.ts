/** Checks that a webhook came from the service. */
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Job, WebhookEventType } from './contract.ts';

/** An event of a job, or the test of an endpoint. */
export type WebhookEvent = { readonly timestamp: string } & (
  | { readonly type: WebhookEventType; readonly data: Job }
  | { readonly type: 'webhook.ping'; readonly data: { readonly webhook: string } }
);
type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Standard Webhooks: id, time and signature of a delivery, in lower case as Node has them. */
const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * The event that a delivery tells. `body` is the text as it came, not parsed and written again. Throws
 * WebhookVerificationError when the signature is wrong or the delivery is older than 5 minutes.
 */
export const verifyWebhook = (
  secret: string,
  { headers, body }: { readonly headers: WebhookHeaders; readonly body: string },
): WebhookEvent => {
  const given = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]));
  return JSON.parse(JSON.stringify(new Webhook(secret).verify(body, given)));
};
export { WebhookVerificationError };
