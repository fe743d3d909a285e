import type { HostTopology, ResourceSlot } from '@gpuaas/sdk';
import { lookOfSlot, type SlotHost } from '../../words/ops/wall.ts';
import { spellMemory } from '../../words/sizes.ts';

const looks: Readonly<Record<ResourceSlot['state'], string>> = {
  available: 'border-ok bg-ok-soft text-ok',
  in_use: 'border-accent bg-accent-soft text-accent',
  reserved: 'border-accent bg-accent-soft text-accent',
  cleaning: 'border-warn bg-warn-soft text-warn',
  cleanup_blocked: 'border-bad bg-bad-soft text-bad',
  quarantined: 'border-bad bg-bad-soft text-bad',
  disabled: 'border-line bg-sunk text-dim',
};

/** The host as it is built: sockets with their memory, and the GPUs of each socket. */
export function Topology({
  topology,
  slots,
  host,
  onChoose,
}: {
  topology: HostTopology | null;
  slots: readonly ResourceSlot[];
  host: SlotHost;
  onChoose?: (slot: ResourceSlot) => void;
}) {
  const numas = [...new Set([...(topology?.numa_nodes.map(({ id }) => id) ?? []), ...slots.map((s) => s.numa_node)])];
  return (
    <div className="grid gap-4 md:grid-cols-2">
      {numas
        .sort((a, b) => a - b)
        .map((numa) => {
          const socket = topology?.numa_nodes.find(({ id }) => id === numa);
          return (
            <section key={numa} aria-label={`NUMA node ${numa}`} className="rounded-xl border-2 border-edge p-3">
              <header className="mb-3 flex flex-wrap items-baseline justify-between gap-2">
                <h3 className="font-semibold">NUMA {numa}</h3>
                {socket && (
                  <p className="text-sm text-dim">
                    CPUs {socket.cpus} · {spellMemory(socket.memory_mib)}
                  </p>
                )}
              </header>
              <div aria-hidden="true" className="mx-2 h-2 border-x-2 border-t-2 border-edge" />
              <ul className="grid grid-cols-2 gap-2 sm:grid-cols-4 md:grid-cols-2 xl:grid-cols-4">
                {slots
                  .filter((slot) => slot.numa_node === numa)
                  .map((slot) => (
                    <li key={slot.id}>
                      <button
                        type="button"
                        disabled={!onChoose}
                        onClick={() => onChoose?.(slot)}
                        className={`grid w-full gap-0.5 rounded-lg border-2 px-2 py-2 text-start ${looks[lookOfSlot(slot, host)]}`}
                      >
                        <span className="font-semibold">GPU {slot.slot_index}</span>
                        <span className="text-xs">{slot.state.replaceAll('_', ' ')}</span>
                        <span className="truncate font-mono text-[11px]">{slot.pci_address}</span>
                        {slot.health_state !== 'healthy' && <span className="text-xs">{slot.health_state}</span>}
                      </button>
                    </li>
                  ))}
              </ul>
            </section>
          );
        })}
    </div>
  );
}
