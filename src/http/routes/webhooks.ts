import { z } from 'zod';
import {
  AccountSecret,
  accountSecretExample,
  DeletedWebhook,
  DeliveryList,
  DeliveryQuery,
  deliveryDetailExample,
  deliveryExample,
  SecretRotation,
  WebhookChange,
  WebhookDeliveryDetail,
  WebhookEndpoint,
  WebhookList,
  WebhookRequest,
  WebhookWithSecret,
  webhookExample,
  webhookRequestExample,
  webhookWithSecretExample,
} from '../../contract/webhooks.ts';
import { oncePerKey } from '../idempotent.ts';
import type { Parts } from '../parts.ts';
import { route } from '../route.ts';

const WebhookParams = z.strictObject({ id: z.string().describe('of the endpoint') });
const DeliveryParams = z.strictObject({ id: z.string().describe('of the delivery') });

type Acts<T> = {
  /** What is done once; the id of what it was done to, which is kept under the key: not a secret. */
  readonly act: () => Promise<string>;
  readonly answer: (id: string) => Promise<T>;
};

/** Acts once under an Idempotency-Key; a repeated request is answered as things are then. */
const onceFor = <T>(
  input: Parameters<typeof oncePerKey>[0],
  parts: Parts,
  { act, answer }: Acts<T>,
): Promise<T> =>
  oncePerKey(input, parts, {
    make: async (claim) => {
      const id = await act();
      if (claim) await parts.idempotency.answer(claim, id);
      return answer(id);
    },
    replay: (before) => answer(z.string().parse(before.state === 'answer' && before.answer)),
  });

const createWebhook = route({
  method: 'post',
  path: '/v1/webhooks',
  operationId: 'createWebhook',
  tag: 'Webhooks',
  summary: 'Register an endpoint that is told the events of all jobs; shows its secret',
  scope: 'create',
  rate: 'create',
  idempotent: true,
  body: WebhookRequest,
  example: webhookRequestExample,
  answer: { status: 201, body: WebhookWithSecret, example: webhookWithSecretExample },
  fails: ['url_not_allowed', 'too_many_webhooks'],
  handle: (input, parts) => {
    const { account } = input.caller;
    const { endpoints } = parts.webhooks;
    return onceFor(input, parts, {
      act: () => endpoints.create(account, input.body),
      answer: (id) => endpoints.withSecret(account, id),
    });
  },
});

const listWebhooks = route({
  method: 'get',
  path: '/v1/webhooks',
  operationId: 'listWebhooks',
  tag: 'Webhooks',
  summary: 'The endpoints of the account, oldest first',
  scope: 'read',
  rate: 'read',
  answer: { status: 200, body: WebhookList, example: { object: 'list', data: [webhookExample] } },
  fails: [],
  handle: async ({ caller }, { webhooks }) => ({
    object: 'list' as const,
    data: await webhooks.endpoints.list(caller.account),
  }),
});

const getWebhook = route({
  method: 'get',
  path: '/v1/webhooks/:id',
  operationId: 'getWebhook',
  tag: 'Webhooks',
  summary: 'An endpoint, and why it is disabled where it is',
  scope: 'read',
  rate: 'read',
  params: WebhookParams,
  answer: { status: 200, body: WebhookEndpoint, example: webhookExample },
  fails: ['not_found'],
  handle: ({ params, caller }, { webhooks }) => webhooks.endpoints.get(caller.account, params.id),
});

const changeWebhook = route({
  method: 'post',
  path: '/v1/webhooks/:id',
  operationId: 'changeWebhook',
  tag: 'Webhooks',
  summary: 'Change fields of an endpoint, or enable it again; what is left out stays',
  scope: 'create',
  rate: 'create',
  params: WebhookParams,
  body: WebhookChange,
  example: { events: ['job.failed'], enabled: true },
  answer: { status: 200, body: WebhookEndpoint, example: webhookExample },
  fails: ['not_found', 'url_not_allowed'],
  handle: ({ params, body, caller }, { webhooks }) =>
    webhooks.endpoints.change(caller.account, params.id, body),
});

const removeWebhook = route({
  method: 'delete',
  path: '/v1/webhooks/:id',
  operationId: 'deleteWebhook',
  tag: 'Webhooks',
  summary: 'Remove an endpoint; its pending deliveries are not made',
  scope: 'create',
  rate: 'create',
  params: WebhookParams,
  answer: {
    status: 200,
    body: DeletedWebhook,
    example: { id: webhookExample.id, object: 'webhook', deleted: true },
  },
  fails: ['not_found'],
  handle: async ({ params, caller }, { webhooks }) => {
    await webhooks.endpoints.remove(caller.account, params.id);
    return { id: params.id, object: 'webhook' as const, deleted: true as const };
  },
});

const rotateWebhook = route({
  method: 'post',
  path: '/v1/webhooks/:id/rotate',
  operationId: 'rotateWebhookSecret',
  tag: 'Webhooks',
  summary: 'Give an endpoint a new secret; both sign for the overlap',
  scope: 'create',
  rate: 'create',
  idempotent: true,
  params: WebhookParams,
  body: SecretRotation,
  example: { overlap_seconds: 3600 },
  answer: { status: 200, body: WebhookWithSecret, example: webhookWithSecretExample },
  fails: ['not_found'],
  handle: (input, parts) => {
    const { account } = input.caller;
    const { endpoints } = parts.webhooks;
    return onceFor(input, parts, {
      act: () => endpoints.rotate(account, input.params.id, input.body.overlap_seconds),
      answer: (id) => endpoints.withSecret(account, id),
    });
  },
});

const pingWebhook = route({
  method: 'post',
  path: '/v1/webhooks/:id/ping',
  operationId: 'pingWebhook',
  tag: 'Webhooks',
  summary: 'Send an endpoint a webhook.ping, once; its delivery tells how that went',
  scope: 'create',
  rate: 'create',
  idempotent: true,
  params: WebhookParams,
  answer: { status: 202, body: WebhookDeliveryDetail, example: deliveryDetailExample },
  fails: ['not_found'],
  handle: async (input, parts) => {
    const { account } = input.caller;
    const { endpoints, deliveries } = parts.webhooks;
    return onceFor(input, parts, {
      act: async () => deliveries.ping(account, await endpoints.get(account, input.params.id)),
      answer: (id) => deliveries.get(account, id),
    });
  },
});

const getSecret = route({
  method: 'get',
  path: '/v1/webhook-secret',
  operationId: 'getWebhookSecret',
  tag: 'Webhooks',
  summary: "The account's own secret, which signs what the webhook_url of a request gets",
  scope: 'create',
  rate: 'read',
  answer: { status: 200, body: AccountSecret, example: accountSecretExample },
  fails: [],
  handle: ({ caller }, { webhooks }) => webhooks.endpoints.accountSecret(caller.account),
});

const rotateSecret = route({
  method: 'post',
  path: '/v1/webhook-secret/rotate',
  operationId: 'rotateAccountWebhookSecret',
  tag: 'Webhooks',
  summary: "Give the account a new secret for its requests' webhook_url; both sign for the overlap",
  scope: 'create',
  rate: 'create',
  idempotent: true,
  body: SecretRotation,
  example: { overlap_seconds: 3600 },
  answer: { status: 200, body: AccountSecret, example: accountSecretExample },
  fails: [],
  handle: (input, parts) => {
    const { account } = input.caller;
    const { endpoints } = parts.webhooks;
    return onceFor(input, parts, {
      act: () => endpoints.rotateAccount(account, input.body.overlap_seconds),
      answer: () => endpoints.accountSecret(account),
    });
  },
});

const listDeliveries = route({
  method: 'get',
  path: '/v1/webhook-deliveries',
  operationId: 'listWebhookDeliveries',
  tag: 'Webhooks',
  summary: 'Deliveries to endpoints and to the webhook_url of requests, newest first',
  scope: 'read',
  rate: 'read',
  query: DeliveryQuery,
  answer: {
    status: 200,
    body: DeliveryList,
    example: { object: 'list', data: [deliveryExample], has_more: false },
  },
  fails: [],
  handle: async ({ query, caller }, { webhooks }) => ({
    object: 'list' as const,
    ...(await webhooks.deliveries.list(caller.account, query)),
  }),
});

const getDelivery = route({
  method: 'get',
  path: '/v1/webhook-deliveries/:id',
  operationId: 'getWebhookDelivery',
  tag: 'Webhooks',
  summary: 'A delivery with its latest attempts and what it sends',
  scope: 'read',
  rate: 'read',
  params: DeliveryParams,
  answer: { status: 200, body: WebhookDeliveryDetail, example: deliveryDetailExample },
  fails: ['not_found'],
  handle: ({ params, caller }, { webhooks }) => webhooks.deliveries.get(caller.account, params.id),
});

const resendDelivery = route({
  method: 'post',
  path: '/v1/webhook-deliveries/:id/resend',
  operationId: 'resendWebhookDelivery',
  tag: 'Webhooks',
  summary: 'Make a delivery again, with the same webhook-id, whatever became of it',
  scope: 'create',
  rate: 'create',
  idempotent: true,
  params: DeliveryParams,
  answer: { status: 202, body: WebhookDeliveryDetail, example: deliveryDetailExample },
  fails: ['not_found'],
  handle: (input, parts) => {
    const { account } = input.caller;
    const { deliveries } = parts.webhooks;
    return onceFor(input, parts, {
      act: () => deliveries.resend(account, input.params.id),
      answer: (id) => deliveries.get(account, id),
    });
  },
});

export const webhookRoutes = [
  ...[createWebhook, listWebhooks, getWebhook, changeWebhook, removeWebhook],
  ...[rotateWebhook, pingWebhook, getSecret, rotateSecret],
  ...[listDeliveries, getDelivery, resendDelivery],
];
