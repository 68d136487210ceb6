import { isIPv6 } from 'node:net';

/** The host of a URL by which this machine reaches what listens on `address`: itself, where that is every address. */
export const hostInUrl = (address = '127.0.0.1'): string => {
  if (listensEverywhere(address)) return '127.0.0.1';
  return isIPv6(address) ? `[${address}]` : address;
};

export const listensEverywhere = (address: string): boolean =>
  address === '0.0.0.0' || address === '::';
