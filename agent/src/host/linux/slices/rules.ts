import { guestPort } from './reports/program.ts';
import { alwaysBlocked, bridge, gatewayOf, type SliceNames, type SliceSettings } from './settings.ts';

/** The tables that are ours. Each change replaces both whole, in one step of the kernel. */
export const tables = [
  ['bridge', 'gpuaas'],
  ['inet', 'gpuaas'],
] as const;

/**
 * The rules around slices. Every word comes from here, from checked settings or from the numbers of slots.
 *
 * On the bridge each port may send as its own hardware address and its own IPv4 address, and nothing else: no other's ARP, no
 * answer as a DHCP server, no IPv6 at all, and so no router advertisement or neighbour discovery. A port without rules of its own
 * sends nothing. The isolation of ports, which libvirt sets, keeps ports from each other; it needs no rule.
 *
 * Above it, slices reach the world by NAT, and the port for their reports at the gateway, but neither the rest of the host nor blocked ranges nor each other; from outside, sshd of a slice
 * is reached at a port of the host, where it is open.
 */
export function rulesOf(settings: SliceSettings, slices: readonly SliceNames[], open: readonly SliceNames[]): string {
  const blocked = [...new Set([...alwaysBlocked, ...settings.blocked])].join(', ');
  const resolvers = settings.nameServers.join(', ');
  return `${tables.map((table) => `table ${table.join(' ')} {}\ndelete table ${table.join(' ')}\n`).join('')}
table bridge gpuaas {
${slices.map(chainOf).join('')}
  chain from_slices {
    type filter hook prerouting priority -300; policy accept;
${slices.map(({ tap }) => `    iifname "${tap}" jump ${chainName(tap)}\n`).join('')}    iifname "gpuaas-s*" drop
  }
}
table inet gpuaas {
  set blocked {
    type ipv4_addr
    flags interval
    auto-merge
    elements = { ${blocked} }
  }
  chain input {
    type filter hook input priority -10; policy accept;
    iifname != { "${bridge}", "lo" } ip daddr ${gatewayOf(settings)} tcp dport ${guestPort} drop
    iifname != "${bridge}" return
    ct state established,related accept
    udp sport 68 udp dport 67 accept
    ip daddr ${gatewayOf(settings)} tcp dport ${guestPort} accept
    drop
  }
  chain forward {
    type filter hook forward priority -10; policy accept;
    iifname "${bridge}" oifname "${bridge}" drop
    ct state established,related accept
${resolvers === '' ? '' : `    iifname "${bridge}" ip daddr { ${resolvers} } meta l4proto { tcp, udp } th dport 53 accept\n`}    iifname "${bridge}" ip daddr @blocked drop
    iifname "${bridge}" ip saddr != ${settings.network} drop
    iifname "${bridge}" meta nfproto ipv6 drop
    oifname "${bridge}" ct status dnat accept
    oifname "${bridge}" drop
  }
  chain to_slices {
    type nat hook prerouting priority -100; policy accept;
${open.map(({ sshPort, address }) => `    iifname != "${bridge}" fib daddr type local tcp dport ${sshPort} dnat ip to ${address}:22\n`).join('')}  }
  chain to_slices_from_host {
    type nat hook output priority -100; policy accept;
${open.map(({ sshPort, address }) => `    fib daddr type local ip daddr != 127.0.0.0/8 tcp dport ${sshPort} dnat ip to ${address}:22\n`).join('')}  }
  chain to_world {
    type nat hook postrouting priority 100; policy accept;
    ip saddr ${settings.network} oifname != "${bridge}" masquerade
    ip saddr != ${gatewayOf(settings)} oifname "${bridge}" ct status dnat masquerade
  }
}
`;
}

const chainName = (tap: string) => `from_${tap.replaceAll('-', '_')}`;
const chainOf = ({ tap, mac, address }: SliceNames): string => `  chain ${chainName(tap)} {
    ether saddr != ${mac} drop
    ether type arp arp saddr ether ${mac} arp saddr ip { ${address}, 0.0.0.0 } accept
    ether type arp drop
    ether type ip udp sport 67 drop
    ether type ip ip saddr ${address} accept
    ether type ip ip saddr 0.0.0.0 udp sport 68 udp dport 67 accept
    drop
  }
`;
