import type { NodeAlert } from '@gpuaas/contract';
import { mostWords } from './facts.ts';

/** An alert before it is written: what it says, and of which slot. Without one it is about the whole node. */
export interface Finding {
  readonly kind: string;
  readonly effect: NodeAlert['effect'];
  readonly message: string;
  readonly tenantMessage: string | null;
  readonly slotId: string | null;
  readonly allocationId: string | null;
}
export interface ReportedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}
export interface KnownSlot {
  readonly id: string;
  readonly slot_index: number;
  readonly pci_address: string;
  readonly state: string;
}
/** What is known of a node when its report is evaluated. */
export interface Host {
  readonly shape: 'baremetal' | 'gpu_slice';
  readonly conditions: readonly ReportedCondition[];
  readonly slots: readonly KnownSlot[];
}

/** Conditions that say something about the machine room and not about what is sold: shown, and nothing follows. */
const shownOnly: ReadonlySet<string> = new Set(['ClockKept', 'KernelLogReadable', 'SshAnswers', 'GpusCool']);
/** The agent reports it while it drains: the state of the node shows it already. */
const known: ReadonlySet<string> = new Set(['AcceptsLeases']);
/** Conditions that a tenant with root on a whole node can cause without a hardware fault. */
const tenantMade: ReadonlySet<string> = new Set(['GpusHealthy', 'DriverReady', 'StorageReady', 'HostResponsive']);
/**
 * What only the hardware brings about, as the host's kernel and the GPU's own counters see it. It counts in this condition
 * alone: others repeat what a program wrote, and a tenant can make a program write anything.
 */
const ofHardware = 'GpusHealthy';
const hardware = /\bxid[ _]?(\d+)|fallen off the bus|memory errors could not be corrected/i;

/** What tenants read about conditions that are no fault of the hardware. */
const wordsForTenants: Readonly<Record<string, string>> = {
  GpusCool: 'A GPU is too hot and runs slower than usual. Nothing is lost; it speeds up again when it has cooled down.',
};

const kindOf = (type: string): string => type.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();

/**
 * What a report means. A condition that does not hold blocks the sale of the slots that it names, or of all slots.
 * While a tenant rents a whole node, conditions that root there can cause only inform: they neither quarantine the node
 * nor count against its GPUs. They are evaluated again when the node becomes free.
 */
export function evaluateReport({ shape, conditions, slots }: Host): Finding[] {
  const isRented = shape === 'baremetal' && slots.some(({ state }) => state === 'in_use');
  const found = conditions
    .filter(({ type, status }) => status === 'False' && !known.has(type))
    .flatMap((condition): Finding[] => {
      const text = `${condition.reason} ${condition.message}`;
      const fault = condition.type === ofHardware ? hardware.exec(text) : null;
      const informs = shownOnly.has(condition.type) || (isRented && !fault && tenantMade.has(condition.type));
      const message = `${condition.reason}: ${condition.message}`.trim().slice(0, mostWords);
      const finding = {
        kind: kindOf(condition.type),
        effect: informs ? ('informs' as const) : ('blocks_sale' as const),
        message,
        tenantMessage: fault ? faultWords(fault) : (wordsForTenants[condition.type] ?? null),
        allocationId: null,
      };
      const named = slotsIn(condition.message, slots);
      return named.length === 0 ? [{ ...finding, slotId: null }] : named.map(({ id }) => ({ ...finding, slotId: id }));
    });
  return oncePerTarget(found);
}

/**
 * One finding for each kind, slot and allocation: a node may report a condition twice, and an alert is kept once. Of
 * two, the one with more effect stays, then the one that tenants see, then the first.
 */
export function oncePerTarget(findings: readonly Finding[]): Finding[] {
  const kept = new Map<string, Finding>();
  for (const finding of findings) {
    const target = JSON.stringify([finding.kind, finding.slotId, finding.allocationId]);
    const known = kept.get(target);
    if (!known || outweighs(finding, known)) kept.set(target, finding);
  }
  return [...kept.values()];
}
function outweighs(one: Finding, other: Finding): boolean {
  const blocks = one.effect !== 'informs';
  if (blocks !== (other.effect !== 'informs')) return blocks;
  return one.tenantMessage !== null && other.tenantMessage === null;
}

const faultWords = ([, xid]: RegExpExecArray): string =>
  `A GPU reports a hardware fault${xid ? ` (Xid ${xid})` : ''}. Save your work and launch another machine; this one goes on until you release it.`;

/** The slots that a message names, by PCI address or by number. */
function slotsIn(message: string, slots: readonly KnownSlot[]): KnownSlot[] {
  const addresses = new Set(message.toLowerCase().match(/[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]/g) ?? []);
  const numbers = new Set([...message.matchAll(/\bslots? (\d+)/gi)].map(([, index]) => Number(index)));
  return slots.filter(({ pci_address, slot_index }) => addresses.has(pci_address) || numbers.has(slot_index));
}

/** Whether two sets say the same, so that nothing has to be written. */
export function isSame(one: readonly Finding[], other: readonly Finding[]): boolean {
  const spell = (findings: readonly Finding[]) =>
    JSON.stringify(
      findings
        .map((each) => [each.kind, each.slotId, each.allocationId, each.effect, each.message, each.tenantMessage])
        .sort((a, b) => (String(a) < String(b) ? -1 : 1)),
    );
  return spell(one) === spell(other);
}
