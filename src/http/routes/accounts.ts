/** The credits of all accounts, for operators. */
import { z } from 'zod';
import {
  AccountPage,
  AccountQuery,
  Balance,
  balanceExample,
  LedgerPage,
  LedgerQuery,
  ledgerExample,
} from '../../contract/credits.ts';
import { Account } from '../../contract/keys.ts';
import { route } from '../route.ts';

const AccountParams = z.strictObject({ account: Account });

export const listAccounts = route({
  method: 'get',
  path: '/v1/admin/accounts',
  operationId: 'listAccounts',
  tag: 'Admin: accounts',
  summary: 'Every account with its credits, by name',
  description:
    'An account is there once it has a key or credits. For the next page, `starting_after` is the last account of this one.',
  scope: 'admin',
  rate: 'read',
  query: AccountQuery,
  answer: {
    status: 200,
    body: AccountPage,
    example: { object: 'list', data: [balanceExample], has_more: false },
  },
  fails: [],
  handle: async ({ query: { limit, starting_after: after = '' } }, { ledger }) => {
    const names = (await ledger.accounts()).filter((name) => name > after);
    return {
      object: 'list' as const,
      data: await Promise.all(names.slice(0, limit).map(ledger.balance)),
      has_more: names.length > limit,
    };
  },
});

export const getAccount = route({
  method: 'get',
  path: '/v1/admin/accounts/:account',
  operationId: 'getAccount',
  tag: 'Admin: accounts',
  summary: 'The credits of an account; 0 for one that has never had any',
  scope: 'admin',
  rate: 'read',
  params: AccountParams,
  answer: { status: 200, body: Balance, example: balanceExample },
  fails: [],
  handle: ({ params }, { ledger }) => ledger.balance(params.account),
});

export const listAccountLedger = route({
  method: 'get',
  path: '/v1/admin/accounts/:account/ledger',
  operationId: 'listAccountLedger',
  tag: 'Admin: accounts',
  summary: 'Every change of the balance of an account, newest first',
  scope: 'admin',
  rate: 'read',
  params: AccountParams,
  query: LedgerQuery,
  answer: { status: 200, body: LedgerPage, example: ledgerExample },
  fails: [],
  handle: async ({ params, query }, { ledger }) => ({
    object: 'list' as const,
    ...(await ledger.entries(params.account, query)),
  }),
});
