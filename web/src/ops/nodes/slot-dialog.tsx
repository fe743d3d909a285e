import type { ResourceSlot } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Facts } from '../../parts/page.tsx';
import { Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { spellMemory } from '../../words/sizes.ts';
import { spellMoments } from '../../words/time.ts';

type Verb = 'slotEnable' | 'slotDisable' | 'slotQuarantine' | 'slotClear' | 'slotClearUnproven';
const verbs: Readonly<Record<ResourceSlot['actions'][number]['action'], readonly [Verb, string]>> = {
  enable: ['slotEnable', 'Enable'],
  disable: ['slotDisable', 'Disable'],
  quarantine: ['slotQuarantine', 'Quarantine'],
  clear: ['slotClear', 'Clear'],
  clear_unproven: ['slotClearUnproven', 'Sell without proof'],
};

/** A slot that was used and not proven clean. */
const Wipe = ({ slot, since }: { slot: ResourceSlot; since: string }) =>
  slot.wipe_proof_task_id ? (
    <>
      proven by the host: task <code>{slot.wipe_proof_task_id}</code>
    </>
  ) : (
    <>
      not proven since <Ago at={since} />
    </>
  );

/** One GPU: hardware, allocation, and the possible actions. */
export function SlotDialog({ nodeId, slot, onClose }: { nodeId: string; slot: ResourceSlot; onClose(): void }) {
  const may = useMay();
  const [reason, setReason] = useState('');
  const act = useAct(
    'slot act',
    ({ verb, ...given }: { verb: Verb; reason: string; version: number }, options) =>
      api.adminNodes[verb]({ node_id: nodeId, slot_id: slot.id, reason: given.reason }, options),
    { stale: ['nodes', 'fleet', 'catalog'], done: onClose },
  );
  const offers = slot.actions.flatMap(({ action, allowed }) =>
    allowed && may(`slot_${action}`) ? [verbs[action]] : [],
  );
  const needed = slot.actions.find(({ action }) => action === 'clear')?.why_not;
  const isAside = slot.state === 'quarantined' || slot.state === 'cleanup_blocked';
  return (
    <Dialog open onClose={onClose} title={`GPU ${slot.slot_index}`}>
      <Facts
        rows={[
          ['State', <StateChip key="state" state={slot.state} />],
          ['Health', slot.health_detail ?? slot.health_state],
          ['Model', `${slot.gpu_model}, ${spellMemory(slot.gpu_memory_mib)}`],
          ['UUID', <Copy key="uuid" text={slot.gpu_uuid} label="the UUID" />],
          ['PCI', <code key="pci">{slot.pci_address}</code>],
          ['Disk', slot.nvme_device ?? 'none'],
          ...(slot.allocation_id
            ? ([
                [
                  'Held by',
                  <Link
                    key="held"
                    to="/ops/allocations/$id"
                    params={{ id: slot.allocation_id }}
                    className="text-accent underline underline-offset-2"
                  >
                    an allocation
                  </Link>,
                ],
              ] as const)
            : []),
          ...(slot.state_reason ? ([['Why', slot.state_reason]] as const) : []),
          ...(slot.wipe_owed_since
            ? ([['Wipe', <Wipe key="wipe" slot={slot} since={slot.wipe_owed_since} />]] as const)
            : []),
          ...(slot.wipe_waived
            ? ([
                [
                  'Sold without proof',
                  <>
                    {slot.wipe_waived.reason} (<Ago at={slot.wipe_waived.at} />)
                  </>,
                ],
              ] as const)
            : []),
          ...(isAside && needed ? ([['To clear it', spellMoments(needed)]] as const) : []),
        ]}
      />
      {offers.length > 0 && (
        <form className="mt-4 grid gap-3" onSubmit={(event) => event.preventDefault()}>
          <TextField
            label="Reason"
            hint="At least 3 characters. Kept in the audit log."
            minLength={3}
            maxLength={500}
            value={reason}
            onChange={setReason}
          />
          {act.error && <Problem error={act.error} />}
          <div className="flex justify-end gap-2">
            {offers.map(([verb, label]) => (
              <Button
                key={verb}
                busy={act.isPending}
                disabled={reason.trim().length < 3}
                onClick={() => act.mutate({ verb, reason: reason.trim(), version: slot.version })}
              >
                {label}
              </Button>
            ))}
          </div>
        </form>
      )}
    </Dialog>
  );
}
