import ipaddr from 'ipaddr.js';

/** Reached only from inside a cloud, though the range is public: Azure's own service address. */
const inside = ['168.63.129.16'];

/**
 * Whether an IP address belongs to the public internet. Private, loopback, link-local (where clouds keep their
 * metadata), shared, multicast, reserved and unassigned addresses do not; those that carry an IPv4 address are as
 * public as it is.
 */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublicIPv4(address);
  if (isCarrier(address)) return isPublicIPv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  // Only 2000::/3 is given out on the internet.
  return address.range() === 'unicast' && address.match(ipaddr.IPv6.parse('2000::'), 3);
};

const isPublicIPv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && !inside.includes(address.toString());

/** Addresses whose last 32 bits are the IPv4 address they lead to: mapped ones, and those of NAT64's well-known prefix. */
const isCarrier = (address: ipaddr.IPv6): boolean =>
  address.isIPv4MappedAddress() || address.match(ipaddr.IPv6.parse('64:ff9b::'), 96);
