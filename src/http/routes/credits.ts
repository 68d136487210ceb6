import { Balance, LedgerPage, LedgerQuery } from '../../contract/credits.ts';
import { route } from '../route.ts';

export const getCredits = route({
  method: 'get',
  path: '/v1/credits',
  summary: 'Balance, held credits and the tier of this month',
  scope: 'read',
  rate: 'read',
  answer: { status: 200, body: Balance },
  fails: [],
  handle: ({ caller }, { ledger }) => ledger.balance(caller.account),
});

export const listLedger = route({
  method: 'get',
  path: '/v1/credits/ledger',
  summary: 'Every change of the balance, newest first',
  scope: 'read',
  rate: 'read',
  query: LedgerQuery,
  answer: { status: 200, body: LedgerPage },
  fails: [],
  handle: async ({ query, caller }, { ledger }) => ({
    object: 'list' as const,
    ...(await ledger.entries(caller.account, query)),
  }),
});
