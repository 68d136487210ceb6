import ipaddr from 'ipaddr.js';

/** Azure's own service address: in a public range, but reached only from inside that cloud. */
const internal = ['168.63.129.16'];

/**
 * Whether an IP address belongs to the public internet. Private, loopback, link-local (where clouds keep their
 * metadata), shared, multicast, reserved and unassigned addresses do not; those that carry an IPv4 address are as
 * public as it is.
 */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublicIPv4(address);
  if (holdsIPv4(address)) return isPublicIPv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  // IANA assigns public addresses from 2000::/3 only.
  return address.range() === 'unicast' && address.match(ipaddr.IPv6.parse('2000::'), 3);
};

const isPublicIPv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && !internal.includes(address.toString());

/** Addresses whose last 32 bits are an IPv4 address: IPv4-mapped ones (RFC 4291), and NAT64's well-known prefix (RFC 6052). */
const holdsIPv4 = (address: ipaddr.IPv6): boolean =>
  address.isIPv4MappedAddress() || address.match(ipaddr.IPv6.parse('64:ff9b::'), 96);
