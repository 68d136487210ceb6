import { OwnKey, ownKeyExample } from '../../contract/keys.ts';
import { operator } from '../parts.ts';
import { route } from '../route.ts';

export const getKey = route({
  method: 'get',
  path: '/v1/key',
  operationId: 'getKey',
  tag: 'Keys',
  summary: 'The key of this request: its account, what it may do, and when it expires',
  scope: 'any',
  rate: 'read',
  answer: { status: 200, body: OwnKey, example: ownKeyExample },
  fails: [],
  handle: async ({ caller }, { keys }) => {
    const { account, keyId, scopes } = caller;
    const key = keyId === operator.keyId ? null : await keys.working(keyId);
    return {
      id: keyId,
      account: account || null,
      scopes: [...scopes],
      name: key?.name ?? null,
      expires_at: key?.expires_at ?? null,
    };
  },
});
