import ipaddr from 'ipaddr.js';

/** Networks that may be reached although they are not public: what the operator of an installation allows. */
export type Networks = readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];

export function readNetworks(list: string | undefined): Networks {
  return (list ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => {
      if (!ipaddr.isValidCIDR(each)) throw new Error(`"${each}" is no network: write it as 10.0.0.0/8`);
      return ipaddr.parseCIDR(each);
    });
}

/**
 * Whether an address may be reached. Only unicast addresses of the public Internet are: not loopback, private, link-local (and
 * with it the metadata services of clouds), shared, documentation, multicast or reserved ones, and none that carries an IPv4
 * address inside an IPv6 one, except the mapped form, which is judged as the IPv4 address that it is.
 */
export function isReachable(address: string, networks: Networks): boolean {
  // Text such as 127.1 or 0x7f.1 is an address to some resolvers; here only the plain form is one.
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  const isAllowed = networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
  return isAllowed || (parsed.range() === 'unicast' && !isTranslated(parsed));
}

/** IPv4-compatible addresses (::a.b.c.d) and local-use translation (64:ff9b:1::/48) lead to IPv4 networks. */
const translations: Networks = [
  ipaddr.parseCIDR('::/96'),
  ipaddr.parseCIDR('64:ff9b::/96'),
  ipaddr.parseCIDR('64:ff9b:1::/48'),
];
const isTranslated = (parsed: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  parsed.kind() === 'ipv6' && translations.some(([network, bits]) => parsed.match(network, bits));
