/** Everything about webhooks that both the API and a deliverer need. */
import type { Config } from '../config.ts';
import type { Redises } from '../redis/script.ts';
import { openBacklog } from './backlog.ts';
import { openDeliveries } from './deliveries.ts';
import { openEndpoints } from './endpoints.ts';
import { openSecrets } from './secrets.ts';

export type Webhooks = ReturnType<typeof openWebhooks>;

export const openWebhooks = (stores: Redises, config: Config) => {
  const secrets = openSecrets(stores, config.secrets.pepper);
  return {
    secrets,
    endpoints: openEndpoints(stores, secrets, config),
    deliveries: openDeliveries(stores, config),
    backlog: openBacklog(stores),
  };
};
