import { z } from 'zod';
import { Balance, balanceExample, GrantRequest } from '../../contract/credits.ts';
import { exampleTimes } from '../../contract/examples.ts';
import {
  IssuedKey,
  issuedKeyExample,
  Key,
  KeyList,
  KeyListQuery,
  KeyRequest,
  KeyRotation,
  keyExample,
} from '../../contract/keys.ts';
import type { Claim } from '../../jobs/submit/idempotency.ts';
import { oncePerKey } from '../idempotent.ts';
import { route } from '../route.ts';

const KeyParams = z.strictObject({ id: z.string().describe('of the key') });
const daySeconds = 86_400;

export const createKey = route({
  method: 'post',
  path: '/v1/admin/keys',
  operationId: 'createKey',
  tag: 'Admin: accounts',
  summary: 'Issue a key, which is shown in this answer only',
  description:
    'The key and its `credits` come in one step: neither is there without the other. A key cannot be shown again; so a request that is repeated under its `Idempotency-Key` gets one more key, and no more credits.',
  scope: 'admin',
  rate: 'create',
  idempotent: true,
  body: KeyRequest,
  example: { account: 'acme', name: 'website', scopes: ['create', 'read'], credits: 1000 },
  answer: { status: 201, body: IssuedKey, example: issuedKeyExample },
  fails: [],
  handle: (input, { keys, idempotency }) => {
    const { credits, ...request } = keyOf(input.body);
    return oncePerKey(
      input,
      { idempotency },
      {
        make: async (claim) => {
          const note = 'with a new key';
          const grant =
            credits === undefined ? undefined : { credits, note, token: tokenOf(claim) };
          const issued = await keys.create({ ...request, grant });
          if (claim) await idempotency.answer(claim, issued.id);
          return issued;
        },
        replay: () => keys.create(request),
      },
    );
  },
});

const keyOf = ({ name, scopes, expires_in_seconds, ...asked }: z.output<typeof KeyRequest>) => ({
  ...asked,
  ...(name !== undefined && { name }),
  ...(scopes && { scopes }),
  expiresInSeconds: expires_in_seconds,
});

/** A failure frees the key of a request, though its credits may be granted already: they are not a second time. */
const tokenOf = (claim: Claim | undefined) => claim && `${claim.key} ${claim.hash}`;

export const listKeys = route({
  method: 'get',
  path: '/v1/admin/keys',
  operationId: 'listKeys',
  tag: 'Admin: accounts',
  summary: 'Keys, newest first, of one account or of all',
  scope: 'admin',
  rate: 'read',
  query: KeyListQuery,
  answer: {
    status: 200,
    body: KeyList,
    example: { object: 'list', data: [keyExample], faulty: [] },
  },
  fails: [],
  handle: async ({ query }, { keys }) => ({
    object: 'list' as const,
    data: await keys.list(query.account),
    faulty: await keys.faulty(query.account),
  }),
});

export const rotateKey = route({
  method: 'post',
  path: '/v1/admin/keys/:id/rotate',
  operationId: 'rotateKey',
  tag: 'Admin: accounts',
  summary: 'Issue a successor of a key; the old one works on for the overlap',
  scope: 'admin',
  rate: 'create',
  params: KeyParams,
  body: KeyRotation,
  example: { overlap_seconds: 3600 },
  answer: { status: 201, body: IssuedKey, example: issuedKeyExample },
  fails: ['not_found'],
  handle: ({ params, body }, { keys }) =>
    keys.rotate(params.id, body.overlap_seconds ?? daySeconds),
});

export const revokeKey = route({
  method: 'post',
  path: '/v1/admin/keys/:id/revoke',
  operationId: 'revokeKey',
  tag: 'Admin: accounts',
  summary: 'End a key at once and for good; again changes nothing',
  scope: 'admin',
  rate: 'create',
  params: KeyParams,
  answer: {
    status: 200,
    body: Key,
    example: { ...keyExample, revoked_at: exampleTimes.finished },
  },
  fails: ['not_found'],
  handle: ({ params }, { keys }) => keys.revoke(params.id),
});

export const grantCredits = route({
  method: 'post',
  path: '/v1/admin/credits',
  operationId: 'grantCredits',
  tag: 'Admin: accounts',
  summary: 'Grant credits to an account, or withdraw them',
  scope: 'admin',
  rate: 'create',
  idempotent: true,
  body: GrantRequest,
  example: { account: 'acme', credits: 1000, note: 'invoice 1042' },
  answer: { status: 201, body: Balance, example: balanceExample },
  fails: [],
  handle: (input, { ledger, idempotency }) =>
    oncePerKey(
      input,
      { idempotency },
      {
        make: async (claim) => {
          const { account, credits, note } = input.body;
          const balance = await ledger.grant(account, credits, note, tokenOf(claim));
          if (claim) await idempotency.answer(claim, balance);
          return balance;
        },
        replay: async (before) => Balance.parse(before.state === 'answer' && before.answer),
      },
    ),
});
