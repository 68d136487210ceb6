/** What belongs to a creating request and not to its work: metadata, and where its events are sent. */
import { z } from 'zod';
import { callbackFields, endEvents } from '../../contract/webhooks.ts';
import { Failure, naming } from '../../errors.ts';
import type { Callback } from '../../jobs/submit/submission.ts';
import type { Parts } from '../parts.ts';
import type { OrderRequest } from './source.ts';

const Fields = z.object(callbackFields);

/**
 * The request without these fields, and these fields as a callback, undefined where none was sent. Failure validation_failed
 * for events without a webhook_url.
 */
export const splitCallback = <T extends OrderRequest>(request: T) => {
  const { metadata, webhook_url, webhook_events, ...body } = request.body;
  const given = Fields.parse({ metadata, webhook_url, webhook_events });
  if (given.webhook_events && given.webhook_url === undefined) throw nowhere();
  const callback: Callback = {
    metadata: given.metadata ?? {},
    url: given.webhook_url ?? null,
    events: [...new Set(given.webhook_events ?? endEvents)],
  };
  const isGiven = callback.url !== null || Object.keys(callback.metadata).length > 0;
  return { request: { ...request, body }, callback: isGiven ? callback : undefined };
};

const nowhere = (): Failure => {
  const detail = 'Expected a webhook_url beside webhook_events; got none.';
  const fault = { pointer: '/webhook_events', code: 'conflict', detail };
  return new Failure('validation_failed', {}, { faults: [fault] });
};

/** Failure url_not_allowed. */
export const checkCallback = async (
  callback: Callback | undefined,
  { webhooks }: Pick<Parts, 'webhooks'>,
): Promise<void> => {
  const url = callback?.url;
  if (url) await naming('webhook_url', () => webhooks.endpoints.checkUrl(url));
};
