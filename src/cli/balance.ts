import type { Balance } from '../../client/contract.ts';
import { counted } from '../text/counted.ts';
import { type Calling, serviceOf } from './calling.ts';

type Printing = { readonly json?: boolean };

/** `enhance credits balance` without an account: that of the key, as the API tells it. */
export const ownBalance = async (options: Calling & Printing): Promise<void> =>
  printBalance(await serviceOf(options).credits(), options);

export const printBalance = (now: Balance, { json }: Printing): void => {
  const { account, balance, held, available } = now;
  console.log(
    json
      ? JSON.stringify(now)
      : `${account}: ${counted(balance, 'credit')}, ${held} held, ${available} available.`,
  );
};
