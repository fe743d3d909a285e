import type { ContainerRecord } from './records.ts';
import { addressOf, blockedRanges, bridgeOf, bridgePrefix, type ContainerSettings, subnetOf } from './settings.ts';

export const table = ['inet', 'gpuaas_containers'] as const;
const any = `"${bridgePrefix}*"`;

/**
 * The rules around containers, whole, for all allocations of the host. Every word comes from here, from checked settings, from numbers
 * that we gave out, or is a port of an order, which is a number by its schema.
 *
 * Each allocation has a bridge of its own. Its containers reach each other; the host reaches the ports that were ordered; and those
 * that may reach the internet do, by NAT, without private networks and metadata services. Everything else is dropped, in both
 * directions, and so is all IPv6.
 */
export function rulesOf(settings: ContainerSettings, records: readonly ContainerRecord[]): string {
  const living = records.filter(({ state }) => state === 'open');
  const workloads = living.flatMap(({ index, workloads: all }) =>
    all
      .filter(({ state }) => state !== 'stopped')
      .map((one) => ({ ...one, address: addressOf(settings, index, one.host) })),
  );
  const outward = workloads.filter(({ egress }) => egress === 'internet').map(({ address }) => address);
  const doors = workloads.filter(({ ports }) => ports.length > 0);
  const resolvers = settings.nameServers.join(', ');
  const clear = `table ${table.join(' ')} {}\ndelete table ${table.join(' ')}\n`;
  // The walls stand as long as anything may run: a workload that is to stop, or whose lease ended, can still do so.
  if (records.length === 0) return clear;
  return `${clear}
table ${table.join(' ')} {
  set blocked {
    type ipv4_addr
    flags interval
    auto-merge
    elements = { ${blockedRanges(settings).join(', ')} }
  }
  set outward {
    type ipv4_addr
${outward.length === 0 ? '' : `    elements = { ${outward.join(', ')} }\n`}  }
  chain input {
    type filter hook input priority -10; policy accept;
    iifname != ${any} return
    ct state established,related accept
    drop
  }
  chain output {
    type filter hook output priority -10; policy accept;
    oifname != ${any} return
    ct state established,related accept
${doors.map(({ address, ports }) => `    ip daddr ${address} tcp dport { ${portsOf(ports)} } accept\n`).join('')}    drop
  }
  chain forward {
    type filter hook forward priority -10; policy accept;
${living.map(({ index }) => `    iifname "${bridgeOf(index)}" oifname "${bridgeOf(index)}" accept\n`).join('')}    iifname != ${any} oifname != ${any} return
    ct state established,related accept
    iifname ${any} oifname ${any} drop
    meta nfproto ipv6 drop
${resolvers === '' ? '' : `    iifname ${any} ip saddr @outward ip daddr { ${resolvers} } meta l4proto { tcp, udp } th dport 53 accept\n`}    iifname ${any} ip daddr @blocked drop
${living.map(({ index }) => `    iifname "${bridgeOf(index)}" ip saddr ${subnetOf(settings, index)} ip saddr @outward accept\n`).join('')}    drop
  }
  chain to_world {
    type nat hook postrouting priority 100; policy accept;
    ip saddr ${settings.network} oifname != ${any} masquerade
  }
}
`;
}

const portsOf = (ports: readonly { readonly port: number }[]) => [...new Set(ports.map(({ port }) => port))].join(', ');
