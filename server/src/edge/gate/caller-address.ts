import ipaddr from 'ipaddr.js';

/**
 * The address of a caller as limits count it. A customer of a provider holds a whole /64 of IPv6 and can use every
 * address in it, so the /64 counts as one caller. IPv4 inside IPv6 counts as IPv4. Limits take this type and no string,
 * so none can count an address in another way.
 */
export type CallerAddress = string & { readonly [counted]: true };
declare const counted: unique symbol;

const groupsOf64 = 4;

export function callerAddress(address: string | undefined): CallerAddress {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown' as CallerAddress;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString() as CallerAddress;
  const network = parsed.parts.slice(0, groupsOf64).map((group) => group.toString(16));
  return `${network.join(':')}::/64` as CallerAddress;
}
