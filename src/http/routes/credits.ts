import {
  Balance,
  balanceExample,
  LedgerPage,
  LedgerQuery,
  ledgerExample,
} from '../../contract/credits.ts';
import { route } from '../route.ts';

export const getCredits = route({
  method: 'get',
  path: '/v1/credits',
  operationId: 'getCredits',
  tag: 'Credits',
  summary: 'Balance, held credits and the tier of this month',
  scope: 'read',
  rate: 'read',
  answer: { status: 200, body: Balance, example: balanceExample },
  fails: [],
  handle: ({ caller }, { ledger }) => ledger.balance(caller.account),
});

export const listLedger = route({
  method: 'get',
  path: '/v1/credits/ledger',
  operationId: 'listLedger',
  tag: 'Credits',
  summary: 'Every change of the balance, newest first',
  description:
    'Nothing in it is ever changed or removed. For the next page, `starting_after` is the id of the last entry of this one.',
  scope: 'read',
  rate: 'read',
  query: LedgerQuery,
  answer: { status: 200, body: LedgerPage, example: ledgerExample },
  fails: [],
  handle: async ({ query, caller }, { ledger }) => ({
    object: 'list' as const,
    ...(await ledger.entries(caller.account, query)),
  }),
});
