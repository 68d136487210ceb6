/** The addresses of the replicas: those of the configuration, or those that its host name has now. */
import { lookup } from 'node:dns/promises';
import type { Config } from '../../config.ts';
import type { ServerAddress } from './replica.ts';

/** All addresses of a host name, IPv4 and IPv6. Throws an Error when it has none. */
export type Resolve = (host: string) => Promise<readonly IpAddress[]>;
type IpAddress = { readonly address: string; readonly family: number };

/** As the system does it: /etc/hosts, and the search domains by which Kubernetes finds its services. */
export const systemResolve: Resolve = (host) => lookup(host, { all: true });

/** Every call looks again. */
export const addressesOf =
  ({ servers, discovery }: Config['triton'], resolve: Resolve) =>
  async (): Promise<readonly ServerAddress[]> => {
    const [named] = servers;
    if (discovery === 'static' || !named) return servers;
    const found = onePerReplica(await resolve(new URL(named.httpUrl).hostname));
    return found.map((ip) => at(named, ip)).sort((a, b) => a.httpUrl.localeCompare(b.httpUrl));
  };

/** A replica in a network with IPv4 and IPv6 has an address of each: it must not count twice. */
const onePerReplica = (found: readonly IpAddress[]): readonly IpAddress[] => {
  const v4 = found.filter(({ family }) => family === 4);
  return v4.length > 0 ? v4 : found;
};

const at = ({ httpUrl, grpcUrl }: ServerAddress, { address, family }: IpAddress): ServerAddress => {
  const host = family === 6 ? `[${address}]` : address;
  const url = new URL(httpUrl);
  url.hostname = host;
  return {
    httpUrl: url.href.replace(/\/$/, ''),
    grpcUrl: `${host}${grpcUrl.slice(grpcUrl.lastIndexOf(':'))}`,
  };
};
